"""`macao play`: whole games driven by what it prints, records stepped through, and what is told of wrong input."""

import json
import os
import pty
import re
import select
import subprocess
import sys
from random import Random

import pytest
from click.testing import CliRunner

from api.cli import main
from api.commands.play import Asked, _banking, _match
from api.terminal import words
from api.terminal.playing import Playing
from casino.catalogue import find, listings
from casino.errors import NotationError
from casino.record import Record, Recorder

SEED = (7).to_bytes(32, "big")
CARD = re.compile(r"\b(?:[2-9TJQKA][SHDC]|BJ|RJ)\b")
SHORT = {
    "peklo": '{"max_hand": 2}',
    "tel-aviv": '{"target": 30}',
    "romanian-points": '{"target": 30}',
    "russian-104": '{"target": 30}',
}


class Typist:
    """Types something that the last «You may» line lists, after a wrong word; keeps everything that was said."""

    def __init__(self, seed=1):
        self.rng = Random(seed)
        self.lines = []
        self.asked = 0

    def say(self, line):
        self.lines.append(line)

    def ask(self, prompt):
        self.asked += 1
        if self.asked % 7 == 1:
            return "no such thing"
        if prompt.startswith("Others are to move"):
            return "macao" if "macao" in prompt else ""
        listed = next(line for line in reversed(self.lines) if line.startswith("You may: "))
        choices = [self.word(item) for item in re.split(r", (?![^(]*\))", listed.removeprefix("You may: "))]
        active = [
            item for item in choices if item.split()[0] not in ("draw", "pass", "sit", "seed", "close", "top")
        ]
        return self.rng.choice(active or choices)

    @staticmethod
    def word(item):
        amount = re.fullmatch(r"(\w+) \((\d+) to .*\)", item)
        return f"{amount[1]} {amount[2]}" if amount else item


def playing(name, typist, *, bots=2, seat=1, options=None, bank=None):
    """A game and its recorder; two bots against the typist."""
    listing = find(name)
    asked = Asked(bots, None, 7, seat, options or SHORT.get(name, "{}"), None, bank)
    made, players = (_banking if listing.family == "banking" else _match)(listing, asked, SEED)
    recorder = Recorder(made, SEED)
    return Playing(recorder, seat, players, listing.actions, typist.say, typist.ask), recorder


@pytest.mark.parametrize("name", [listing.name for listing in listings() if listing.family != "banking"])
def test_a_match_is_played_to_its_end_by_what_is_printed(name):
    typist = Typist()
    game, recorder = playing(name, typist)
    assert game.run()
    assert typist.lines[-1].startswith("=== The game is over")
    assert any(line.startswith("No: ") for line in typist.lines), "a wrong word is told"
    record = recorder.record()
    assert Record.from_text(record.to_text()).replay().result() == recorder.state.result()


def test_a_bank_of_the_house_is_played_to_its_end():
    typist = Typist()
    game, recorder = playing("house", typist, options='{"decks": 1}')
    assert game.run()
    assert any(line.startswith("--- Coup 1:") for line in typist.lines)
    assert recorder.state.result() is not None


def test_a_bank_that_goes_round_is_played_to_its_end():
    """Everybody banks once, the player too; while bots stake he may close, and is asked."""
    typist = Typist()
    game, recorder = playing("russian-even", typist, options='{"decks": 1}', bank="rotates")
    assert game.run()
    assert any(line.startswith("you: bank (amount ") for line in typist.lines)
    assert recorder.state.result() is not None
    record = recorder.record()
    assert Record.from_text(record.to_text()).replay().result() == recorder.state.result()


def test_no_hidden_card_is_printed():
    """One pack: whatever lies in another hand when the player is asked was in no line since the deal."""
    typist = Typist()
    game, recorder = playing("peklo", typist, options='{"min_hand": 6, "max_hand": 8}')
    seen = []

    def ask(prompt):
        start = max(at for at, line in enumerate(typist.lines) if line.startswith("---") and "dealt" in line)
        told = set(CARD.findall(" ".join(typist.lines[start:])))
        deal = recorder.state.deal
        hidden = {card for seat in (0, 2) for card in deal.report()["hands"][seat]}
        assert not told & hidden
        seen.append(len(told))
        return typist.ask(prompt)

    game.ask = ask
    assert game.run()
    assert max(seen) > 10, "the search finds cards"


def run(*words, lines=()):
    """The command with these lines typed."""
    return CliRunner().invoke(main, ["play", *words], input="".join(f"{line}\n" for line in lines))


def test_help_shorthand_and_refusals():
    """The end of an action is enough; what is refused says why and what would be right; nothing is lost by it."""
    found = run(
        "peklo",
        "--bots",
        "2",
        "--seed",
        "5",
        "--options",
        '{"min_hand": 3}',
        lines=["help", "9", "1", "AH", "view", "quit"],
    )
    assert found.exit_code == 0
    assert "bid N" in found.output or "bid" in found.output
    assert "No: " in found.output
    assert "you: bid 1" in found.output
    assert re.search(r"No: AH is not in the hand of seat 0; legal: play ", found.output)
    assert "Traceback" not in found.output


def test_the_same_seed_deals_the_same(tmp_path):
    first, second, other = (
        run("russian-104", "--seed", seed, lines=["legal", "quit"]).output for seed in ("7", "7", "8")
    )
    assert first == second != other


def test_the_end_of_input_ends_it_quietly(tmp_path):
    file = tmp_path / "game.txt"
    found = run("russian-104", "--seed", "7", "--save", str(file), lines=["draw"])
    assert found.exit_code == 0
    assert Record.from_text(file.read_text()).game == "russian-104"


def test_a_folder_that_is_not_there_is_told_before_the_first_move(tmp_path):
    found = run("russian-104", "--save", str(tmp_path / "none" / "game.txt"), lines=["draw"])
    assert found.exit_code == 2
    assert found.output.startswith("Error: cannot write ")
    assert "there is no folder" in found.output
    assert "Your hand" not in found.output


def test_a_file_that_cannot_be_written_is_told_and_play_goes_on(tmp_path):
    lost = tmp_path / "none" / "game.txt"
    found = run("peklo", "--seed", "5", lines=["save", f"save {lost}", "legal"])
    assert "No: name the file, as in «save game.txt»" in found.output
    assert f"No: {lost} cannot be written: No such file or directory" in found.output
    assert found.output.count("You may: ") == 2


def test_a_record_is_saved_as_json_too(tmp_path):
    """By the end of the file's name; both say the same, and both are stepped through."""
    files = [tmp_path / "game.json", tmp_path / "game.txt"]
    for file in files:
        run("russian-104", "--seed", "7", "--save", str(file), lines=["draw", "quit"])
    assert Record.from_json(json.loads(files[0].read_text())) == Record.from_text(files[1].read_text())
    shown = [run("--replay", str(file), lines=["", "end"]).output for file in files]
    assert shown[0] == shown[1]


def test_a_typed_record_is_played(tmp_path):
    """Remarks, empty lines and spaces are the typist's own; what cannot be is told with its place."""
    saved, typed = tmp_path / "saved.txt", tmp_path / "typed.txt"
    run("peklo", "--seed", "5", "--save", str(saved), lines=["bid 0", "quit"])
    lines = [f" {line}  " if line[:1].isdigit() else line for line in saved.read_text().splitlines()]
    typed.write_text("\n\n# by hand\n".join(lines))
    assert run("--replay", str(typed), lines=["end"]).exit_code == 0
    for more, told in (("0 play 9X", "9X"), ("0 bid 0", "is refused"), ("bid 0", "line")):
        typed.write_text("\n".join([*lines, more]))
        refused = run("--replay", str(typed))
        assert refused.exit_code == 2
        assert told in refused.output


def test_it_is_played_through_a_pipe(tmp_path):
    """A real process: what comes from the pipe is shown where a person would have typed it."""
    command = [sys.executable, "-m", "api", "play", "peklo", "--seed", "5", "--seat", "0"]
    done = subprocess.run(
        command, input="bid 7\nbid 1\nquit\n", capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "> bid 7\nNo: " in done.stdout
    assert "> bid 1\nyou: bid 1\n" in done.stdout
    assert "Traceback" not in done.stderr


def test_it_is_played_at_a_terminal():
    """A real terminal (a pty): prompt, wrong and right moves, the end of input."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "api", "play", "peklo", "--seed", "5"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True) as game:
        os.close(theirs)
        try:
            assert "You may: bid 0, bid 1" in until(ours, "> ")
            os.write(ours, b"bid 7\n")
            assert "No: " in until(ours, "> ")
            os.write(ours, b"1\n")
            assert "you: bid 1" in until(ours, "> ")
            os.write(ours, b"\x04")  # Ctrl+D
            assert game.wait(60) == 0
        finally:
            game.kill()
            os.close(ours)


def until(terminal, mark):
    """What the terminal shows up to a prompt; it may take as long as a loaded machine takes."""
    shown = ""
    while not shown.endswith(mark):
        assert select.select([terminal], [], [], 60)[0], f"nothing more came after: {shown}"
        shown += os.read(terminal, 4096).decode()
    return shown


def test_a_record_is_stepped_through(tmp_path):
    """On, back, to a number, to the end, from a seat; it plays again what was played."""
    typist = Typist()
    game, recorder = playing("peklo", typist)
    game.run()
    file = tmp_path / "record.txt"
    file.write_text(recorder.record().to_text())
    count = len(recorder.actions)
    found = run("--replay", str(file), lines=["", "b", "2", "seat 1", "end", "", "nonsense", "quit"])
    assert found.exit_code == 0
    prompts = re.findall(rf"(\d+)/{count} > ", found.output)
    assert prompts == ["0", "1", "0", "2", "2", str(count), str(count), str(count)]
    assert "Hand of seat 1" in found.output
    assert "That was the last action." in found.output
    assert "Nobody is to move" in found.output


@pytest.mark.parametrize("seat", ["3", "0000000009", "9" * 5000, "-1", "²"])
def test_a_replay_is_not_seen_from_a_seat_that_is_not_there(tmp_path, seat):
    """Whoever types one is helped, however it is written."""
    _, recorder = playing("peklo", Typist())
    file = tmp_path / "record.txt"
    file.write_text(recorder.record().to_text())
    found = run("--replay", str(file), lines=[f"seat {seat}", "quit"])
    assert (found.exit_code, found.exception) == (0, None)
    assert found.output.count("«seat K» looks from a seat") == 2


def test_a_deal_as_rest_tells_it_is_stepped_through(tmp_path):
    """JSON with the record as a member; and what is none is refused."""
    _, recorder = playing("peklo", Typist())
    file = tmp_path / "deal.json"
    file.write_text(json.dumps({"id": "dea_1", "record": recorder.record().to_json()}))
    assert run("--replay", str(file), lines=["quit"]).exit_code == 0
    for text in ("{", '{"record": {}}', "macao record 1\n", "\x00"):
        file.write_text(text)
        refused = run("--replay", str(file))
        assert refused.exit_code == 2
        assert "Traceback" not in refused.output
        assert refused.exception is None or not isinstance(refused.exception, NotationError)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["whist"], "no game «whist»; there are"),
        ([], "name either a GAME"),
        (["peklo", "--seat", "2"], "--seat is 0 to 1"),
        (["house", "--seat", "2"], "--seat is 0 to 1"),
        (["peklo", "--bank", "house"], "--bank goes with banking games"),
        (["house", "--bank", "mine"], "'house', 'rotates'"),
        (["house", "--target", "5"], "--target goes with"),
        (["peklo", "--policy", "brave"], "there are random, simple, search"),
        (["house", "--policy", "brave"], "textbook"),
        (["peklo", "--options", "[1]"], "must be a JSON object"),
        (["peklo", "--options", "{"], "is not JSON"),
        (["peklo", "--options", '{"x": 1}'], "unknown option"),
        (["russian-104", "--bots", "5"], "2 to 5 seats"),
        (["--replay", "/no/such/file"], "does not exist"),
    ],
)
def test_what_cannot_be_is_told(words, told):
    found = run(*words)
    assert found.exit_code == 2
    assert told in found.output
    assert "Traceback" not in found.output


def test_every_obligation_is_on_the_screen():
    """What stands open in a position is told in words: penalty, skip, demand, window, turns lost."""
    base = {"seats": 3, "hands": [["7S", "8S"], ["9H", "TD"], ["QC", "KC"]], "pile": ["4S"], "to_move": 0}
    shown = {}
    for name, more in (
        ("penalty", {"game": "russian-104", "pile": ["2S"], "penalty": 4}),
        ("skip", {"game": "romanian", "skip": 2, "out_for": [0, 2, 1]}),
        ("demand", {"game": "romanian", "pile": ["AS"], "demand": {"suit": "H"}, "demand_by": 2}),
        (
            "window",
            {
                "game": "romanian",
                "hands": [["7S", "8S"], ["9H", "TD"], ["QC"]],
                "window": {"seat": 2, "said": False},
            },
        ),
    ):
        view = find(more["game"]).position({**base, **more}).view(0)
        shown[name] = "\n".join(words.screen("shedding", view, 0))
    assert "A penalty of 4 stands on 2S: you" in shown["penalty"]
    assert "2 turns are to be lost: you" in shown["skip"]
    assert "Sitting out: seat 1 2 turns, seat 2 1 turn" in shown["skip"]
    assert "Demanded: hearts" in shown["demand"]
    assert "«Macao» not said yet: seat 2" in shown["window"]
