"""The chips of a match: what each seat may spend, what is held of it, and who can cover the next deal."""

from dataclasses import dataclass
from typing import Final

from api.services.errors import Conflict, InsufficientFunds
from api.services.tables.matches.stakes import Stakes
from api.services.tables.model import HOUSE, PLAYER, Sitter, TableData
from api.services.tables.play import Terms

Moved = list[tuple[int, int, str]]
"""(seat, chips into the escrow, or out of it where negative, kind of transfer)."""
_OUTCOMES: Final = ("push", "win", "loss")  # by the sign of the net


@dataclass(slots=True)
class Purses:
    """`chips` by seat, apart from what is held. `held`: chips held of each seat while a deal is open."""

    stakes: Stakes
    chips: list[int]
    held: int

    @classmethod
    def of(cls, table: TableData, terms: Terms) -> "Purses":
        """What the accounts hold now; at a practice table everybody has what a bot is lent."""
        stakes = Stakes.of(table.settings)
        seats = len(table.sitters)
        if table.practice:
            chips = list(table.stored.get("purses") or [terms.bot_purse] * seats)
        else:
            chips = [table.balance(sitter) for sitter in table.sitters]
        return cls(stakes, chips, stakes.hold(seats))

    @property
    def pointer(self) -> str:
        """What in an opening makes deals cost what they may cost."""
        return "/ante" if self.stakes.ante else "/chips_per_point"

    def covers(self, sitter: Sitter) -> bool:
        """Can this seat cover the hold of a deal? (The house always can, which takes over from who leaves.)"""
        return self._refusal(sitter) is None

    def admit(self, sitter: Sitter) -> None:
        """Raises InsufficientFunds where a seat cannot cover a deal, Conflict where its player's limits forbid it."""
        refused = self._refusal(sitter)
        if refused is not None:
            raise refused

    def _refusal(self, sitter: Sitter) -> Conflict | None:
        held, chips, allowance = self.held, self.chips[sitter.number], sitter.allowance
        if not held or sitter.kind == HOUSE or sitter.leaving:
            return None
        if chips < held:
            return InsufficientFunds(chips, held, pointer=self.pointer)
        if sitter.kind != PLAYER or allowance is None:
            return None
        if allowance.barred is not None:
            return allowance.barred
        if allowance.stake is not None and held > allowance.stake:
            return Conflict(
                f"your limit for one stake is {allowance.stake} chips, a deal here may cost {held}",
                code="stake_limit",
                members={"limit": allowance.stake},
            )
        if allowance.floor is not None and chips - held < allowance.floor:
            left = max(0, chips - allowance.floor)
            return Conflict(
                f"a deal here may cost {held} chips, and your limit of losses leaves {left}",
                code="loss_limit",
                members={"left": left, "needed": held},
            )
        return None

    def hold(self) -> Moved:
        """Hold of every seat what a deal may cost it."""
        if not self.held:
            return []
        self.chips = [chips - self.held for chips in self.chips]
        return [(seat, self.held, "stake") for seat in range(len(self.chips))]

    def settle(self, nets: list[int]) -> Moved:
        """Give every seat its hold back, with what it won or lost."""
        moved: Moved = []
        for seat, net in enumerate(nets):
            back = self.held + net
            self.chips[seat] += back
            if back:
                moved.append((seat, -back, _OUTCOMES[(net > 0) - (net < 0)]))
        return moved
