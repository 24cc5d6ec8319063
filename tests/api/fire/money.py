"""A model of money, from `api.md` («Money») and `table.md` («Money of a coup»): plain numbers in plain dicts.

It is told what happened at a table, event by event, and works out the chips by itself: what is held, what a coup
brings (from the hands, by the rules written out here once more), what is left. Nothing of the service is used.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]
GRANT, REFILL_TO, REFILLS_A_DAY, HOUSE_BANK, BOT_PURSE, TRANCHE = 1000, 1000, 3, 100_000, 10_000, 1_000_000
# Worst loss and worst payout of a stake: `rules/banking.md`, step 1.
WORST = {"house": (3, 3), "russian-even": (1, 1), "continental": (3, 3)}
_TENS = "TJQK"
_MULTIPLES = {9: 3, 8: 2, 7: 1}


def hand(text: str) -> tuple[int, bool]:
    """Points, and whether it is a natural: 7 to 9 as first dealt, no card thrown away before."""
    kept = [word for word in text.split() if word[0] != "("]
    values = [0 if card[0] in _TENS else 1 if card[0] == "A" else int(card[0]) for card in kept]
    points = sum(values) % 10
    return points, len(kept) == 1 and points >= 7 and "(" not in text


def net(game: str, punter: str, banker: str) -> int:
    """What a punter wins (loses, if negative) on a stake: `rules/banking.md`, step 6."""
    (p, p_natural), (b, b_natural) = hand(punter), hand(banker)
    if p > b:
        return _MULTIPLES[p] if p_natural and game != "russian-even" else 1
    if p < b:
        return -_MULTIPLES[b] if b_natural and game == "continental" else -1
    return -_MULTIPLES.get(p, 1) if game == "house" else 0


class Table:
    """Who sits where, and the chips that lie at a table. `seats`: whose chips a seat plays with."""

    def __init__(self, game: str, seats: list[str], held: int = 0) -> None:
        self.game, self.seats, self.deal_hold = game, seats, held
        self.bank = 0
        self.banker: str | None = None
        self.stakes: dict[int, int] = {}
        self.dealt = False  # matches: is a deal open?
        self.closed = False


class Money:
    """Chips by owner: players by name, `("bot", table, seat)`, `house`, `mint`; and the tables."""

    def __init__(self, house: int, mint: int) -> None:
        self.chips: defaultdict[Any, int] = defaultdict(int, {"house": house, "mint": mint})
        self.tables: dict[str, Table] = {}
        self.refills: defaultdict[str, int] = defaultdict(int)

    def move(self, source: Any, target: Any, amount: int) -> None:
        """Chips from one to another; the mint helps the house out in whole tranches."""
        while source == "house" and self.chips["house"] < amount:
            self.chips["mint"] -= TRANCHE
            self.chips["house"] += TRANCHE
        self.chips[source] -= amount
        self.chips[target] += amount

    def register(self, name: str) -> None:
        """The opening grant."""
        self.move("mint", name, GRANT)

    def held(self, name: str) -> int:
        """A player's chips at tables: his stakes with their worst losses, and his banks with what covers stakes."""
        total = 0
        for table in self.tables.values():
            loss, payout = WORST.get(table.game, (0, 0))
            for seat, stake in table.stakes.items():
                total += stake * (loss * (table.seats[seat] == name) + payout * (table.banker == name))
            total += table.bank * (table.banker == name)
            total += table.deal_hold * table.dealt * table.seats.count(name)
        return total

    def refill(self, name: str) -> bool:
        """Fill up, if he has less and has not had too many; was it done?"""
        short = REFILL_TO - self.chips[name] - self.held(name)
        if short <= 0 or self.refills[name] >= REFILLS_A_DAY:
            return False
        self.refills[name] += 1
        self.move("mint", name, short)
        return True

    def delete(self, name: str) -> None:
        """What he has goes back to the mint."""
        self.move(name, "mint", self.chips[name])

    def open(self, name: str, table: Table) -> None:
        """The house lends each bot its purse."""
        self.tables[name] = table
        for seat in table.seats:
            if seat.startswith("bot"):
                self.move("house", seat, BOT_PURSE)

    def at_table(self, name: str) -> tuple[int, int]:
        """What a table's escrow and its bank hold."""
        table = self.tables[name]
        each = sum(WORST.get(table.game, (0, 0)))
        return sum(table.stakes.values()) * each + table.deal_hold * table.dealt * len(
            table.seats
        ), table.bank

    def take(self, name: str, events: Iterable[Json]) -> None:
        """What these events of a table mean for the chips."""
        table = self.tables[name]
        for event in events:
            getattr(self, f"_on_{event['type']}", self._on_nothing)(table, event["seat"], event["data"])

    def _on_nothing(self, table: Table, seat: int, data: Json) -> None:
        """No chips move."""

    def _on_bank(self, table: Table, seat: int, data: Json) -> None:
        table.banker = table.seats[seat]
        assert table.banker != "house" or data["amount"] == HOUSE_BANK
        self._on_topped(table, seat, data)

    def _on_topped(self, table: Table, seat: int, data: Json) -> None:
        self.move(table.seats[seat], ("at table", id(table)), data["amount"])
        table.bank += data["amount"]

    def _on_bank_over(self, table: Table, seat: int, data: Json) -> None:
        assert data["left"] == table.bank
        self.move(("at table", id(table)), table.banker, table.bank)
        table.bank, table.banker = 0, None

    def _on_staked(self, table: Table, seat: int, data: Json) -> None:
        loss, payout = WORST[table.game]
        stake = data["amount"]
        self.move(table.seats[seat], ("at table", id(table)), stake * loss)
        table.bank -= stake * payout
        assert table.bank >= 0, "a bank covers the worst payout of every stake taken"
        table.stakes[seat] = stake

    def _on_settled(self, table: Table, seat: int, data: Json) -> None:
        for punter in table.stakes:
            self._end(table, punter, net(table.game, data["hands"][punter], data["hands"][data["banker"]]))
        table.stakes = {}

    def _on_voided(self, table: Table, seat: int, data: Json) -> None:
        for punter in table.stakes:
            self._end(table, punter, 0)
        table.stakes = {}

    def _end(self, table: Table, seat: int, won: int) -> None:
        loss, payout = WORST[table.game]
        stake = table.stakes[seat]
        self.move(("at table", id(table)), table.seats[seat], stake * (loss + won))
        table.bank += stake * (payout - won)

    def _on_dealt(self, table: Table, seat: int, data: Json) -> None:
        if table.game not in WORST:
            table.dealt = True
            for owner in table.seats:
                self.move(owner, ("at table", id(table)), table.deal_hold)

    def _on_scored(self, table: Table, seat: int, data: Json) -> None:
        """Two seats, an ante each, the pot to the first out; a point of the other's cards is a chip, 20 at most."""
        ante, most = 10, 20
        lead = max(-most, min(data["scores"][1] - data["scores"][0], most))
        pot = ante * (1 if data["winners"] == [0] else -1 if data["winners"] == [1] else 0)
        for owner, won in zip(table.seats, (lead + pot, -lead - pot), strict=True):
            self.move(("at table", id(table)), owner, table.deal_hold + won)
        table.dealt = False

    def _on_seated(self, table: Table, seat: int, data: Json) -> None:
        """From the deal after he left on, chips of the house play for who has left a match."""
        if data.get("kind") == "house" and table.game not in WORST:
            table.seats[seat] = "house"

    def _on_left(self, table: Table, seat: int, data: Json) -> None:
        """Who leaves a match in the middle of a deal has his chips in it until it is scored."""
        if table.dealt:
            return
        if table.seats[seat].startswith("bot"):
            self.move(table.seats[seat], "house", self.chips[table.seats[seat]])
        table.seats[seat] = "open"

    def _on_closed(self, table: Table, seat: int, data: Json) -> None:
        """What bots have goes back to the house."""
        table.closed = True
        for owner in table.seats:
            if owner.startswith("bot"):
                self.move(owner, "house", self.chips[owner])
