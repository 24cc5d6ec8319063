"""A player's own recorded coups as the input of bankroll maths: what he played at one banking game, on one side.

A punter's nets are counted in his own stakes, coup by coup. A banker's stakes are those of others and change from coup
to coup: his nets are counted in the total of stakes that he faced most often (`unit` chips).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from analysis.outcomes import FINEST_NET, BankrollError
from casino.banking.policies import BANKER, PUNTER
from casino.banking.presets import PRESETS


class Played(NamedTuple):
    """Coups that were alike: chips staked (against a banker: by all punters), chips won or lost, how many."""

    game: str
    side: str
    stake: int
    net: int
    times: int = 1


class Recorded(NamedTuple):
    """Coups of one game and side: net in stakes (as an exact text) -> times; `unit`: a banker's stake in chips."""

    game: str
    side: str
    coups: int
    results: dict[str, int]
    unit: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As a request names it: `results`, and under `played` what they are."""
        told: dict[str, Any] = {"game": self.game, "side": self.side, "coups": self.coups}
        if self.unit is not None:
            told["unit"] = self.unit
        return {"results": self.results, "played": told}


def recorded(rows: Iterable[Played], game: str | None = None, side: str | None = None) -> Recorded:
    """The coups of the game and side named; neither need be where he played only one.

    Raises BankrollError: no such coups, or of several games or sides.
    """
    kept = [
        row
        for row in rows
        if row.game in PRESETS
        and row.stake
        and row.side in (PUNTER, BANKER)
        and game in (None, row.game)
        and side in (None, row.side)
    ]
    _check(kept, game, side)
    counts: Counter[Fraction] = Counter()
    unit = _unit(kept) if kept[0].side == BANKER else None
    for row in kept:
        counts[Fraction(row.net, unit or row.stake)] += row.times
    finest = max(net.denominator for net in counts)
    if finest > FINEST_NET:
        raise BankrollError(f"nets in fractions of {finest} are too fine", pointer="/played")
    results = {str(net): times for net, times in sorted(counts.items())}
    return Recorded(kept[0].game, kept[0].side, counts.total(), results, unit)


def _check(kept: list[Played], game: str | None, side: str | None) -> None:
    if not kept:
        raise BankrollError(
            f"no coup of {game or 'a banking game'} is recorded{f' as {side}' if side else ''}: experiments with"
            " play of one's own need some settled coups for chips",
            pointer="/played",
        )
    for what, names in (("game", {row.game for row in kept}), ("side", {row.side for row in kept})):
        if len(names) > 1:
            raise BankrollError(
                f"several are recorded, {', '.join(sorted(names))}: name one", pointer=f"/played/{what}"
            )


def _unit(kept: list[Played]) -> int:
    """The stakes faced most often; of several the least."""
    times: Counter[int] = Counter()
    for row in kept:
        times[row.stake] += row.times
    return min(times, key=lambda stake: (-times[stake], stake))


def of_export(data: Any) -> Iterator[Played]:
    """The coups of a player's export (`GET /players/me/export`). Raises BankrollError: it is none."""
    coups = data.get("coups") if isinstance(data, Mapping) else None
    if not isinstance(coups, list):
        raise BankrollError(
            "is no export of a player: it must be an object with «coups», as GET /v1/players/me/export gives",
            pointer="/played",
        )
    for place, row in enumerate(coups):
        if not _sound(row):
            raise BankrollError(
                "must have game, side, stake and net, in whole chips", pointer=f"/played/coups/{place}"
            )
        yield Played(row["game"], row["side"], row["stake"], row["net"])


def _sound(row: Any) -> bool:
    if not isinstance(row, Mapping):
        return False
    texts = all(isinstance(row.get(name), str) for name in ("game", "side"))
    chips = [row.get(name) for name in ("stake", "net")]
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in chips)
    return texts and whole and row["stake"] >= 0
