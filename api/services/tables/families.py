"""What differs between tables of the families, behind one set of calls: nothing else asks for a table's family."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Protocol

from sqlalchemy.orm import Session

from api.services.tables.asked import Autoplay, Opening, Plan
from api.services.tables.bank_needed import Spend
from api.services.tables.banking import BankingTables
from api.services.tables.change import Change, Happening
from api.services.tables.matches import MatchTables
from api.services.tables.model import Json, Sitter, TableData, family_of
from api.services.tables.play import Terms


class Conductor(Protocol):
    """Conducts the tables of a family. Everything is planned: a Change is written by `change.commit`.

    `unit`: what is played and counted there, a «coup» or a «deal». `any_version`: verbs of actions for which
    `If-Match` may name an old version.
    """

    unit: str
    any_version: frozenset[str]

    def plan(self, opening: Opening) -> Plan:
        """Hold an opening against the rules. Raises RulesError or Invalid, with a pointer."""

    def foretell(self, made: Plan, spend: Spend) -> Json:
        """What is worked out of a table before it is opened, and kept with its settings. `spend` is told the cost in
        about milliseconds before, and may raise."""

    def rehearse(self, made: Plan, table_id: str, terms: Terms) -> Any:
        """What bots do as the table begins, thought out before the write; None where nothing is to be thought out."""

    def bind(self, session: Session, table: TableData, player: str, now: datetime) -> None:
        """Work out what the limits of those leave them who may put chips at risk by what the player does."""

    def begin(
        self, table: TableData, terms: Terms, now: datetime, told: list[Happening], rehearsed: Any
    ) -> Change:
        """The change that opens a table just written, with the events `told` first."""

    def act(
        self, table: TableData, seat: int, texts: Mapping[str, str], terms: Terms, now: datetime
    ) -> Change:
        """Do these actions, by their places in the request, in order, all or none, with all that follows."""

    def autoplay(
        self, table: TableData, sitter: Sitter, wanted: Autoplay, terms: Terms, now: datetime
    ) -> Change:
        """Play coups by a policy as if by hand. Raises Invalid where nothing is played in coups."""

    def join(self, table: TableData, taken: Sitter, terms: Terms, now: datetime, seed: str | None) -> Change:
        """Seat somebody who has an open seat of the table already in `sitters`."""

    def leave(self, table: TableData, sitter: Sitter, terms: Terms, now: datetime) -> Change:
        """Leave a seat."""

    def time_up(self, table: TableData, terms: Terms, now: datetime) -> Change:
        """Play on for those whose time is up."""

    def shown(self, table: TableData, player: str, terms: Terms, now: datetime, live: Any) -> Json:
        """`play`, `legal` and `last` of a view by this player. `live`: the state, where it is at hand."""

    def summary(self, table: TableData) -> Json:
        """What a list of tables tells of one, besides what every table has."""

    def proof(
        self, session: Session, table: TableData, *, bank_id: str | None = None, deal_id: str | None = None
    ) -> bytes:
        """The proof of a bank, a deal or (of neither) of a whole match. Raises NotFound for what is not proved so at
        such tables, Conflict while the seed is secret."""


_MATCHES: Final = MatchTables()
CONDUCTORS: Final[dict[str, Conductor]] = {
    "banking": BankingTables(),
    "shedding": _MATCHES,
    "tricks": _MATCHES,
}


def conductor_of(game: str) -> Conductor:
    """The conductor of a game's tables. Raises UnknownGame."""
    return CONDUCTORS[family_of(game)]
