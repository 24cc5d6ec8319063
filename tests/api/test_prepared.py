"""`Prepared`: statements compiled once give what SQLAlchemy's own path gives, on SQLite and on PostgreSQL."""

from contextlib import ExitStack

import pytest
from postgresql import administer
from sqlalchemy import bindparam, event, select, text, update
from sqlalchemy.exc import IntegrityError

from api.db import Turn, at_the_end
from api.models import ApiKey, Lease, Player, Table
from api.prepared import Batch, Prepared, inserting, pipelined
from api.services.errors import Busy

_ADD = inserting(Lease)
_BY_NAME = Prepared(select(Lease.name, Lease.expires_at).where(Lease.name == bindparam("wanted")))
_ALL = Prepared(select(Lease.name).where(Lease.holder == "x").order_by(Lease.name))
_MOVE = Prepared(update(Lease).where(Lease.name == bindparam("wanted")).values(holder=bindparam("to")))


def lease(name, now):
    return {"name": name, "holder": "x", "expires_at": now}


def test_values_go_in_and_come_out_through_their_types(database, now):
    with database.write() as session:
        _ADD.run(session.connection(), lease("a", now))
    with database.read() as session:
        row = _BY_NAME.first(session.connection(), {"wanted": "a"})
        assert (row.name, row.expires_at) == ("a", now)
        assert session.scalars(select(Lease.expires_at)).one() == now
        assert _BY_NAME.first(session.connection(), {"wanted": "b"}) is None


def test_json_and_bytes_and_nulls(database, now):
    player = {"id": "ply_1", "name": "Ада", "created_at": now, "deleted_at": None, "limits": {"stake": 5}}
    key = {
        "id": "key_1",
        "player_id": "ply_1",
        "name": "",
        "prefix": "macao_",
        "digest": b"\x00\xff",
        "scopes": ["read", "«play»"],
        "created_at": now,
        "expires_at": None,
        "revoked_at": None,
    }
    with database.write() as session:
        inserting(Player).run(session.connection(), player)
        inserting(ApiKey).run(session.connection(), key)
    with database.read() as session:
        found = session.get_one(ApiKey, "key_1")
        assert (found.digest, found.scopes, found.expires_at) == (b"\x00\xff", ["read", "«play»"], None)
        wanted = Prepared(select(ApiKey.digest, ApiKey.scopes, Player.limits).join(Player))
        assert wanted.all(session.connection(), {}) == [(b"\x00\xff", ["read", "«play»"], {"stake": 5})]


def test_many_rows_in_order_and_how_many_were_found(database, now):
    with database.write() as session:
        connection = session.connection()
        _ADD.run_many(connection, [lease(name, now) for name in "cab"])
        _ADD.run_many(connection, [])
        assert [row.name for row in _ALL.all(connection, {})] == ["a", "b", "c"]
        assert _MOVE.count(connection, {"wanted": "b", "to": "y"}) == 1
        assert _MOVE.count(connection, {"wanted": "z", "to": "y"}) == 0
        assert [row.name for row in _ALL.all(connection, {})] == ["a", "c"]


def test_it_belongs_to_the_transaction(database, now):
    def fail():
        with database.write() as session:
            _ADD.run(session.connection(), lease("a", now))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    with database.read() as session:
        assert _ALL.all(session.connection(), {}) == []


def test_errors_are_those_of_sqlalchemy_and_hide_the_values(database, now):
    def twice():
        with database.write() as session:
            _ADD.run_many(session.connection(), [lease("secret", now), lease("secret", now)])

    with pytest.raises(IntegrityError) as refused:
        twice()
    assert "secret" not in str(refused.value).split("[SQL", 1)[1]
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM leases")).scalar_one() == 0


def test_whoever_listens_to_statements_hears_of_it(database, now):
    heard = []

    def listener(_connection, _cursor, statement, *_):
        heard.append(statement)

    event.listen(database._writer, "before_cursor_execute", listener)
    with database.write() as session:
        _ADD.run(session.connection(), lease("a", now))
    assert any(statement.startswith("INSERT INTO leases") for statement in heard)


def test_a_missing_value_is_a_fault_and_never_a_null(database, now):
    with database.read() as session, pytest.raises(KeyError):
        Prepared(select(Table.id).where(Table.id == bindparam("id"))).all(session.connection(), {})


def test_what_is_pipelined_is_done_in_order_and_answers_are_waited_for(database, now):
    with database.write() as session:
        connection = session.connection()
        with pipelined(connection):
            _ADD.run_many(connection, [lease(name, now) for name in "ab"])
            before = _ALL.ask(connection, {})
            _MOVE.run(connection, {"wanted": "a", "to": "y"})
            after = _ALL.ask(connection, {})
            assert [row.name for row in before()] == ["a", "b"]
            assert [row.name for row in after()] == ["b"]
    with database.read() as session:
        assert [row.name for row in _ALL.all(session.connection(), {})] == ["b"]


@pytest.mark.parametrize("waits", [False, True])
def test_what_fails_in_a_pipeline_is_raised_as_ever_and_undoes_the_transaction(database, now, waits):
    def twice():
        with database.write() as session:
            connection = session.connection()
            with pipelined(connection):
                _ADD.run(connection, lease("b", now))
                _ADD.run_many(connection, [lease("a", now), lease("a", now)])
                if waits:
                    _ALL.all(connection, {})

    with pytest.raises(IntegrityError):
        twice()
    with database.write() as session:  # the connection is good for more
        assert _ALL.all(session.connection(), {}) == []
        _ADD.run(session.connection(), lease("c", now))


def batch_of(*parts):
    batch = Batch()
    for statement, *rows in parts:
        batch.add(statement, *rows)
    return batch


@pytest.mark.parametrize("many", [1, 2, 40])  # one statement alone, several as one, too many to be one
def test_a_batch_does_all_its_parts_with_their_own_values(database, now, many):
    fresh = [lease(f"n{number:02}", now) for number in range(many)]
    with database.write() as session:
        batch_of((_ADD, lease("a", now), lease("b", now))).run(session.connection())
    with database.write() as session:
        moves = [{"wanted": name, "to": "y"} for name in "ab"]
        batch_of((_ADD, *fresh), (_MOVE, *moves), (inserting(Player),)).run(session.connection())
    with database.read() as session:
        holders = dict(session.execute(select(Lease.name, Lease.holder)).all())
    assert holders == {"a": "y", "b": "y", **{row["name"]: "x" for row in fresh}}


def test_a_batch_keeps_nulls_json_and_a_percent_sign_apart(database, now):
    players = [
        {"id": f"ply_{name}", "name": name, "created_at": now, "deleted_at": None, "limits": limits}
        for name, limits in (("%(name_0_0)s", {"stake": 5}), ("100%s", None))
    ]
    with database.write() as session:
        batch_of((inserting(Player), *players), (_ADD, lease("%", now))).run(session.connection())
    with database.read() as session:
        wanted = select(Player.id, Player.name, Player.created_at, Player.deleted_at, Player.limits)
        assert [row._asdict() for row in session.execute(wanted.order_by(Player.id))] == players


def test_rows_of_a_batch_are_inserted_in_their_order(database, now):
    """The trigger that numbers a ledger's transfers refuses any other order (docs/ledger.md)."""
    from api.models import HOUSE, MINT  # noqa: PLC0415
    from api.services.ledger import Entry, post  # noqa: PLC0415

    with database.write() as session:
        posted = post(session, [Entry(MINT, HOUSE, chips, "test") for chips in (3, 1, 2)], now)
    assert [(done.seq, done.entry.amount) for done in posted] == [(1, 3), (2, 1), (3, 2)]
    with database.read() as session:
        rows = session.execute(text("SELECT seq, amount FROM transfers ORDER BY seq")).all()
    assert [tuple(row) for row in rows] == [(1, 3), (2, 1), (3, 2)]


def test_what_fails_in_a_batch_undoes_all_of_it(database, now):
    def twice():
        with database.write() as session:
            batch_of((_ADD, lease("a", now), lease("b", now)), (_ADD, lease("b", now))).run(
                session.connection()
            )

    with pytest.raises(IntegrityError):
        twice()
    with database.read() as session:
        assert _ALL.all(session.connection(), {}) == []


# The last steps of a write


def test_last_steps_are_taken_in_one_order_whoever_asked_first(database, now):
    """Two transactions that lock both heads lock them in the same order, so they cannot wait for each other."""
    taken = []
    with database.write() as session:
        at_the_end(session, Turn.AUDIT_LOG, lambda _: taken.append("audit log"))
        at_the_end(session, Turn.LEDGER, lambda _: taken.append("ledger"))
        at_the_end(session, Turn.LEDGER, lambda _: taken.append("ledger again"))
        assert taken == []
    assert taken == ["ledger", "ledger again", "audit log"]


def test_a_last_step_is_committed_with_what_was_done_before_it(database, now):
    def step(session):
        batch_of((_ADD, lease("b", now)), (_MOVE, {"wanted": "a", "to": "x"})).run(session.connection())

    told = []
    with database.write() as session:
        session.add(Lease(name="a", holder="z", expires_at=now))  # not even sent to the database yet
        at_the_end(session, Turn.LEDGER, step)
        database.on_commit(session, lambda: told.append("committed"))
    assert told == ["committed"]
    with database.read() as session:
        assert [row.name for row in _ALL.all(session.connection(), {})] == ["a", "b"]


@pytest.mark.parametrize("fault", ["raised", "refused by the database"])
def test_a_last_step_that_fails_undoes_the_whole_write(database, now, fault):
    def step(session):
        _ADD.run(session.connection(), lease("a", now))
        if fault == "raised":
            raise LookupError

    told = []

    def write():
        with database.write() as session:
            _ADD.run(session.connection(), lease("a" if fault != "raised" else "b", now))
            at_the_end(session, Turn.LEDGER, step)
            database.on_commit(session, lambda: told.append("committed"))

    with pytest.raises(LookupError if fault == "raised" else IntegrityError):
        write()
    assert told == []
    with database.write() as session:  # the connection is good for more
        assert _ALL.all(session.connection(), {}) == []
        _ADD.run(session.connection(), lease("c", now))


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_reads_leave_prepared_what_they_prepared(database, now):
    """psycopg forgets its prepared statements at a rollback, and every read would be parsed and planned anew."""
    for _ in range(8):  # it prepares what it has run five times
        with database.read() as session:
            _BY_NAME.first(session.connection(), {"wanted": "a"})
    with database.read() as session:
        kept = session.scalars(text("SELECT statement FROM pg_prepared_statements")).all()
    assert any("FROM leases" in statement for statement in kept)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("kind", ["read", "write", "glance"])
def test_a_database_that_was_restarted_fails_one_request_and_not_one_for_each_connection(
    database, database_url, kind
):
    """All connections of the pool are lost at once: who notices it first has the others opened anew."""

    def ask(opened):
        _ALL.all(opened if kind == "glance" else opened.connection(), {})

    with ExitStack() as stack:
        for opened in [stack.enter_context(getattr(database, kind)()) for _ in range(5)]:
            ask(opened)
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    administer(database_url, f"SELECT pg_terminate_backend(pid, 60000) {others}")
    with pytest.raises(Busy), getattr(database, kind)() as opened:
        ask(opened)
    for _ in range(5):
        with getattr(database, kind)() as opened:
            ask(opened)
