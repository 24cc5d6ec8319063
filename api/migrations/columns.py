"""Short forms for the columns and constraints that migrations write, named as api/models/base.py names them."""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

SERIAL: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def text(name: str, length: int, *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length), nullable=null)


def whole(name: str, *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), nullable=null, autoincrement=False)


def small(name: str, *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.SmallInteger(), nullable=null, autoincrement=False)


def flag(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def json(name: str, *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(none_as_null=null), nullable=null)


def bytes_(name: str, length: int | None = None, *, null: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.LargeBinary(length), nullable=null)


def key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=f"uq_{table}_{columns[0]}")


def refers(table: str, column: str, target: str, *, late: bool = False) -> sa.ForeignKeyConstraint:
    initially = "DEFERRED" if late else None
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint(
        [column], [target], name=name, deferrable=late or None, initially=initially
    )


def check(table: str, name: str, condition: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(condition, name=op.f(f"ck_{table}_{name}"))


def index(name: str, table: str, *columns: str, unique: bool = False, where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(
        name, table, list(columns), unique=unique, sqlite_where=condition, postgresql_where=condition
    )
