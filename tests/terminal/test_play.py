"""`macao play`: whole games driven by what it prints, records stepped through, and what is told of wrong input."""

import json
import re
from random import Random

import pytest
from click.testing import CliRunner

from api.cli import main
from api.commands.play import Asked, _banking, _match
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
        if prompt.startswith("You may say"):
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


def playing(name, typist, *, bots=2, seat=1, options=None):
    """A game and its recorder; two bots against the typist."""
    listing = find(name)
    asked = Asked(bots, None, 7, seat, options or SHORT.get(name, "{}"), None)
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
