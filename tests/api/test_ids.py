"""Typed ids: their shape, and that they sort by time."""

from datetime import timedelta

from api.ids import is_id, new_id


def test_an_id_is_a_prefix_and_26_characters(now):
    for prefix in ("ply", "tbl", "x"):
        name = new_id(prefix, now)
        assert is_id(name, prefix)
        assert len(name) == len(prefix) + 27


def test_ids_sort_by_the_millisecond_they_were_made(now):
    names = [new_id("trf", now + timedelta(milliseconds=number)) for number in range(100)]
    assert names == sorted(names)


def test_ids_of_one_moment_differ(now):
    assert len({new_id("trf", now) for _ in range(1000)}) == 1000


def test_the_first_ten_characters_are_the_milliseconds_in_base_32(now):
    """2026-03-01T12:00:00.123Z is 1 772 366 400 123 ms; ten characters of five bits hold 48 bits of time and two
    zero bits before them."""
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    value = 0
    for letter in new_id("cou", now)[4:14]:
        value = value * 32 + alphabet.index(letter)
    assert value == 1_772_366_400_123


def test_other_shapes_are_no_ids(now):
    name = new_id("ply", now)
    for wrong in (
        "",
        "ply_",
        name[:-1],
        name + "0",
        name.replace("ply", "key"),
        name.upper(),
        name[:-1] + "i",
    ):
        assert not is_id(wrong, "ply")
