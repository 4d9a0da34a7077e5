"""The command line: help, the one line of an error, and the exit statuses."""

import os
import subprocess
import sys
import warnings

import pytest

from minchiate_rl import __version__
from minchiate_rl.app.cli import main as cli

LIGHT = ["rules", "agents", "doctor", "selfplay", "verify"]


def test_help_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself_with_an_example(name, capsys):
    assert cli.main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"usage: minchiate {name}" in text
    assert "Examples:\n  minchiate " + name in text


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"minchiate_rl {__version__}\n"


def test_no_command_at_all_is_bad_input(capsys):
    assert cli.main([]) == 2
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["dance"], "dance"),
        (["--loud"], "--loud"),
        (["rules", "--loud"], "--loud"),
        (["rules", "no-such-game"], "no-such-game"),
        (["rules", "no-such-file.toml"], "no-such-file.toml"),
        (["selfplay", "--agents", "random", "--hands", "0", "--out", "x"], "'0'"),
        (["selfplay", "--agents", "random", "--hands", "many", "--out", "x"], "'many'"),
        (["selfplay", "--agents", "random", "--hands", "1", "--seed", "-1", "--out", "x"], "'-1'"),
        (["selfplay", "--agents", "random", "--hands", "1"], "--out"),
        (["verify"], "FILE"),
        (["verify", "no-such-file.jsonl"], "no-such-file.jsonl"),
    ],
)
def test_bad_input_is_one_line_and_status_2(argv, named, capsys):
    assert cli.main(argv) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert named in printed.err


def test_an_interrupt_is_quiet(monkeypatch, capsys):
    def interrupted(argv):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "dispatch", interrupted)
    assert cli.main([]) == 130
    assert capsys.readouterr().err == ""


def test_an_error_of_the_system_names_its_file(monkeypatch, capsys):
    def unwritable(argv):
        raise PermissionError(13, "Permission denied", "out.jsonl")

    monkeypatch.setattr(cli, "dispatch", unwritable)
    assert cli.main([]) == 2
    assert capsys.readouterr().err == "minchiate: out.jsonl: Permission denied\n"


def test_a_reader_that_leaves_early_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "minchiate_rl", "rules"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize("name", LIGHT)
def test_help_is_quick_because_nothing_heavy_is_loaded(name):
    code = (
        "import sys; from minchiate_rl.app.cli.main import main; "
        f"main([{name!r}, '--help']); print({{'torch', 'numba'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


def test_an_output_that_is_full_is_named(monkeypatch, capsys):
    def full(argv):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli, "dispatch", full)
    assert cli.main([]) == 2
    assert capsys.readouterr().err == "minchiate: the output cannot be written: No space left on device\n"


@pytest.mark.filterwarnings("always")
def test_a_warning_is_one_line(monkeypatch, capsys):
    def damaged(argv):
        warnings.warn("one is damaged;\nthe one before it is used", stacklevel=1)
        return 0

    monkeypatch.setattr(cli, "dispatch", damaged)
    assert cli.main([]) == 0
    assert capsys.readouterr().err == "minchiate: warning: one is damaged; the one before it is used\n"


def test_closed_outputs_are_no_error():
    command = f"{sys.executable} -m minchiate_rl rules >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
