"""`Prepared`: statements compiled once give what SQLAlchemy's own path gives, on SQLite and on PostgreSQL."""

import pytest
from sqlalchemy import bindparam, event, select, text, update
from sqlalchemy.exc import IntegrityError

from api.models import ApiKey, Lease, Player, Table
from api.prepared import Prepared, inserting, pipelined

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
