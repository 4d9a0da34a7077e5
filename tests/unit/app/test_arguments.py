"""Readers of command-line values refuse what is not allowed, and say what is."""

import argparse

import pytest

from minchiate_rl.app.arguments import MAX_SEED, count, number, seed, switch, threads, whole


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "", "11"])
def test_whole_refuses(text):
    with pytest.raises(argparse.ArgumentTypeError, match="a whole number from 1 to 10"):
        whole(1, 10)(text)


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("10", 10), ("007", 7)])
def test_whole_reads_its_bounds(text, value):
    assert whole(1, 10)(text) == value


@pytest.mark.parametrize("text", ["0", "-2", "nan", "inf", "soon", ""])
def test_number_refuses(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a number above 0"):
        number(0)(text)


def test_number_reads_fractions():
    assert number(0)("0.25") == 0.25


def test_seed_fits_the_engine():
    assert seed(str(MAX_SEED)) == MAX_SEED
    with pytest.raises(argparse.ArgumentTypeError):
        seed(str(MAX_SEED + 1))


def test_number_may_include_its_bound():
    assert number(0, True)("0") == 0.0
    for text in ("-0.1", "nan", "inf", "x"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a number of at least 0"):
            number(0, True)(text)


@pytest.mark.parametrize("reader", [count, threads])
def test_counts_have_an_end(reader):
    assert reader("1024") == 1024
    for text in ("0", "99999999999999999999"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number from 1 to"):
            reader(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cascare=true", ("cascare", True)),
        ("midhand_resti=false", ("midhand_resti", False)),
        ("rob_limit=none", ("rob_limit", None)),
        ("rob_limit=13", ("rob_limit", 13)),
        ("girata_bonus=-1", ("girata_bonus", -1)),
        ("all_tricks=none", ("all_tricks", "none")),
        ("memory=own_tricks", ("memory", "own_tricks")),
        ("memory=a=b", ("memory", "a=b")),
    ],
)
def test_a_switch_is_read_with_the_type_of_its_value(text, wanted):
    name, value = switch(text)
    assert (name, value) == wanted
    assert type(value) is type(wanted[1])


@pytest.mark.parametrize("text", ["", "cascare", "=true", "cascare=", "="])
def test_what_is_no_switch_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not SWITCH=VALUE"):
        switch(text)
