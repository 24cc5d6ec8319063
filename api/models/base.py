"""The base of all models, and the column types that are the same on SQLite and on PostgreSQL."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Final

from sqlalchemy import JSON, BigInteger, Dialect, ForeignKey, Integer, MetaData, String
from sqlalchemy.orm import DeclarativeBase, mapped_column
from sqlalchemy.types import TypeDecorator

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def micros(when: datetime) -> int:
    """Microseconds since 1970 UTC, exactly. Raises TypeError for a time without a zone."""
    return (when - EPOCH) // _MICROSECOND


def instant(value: int) -> datetime:
    """The UTC time of so many microseconds."""
    return EPOCH + timedelta(microseconds=value)


class Instant(TypeDecorator[datetime]):
    """A UTC time as a whole number of microseconds: exact, sortable, and hashed as it is stored."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else micros(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else instant(value)


# SQLite numbers rows by itself only in a column of exactly this type.
Serial = BigInteger().with_variant(Integer, "sqlite")

Id = Annotated[str, mapped_column(String(30), primary_key=True)]
Json = dict[str, Any]


class Base(DeclarativeBase):
    """Names every constraint by one rule, so that migrations can name them too."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: Instant,
        int: BigInteger,
        Json: JSON,
    }


def ref(column: str, **options: Any) -> Any:
    """A column that refers to another table's id."""
    return mapped_column(String(30), ForeignKey(column, **options))
