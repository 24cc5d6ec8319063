"""Every code of a problem: its status, title and meaning. `docs/api.md` and the OpenAPI document are made of this.

A class of refusals brings its own code; a refusal that is made with another code of its own is named in `FURTHER`,
and a test finds those that are not.
"""

from dataclasses import dataclass
from typing import Final

from analysis.errors import BankrollError
from api.refusals import RequestError
from api.services.errors import Conflict, Forbidden, Gone, Invalid, LimitReached, ServiceError
from casino import errors as casino

# error of the engines: (status, title)
ENGINE: Final[dict[type[casino.CasinoError], tuple[int, str]]] = {
    casino.CasinoError: (422, "Refused by the engine"),
    casino.RulesError: (422, "Options that cannot be"),
    casino.NotationError: (422, "Not the notation of a card, an action or a position"),
    casino.PositionError: (422, "A position that cannot be"),
    casino.UnknownGame: (422, "No such game"),
    casino.IllegalAction: (409, "Not a legal action"),
    casino.NotYourTurn: (409, "Not your turn"),
    casino.GameOver: (409, "The game is over"),
    BankrollError: (422, "A question about a bankroll that cannot be answered"),
}

# code: (the class of refusals it belongs to, when it is used)
FURTHER: Final[dict[str, tuple[type[ServiceError], str]]] = {
    "autoplay_cap": (Invalid, "More coups than one autoplay request may play."),
    "excluded": (Conflict, "The player has excluded himself from play for chips, until `until`."),
    "exclusion_stands": (
        Conflict,
        "An exclusion may be put off, but not ended sooner than it was set to, `until`.",
    ),
    "experiment_over": (Conflict, "An experiment that is done or has failed cannot be cancelled."),
    "experiment_quota": (
        LimitReached,
        "More coups (`cost`) than a player's experiments of 24 hours have left (`left` of `cap`).",
    ),
    "family": (Invalid, "Not for games of this family."),
    "key_expired": (Conflict, "The key that is to be changed has expired."),
    "key_revoked": (Conflict, "The key that is to be changed is revoked."),
    "last_key": (Conflict, "The last key that may manage keys cannot be revoked."),
    "leaving": (Conflict, "The seat is marked as leaving: it is played for you until you are gone."),
    "loss_limit": (
        Conflict,
        "It might cost more (`needed`) than the player's own limits of losses leave (`left`).",
    ),
    "no_refills": (Conflict, "This server gives no refills."),
    "no_advice": (
        Conflict,
        "What this seat should do cannot be told: the text says why, such as a shoe that might run out.",
    ),
    "not_alone": (Conflict, "Autoplay is for the only human at a table."),
    "not_done": (Conflict, "There are results when the experiment is done."),
    "not_revealed": (Conflict, "The seed is told when the bank, or the match, is over."),
    "not_settled": (Conflict, "Told of coups that are settled, and deals that are over, only."),
    "nothing_to_decide": (Conflict, "The seat is neither to stake nor to decide on a card now."),
    "not_seated": (Forbidden, "Only who sits at the table may do this."),
    "out_of_time": (
        Conflict,
        "The time of play that the player allows himself a day is over, until `until`.",
    ),
    "pending": (Conflict, "You have asked for a seat already, and get it when seats change."),
    "refill_not_needed": (Conflict, "The player has as much as a refill would fill to."),
    "seat_taken": (Conflict, "Somebody sits there already."),
    "seated": (Conflict, "A player who sits at a table cannot be deleted: leave it first."),
    "seated_already": (Conflict, "You sit at this table already."),
    "stake_limit": (Conflict, "More than the player's own limit for one stake, `limit`."),
    "table_closed": (Gone, "The table is closed: open another."),
    "too_costly": (
        Invalid,
        "What would cost more (`cost`, in units, an experiment in coups) than it may (`cap`); nothing was done.",
    ),
    "too_many_experiments": (
        LimitReached,
        "A player may have a limited number of experiments that wait or run.",
    ),
    "too_many_keys": (Conflict, "A player has a limited number of live keys."),
    "too_many_tables": (LimitReached, "A player may keep a limited number of tables open."),
    "waiting_for_seats": (Conflict, "The table begins when no seat is open."),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the catalogue of codes."""

    code: str
    status: int
    title: str
    text: str


def entry_of(kind: type[Exception]) -> Entry:
    """The row of one class of refusals."""
    text = " ".join((kind.__doc__ or "").split())
    if issubclass(kind, ServiceError):
        return Entry(kind.code, kind.status, kind.title, text)
    if issubclass(kind, casino.CasinoError):
        status, title = next(ENGINE[base] for base in kind.__mro__ if base in ENGINE)
        return Entry(kind.code, status, title, text)
    raise TypeError(f"{kind.__name__} is no refusal")


def more_exact(kind: type[Exception]) -> list[str]:
    """The codes of `FURTHER` that may stand in the place of a class's own."""
    return [code for code, (base, _) in FURTHER.items() if base is kind]


def catalogue() -> list[Entry]:
    """Every code, by status and name."""
    found = {kind.code: entry_of(kind) for kind in ENGINE}
    found |= {code: Entry(code, base.status, base.title, text) for code, (base, text) in FURTHER.items()}
    waiting = [*ServiceError.__subclasses__(), *RequestError.__subclasses__()]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if "code" in vars(kind):
            found[kind.code] = entry_of(kind)
    return sorted(found.values(), key=lambda entry: (entry.status, entry.code))


def table() -> str:
    """The catalogue as a Markdown table, for docs/api.md."""
    rows = ["| status | code | meaning |", "|---|---|---|"]
    rows += [f"| {entry.status} | `{entry.code}` | {entry.text} |" for entry in catalogue()]
    return "\n".join(rows) + "\n"
