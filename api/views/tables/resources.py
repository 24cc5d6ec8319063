"""Tables: open, join, act, watch, recall. Every view is one read or one write of the table services."""

from collections.abc import Callable, Collection
from typing import Any, Final

from flask import Response
from sqlalchemy.orm import Session

from api.auth import caller
from api.blueprint import Answer
from api.context import now, service
from api.etags import etag_of
from api.execution import dumps, read, reply_with, write
from api.ids import new_id
from api.paging import next_link, page
from api.services.errors import Conflict, Forbidden, Gone, Invalid, LimitReached, NotFound, Stale
from api.services.tables import acting, opening, views
from api.services.tables.asked import ACTION, Autoplay, Opening, Plan
from api.services.tables.change import Change, commit
from api.services.tables.families import conductor_of
from api.services.tables.model import Json, TableData, load_for
from api.services.tables.restraint import allow
from api.services.tables.telling import stamp
from api.views.odds.spending import spend, spend_thought
from api.views.tables import advice, deals, events, examples, past, schemas
from api.views.tables.common import Remembered, blueprint, engine_version, terms
from casino.errors import GameOver, IllegalAction, NotationError, NotYourTurn, RulesError, UnknownGame

_ACTION_ERRORS: Final = (
    NotFound,
    Forbidden,
    Conflict,
    Gone,
    Stale,
    IllegalAction,
    NotYourTurn,
    GameOver,
    NotationError,
)


# Views, as they are sent, by all that they depend on: who asks again for what has not changed costs one look-up.
_SHOWN: Final = Remembered(4096)


def _tell(answer: Json) -> None:
    """Wake those who wait for events of the table."""
    service().watcher.poke(answer["id"], answer["events"])


def _tag(answer: Json) -> str:
    return answer.pop("etag")  # type: ignore[no-any-return]


def _done(session: Session, change: Change) -> Json:
    """Write a planned change; the view after it, for the caller."""
    who = caller().player
    table = commit(session, change, now(), who)
    allow(session, table, who, now())
    shown = views.answer(change, table, who, terms(), now())
    return {"server_time": stamp(now()), **shown, "etag": etag_of(*views.parts_of_tag(table, who))}


def _loaded(session: Session, table_id: str) -> TableData:
    """The table as the caller may see it, with what his own limits leave him there."""
    who = caller().player
    table = load_for(session, table_id, who)
    allow(session, table, who, now())
    return table


def _current(table_id: str, texts: Collection[str] = ()) -> Callable[[Session], str | None]:
    """The version of a table; None where all that is to be done may be done whatever the version (a «macao»)."""
    who = caller().player

    def version(session: Session) -> str | None:
        table = _loaded(session, table_id)
        free = conductor_of(table.game).any_version
        steps = [step.split() for text in texts for step in text.split(";")]
        if steps and all(step and step[0] in free for step in steps):
            return None
        return etag_of(*views.parts_of_tag(table, who))

    return version


@blueprint.operation(
    "POST",
    "/tables",
    body=schemas.NewTable(),
    examples=examples.NEW_TABLES,
    answer=Answer(201, schemas.TableShown(), examples.TABLE, headers=("Location",)),
    errors=(UnknownGame, RulesError, Invalid, Conflict, LimitReached),
)
def open_table(body: dict[str, Any]) -> Response:
    """Open a table and take a seat.

    Against the house it begins at once; where the bank goes round it begins when no seat is open. `bank_needed` tells
    what bank keeps the risk of ruin down to 5, 1 and 0.1 in a hundred; who first asks for rules and a number of punters
    pays for it with units of the rate limit.
    """
    who, table_id = caller().player, new_id("tbl", now())

    def think(_: Session) -> tuple[Plan, Any]:
        plan = opening.foretell(opening.plan(_opening(body)), spend)
        rehearsed = opening.rehearse(plan, table_id, terms())
        if rehearsed is not None:
            spend_thought(rehearsed.thought)
        return plan, rehearsed

    def create(session: Session, thought: tuple[Plan, Any]) -> Json:
        plan, rehearsed = thought
        table, invite = opening.create(
            session,
            plan,
            who,
            terms(),
            now(),
            table_id=table_id,
            engine=engine_version(),
            most_open=service().config.open_tables,
        )
        answer = _done(session, acting.begin(session, table, who, terms(), now(), rehearsed))
        return {**answer, "invite": invite} if invite else answer

    return write(
        create,
        plan=think,
        status=201,
        location=lambda made: f"/v1/tables/{made['id']}",
        etag=_tag,
        secret="invite",  # noqa: S106 (the name of a member)
        after=_tell,
    )


def _opening(body: dict[str, Any]) -> Opening:
    return Opening(
        game=body["game"],
        options=body["options"],
        seats=body.get("seats"),
        bank=body["bank"],
        practice=body["stakes"] == "practice",
        seed=body.get("seed", 0),
        turn_seconds=body.get("turn_seconds", service().config.turn_seconds),
        private=body["private"],
        spectators=body["spectators"],
        **{name: body.get(name) for name in ("target", "ante", "chips_per_point", "max_points")},
    )


@blueprint.operation(
    "GET",
    "/tables",
    query=schemas.TableQuery(),
    answer=Answer(200, schemas.TableList(), examples.TABLES, headers=("Link",)),
)
def list_tables(query: dict[str, Any]) -> Response:
    """List tables, newest first: public ones to join or watch, and your own."""
    who = caller().player

    def fetch(session: Session, before: Any, limit: int) -> list[Json]:
        found = views.listed(
            session,
            who,
            mine=query["mine"],
            joinable=query["joinable"],
            game=query["game"],
            before=before,
            limit=limit,
        )
        return [views.summary(table, who) for table in found]

    return read(
        lambda tx: page("tables", query, lambda before, limit: fetch(tx, before, limit), at={"id": str}),
        headers=next_link,
    )


@blueprint.operation(
    "GET",
    "/tables/<table_id>",
    answer=Answer(200, schemas.TableShown(), examples.TABLE),
    errors=(NotFound,),
)
def get_table(table_id: str) -> Response:
    """Show a table as you see it, with your legal actions."""
    who, database = caller().player, service().database
    own = views.own_parts(database, table_id, who, now())
    shown = _SHOWN.get(own)
    if own is None or shown is None:
        with database.read() as session:
            table = _loaded(session, table_id)
        own = views.parts_of_tag(table, who)
        shown = dumps(views.table_view(table, who, terms(), now()))
        _SHOWN.put(own, shown)
    timed = b'{"server_time":"%s",%s' % (str(stamp(now())).encode(), shown[1:])
    return reply_with(timed, etag_of(*own))


@blueprint.operation(
    "POST",
    "/tables/<table_id>/seats",
    body=schemas.JoinTable(),
    example={"seat": 1},
    answer=Answer(201, schemas.TableShown(), examples.TABLE, headers=("Location",)),
    errors=(NotFound, Conflict, Gone, Stale),
    if_match=True,
)
def take_seat(body: dict[str, Any], table_id: str) -> Response:
    """Take an open seat: at once where seats may change now, else you are `pending` till they do."""
    who = caller().player
    return write(
        _done,
        plan=_thought_out(
            lambda tx: acting.plan_join(
                tx, table_id, who, terms(), now(), seat=body["seat"], invite=body["invite"], seed=body["seed"]
            )
        ),
        current=_current(table_id),
        status=201,
        location=lambda made: f"/v1/tables/{table_id}/seats/{made['seat']}",
        etag=_tag,
        after=_tell,
    )


@blueprint.operation(
    "DELETE",
    "/tables/<table_id>/seats/<int:seat>",
    answer=Answer(200, schemas.TableShown(), examples.TABLE),
    errors=(NotFound, Conflict, Gone, Stale),
    if_match=True,
)
def leave_seat(table_id: str, seat: int) -> Response:
    """Leave your seat: at once where seats may change now, else the default policy plays on till they do."""
    who = caller().player
    return write(
        _done,
        plan=_thought_out(lambda tx: acting.plan_leave(tx, table_id, who, seat, terms(), now())),
        current=_current(table_id),
        etag=_tag,
        after=_tell,
    )


@blueprint.operation(
    "POST",
    "/tables/<table_id>/actions",
    body=schemas.Act(),
    examples=examples.ACTS,
    answer=Answer(200, schemas.TableShown(), examples.TABLE),
    errors=(*_ACTION_ERRORS, RulesError),
    if_match=True,
)
def act(body: dict[str, Any], table_id: str) -> Response:
    """Act at a table: one action, several in order (all or none), or `autoplay`.

    The house and bots answer at once; `new_events` tells what happened.
    """
    current = _current(table_id, _texts(body).values())
    return write(_done, plan=_thought_out(_plan(body, table_id)), current=current, etag=_tag, after=_tell)


def _thought_out(plan: Callable[[Session], Change]) -> Callable[[Session], Change]:
    """The same plan, for which the caller pays what bots thought."""

    def charged(session: Session) -> Change:
        change = plan(session)
        spend_thought(change.thought)
        return change

    return charged


def _texts(body: dict[str, Any]) -> dict[str, str]:
    """The texts of a request by their places in it."""
    several = body.get("actions")
    if several is None:
        return {ACTION: body["action"]}
    return {f"/actions/{number}": text for number, text in enumerate(several)}


def _plan(body: dict[str, Any], table_id: str) -> Any:
    who = caller().player
    if body.get("action") != "autoplay":
        return lambda tx: acting.plan_actions(tx, table_id, who, _texts(body), terms(), now())
    cap = service().config.autoplay_cap
    if body["coups"] > cap:
        raise Invalid(f"autoplay plays at most {cap} coups a request", pointer="/coups", code="autoplay_cap")
    policy = "textbook" if body["policy"] is None else body["policy"]
    wanted = Autoplay(body["stake"], policy, body["coups"])
    return lambda tx: acting.plan_autoplay(tx, table_id, who, wanted, terms(), now())


__all__ = ["advice", "blueprint", "deals", "events", "past"]
