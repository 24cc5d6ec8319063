"""Rows for tests of the ledger and the bankroll: players with wallets, tables with accounts, banks, coups."""

from api.ids import new_id
from api.models import MINT, Bank, Coup, CoupResult, Player, Seat, Table
from api.services import ledger


def player(session, now, chips=0):
    """A player's id and the number of his wallet, with so many chips from the mint."""
    name = new_id("ply", now)
    session.add(Player(id=name, name="Ana", created_at=now))
    session.flush()
    wallet = ledger.open_wallet(session, name, now)
    if chips:
        ledger.post(session, [ledger.Entry(MINT, wallet, chips, "opening_grant")], now)
    return name, wallet


def table(session, now, creator, seats=(), game="house"):
    """A table's id, escrow and bank; `seats` are ids of players, None for a bot with no account."""
    name = new_id("tbl", now)
    session.add(
        Table(
            id=name,
            creator_id=creator,
            game=game,
            options={},
            rules_hash="0" * 64,
            engine="test",
            bank="rotates",
            stakes="chips",
            turn_seconds=30,
            private=False,
            spectators=False,
            settings={},
            phase="stakes",
            state={},
            version=1,
            last_event=0,
            created_at=now,
        )
    )
    session.flush()
    for number, who in enumerate(seats):
        kind = "bot" if who is None else "player"
        session.add(Seat(table_id=name, number=number, kind=kind, player_id=who, joined_at=now))
    return name, *ledger.open_table(session, name, now)


def bank(session, now, table_id, number=1, banker=None):
    """The id of an open bank."""
    name = new_id("bnk", now)
    session.add(
        Bank(
            id=name,
            table_id=table_id,
            number=number,
            banker_seat=0,
            banker_id=banker,
            commitment="0" * 64,
            server_seed=bytes(32),
            client_seeds=[],
            shuffles=[],
            opened_at=now,
        )
    )
    session.flush()
    return name


def coup(session, now, table_id, bank_id, number=1):
    """The id of an open coup."""
    name = new_id("cou", now)
    session.add(
        Coup(
            id=name,
            table_id=table_id,
            bank_id=bank_id,
            number=number,
            status="open",
            record={},
            opened_at=now,
        )
    )
    session.flush()
    return name


def settle(session, now, coup_id):
    """Mark a coup as settled."""
    row = session.get_one(Coup, coup_id)
    row.status, row.settled_at = "settled", now
    session.flush()


def result(session, now, coup_id, table_id, player_id, net, *, stake=10, game="house", side="punter", seat=0):
    """What a settled coup was to a player; the balances are made up around the net."""
    session.add(
        CoupResult(
            coup_id=coup_id,
            table_id=table_id,
            player_id=player_id,
            seat=seat,
            game=game,
            side=side,
            stake=stake,
            net=net,
            balance_before=1000,
            balance_after=1000 + net,
            at=now,
        )
    )
    session.flush()
