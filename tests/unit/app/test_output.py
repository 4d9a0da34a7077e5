"""Files are complete under their name, or not there at all."""

from pathlib import Path

import pytest

from minchiate_rl.app.output import whole_file


def test_the_file_appears_when_it_is_complete(tmp_path):
    goal = tmp_path / "hands.jsonl"
    with whole_file(goal) as file:
        file.write("one\n")
        assert not goal.exists()
    assert goal.read_text() == "one\n"
    assert list(tmp_path.iterdir()) == [goal]


def test_a_failure_leaves_the_old_file_alone(tmp_path):
    goal = tmp_path / "hands.jsonl"
    goal.write_text("old\n")
    with pytest.raises(TypeError, match="must be str"), whole_file(goal) as file:
        file.write(b"new")  # type: ignore[arg-type]
    assert goal.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [goal]


def test_a_path_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    with (
        pytest.raises(OSError, match="cannot be written: No such file"),
        whole_file(tmp_path / "nowhere/hands.jsonl"),
    ):
        pytest.fail("the work began")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(OSError, match="it is a folder"), whole_file(tmp_path):
        pytest.fail("the work began")


def test_a_device_is_written_directly():
    with whole_file("/dev/null") as file:
        file.write("gone\n")


def test_a_full_device_is_named():
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("this system has no full device")
    with pytest.raises(OSError, match="/dev/full: cannot be written: No space left"), whole_file(device) as file:
        file.write("x")
