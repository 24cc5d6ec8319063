"""Settings: one frozen record whose fields carry their default, their meaning and how they are read.

Every setting comes from an environment variable `MACAO_<NAME>`. `docs/configuration.md` is generated from this
record, and a test holds the two together.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from analysis.errors import ExecutorError
from analysis.executors import FORMS, parse

PREFIX: Final = "MACAO_"
_DATABASES: Final = ("sqlite", "postgresql")
_RATE: Final = re.compile(r"[1-9]\d{0,11}/(second|minute|hour|day)")
# What manuals and images of databases come with, in small letters.
_KNOWN_PASSWORDS: Final = frozenset(
    (
        *(
            "postgres",
            "postgresql",
            "redis",
            "foobared",
            "macao",
            "user",
            "admin",
            "root",
            "guest",
            "default",
        ),
        *("password", "passwd", "pass", "secret", "changeme", "change-me", "change_me", "letmein", "qwerty"),
        *("test", "testing", "example", "1234", "12345", "123456", "12345678"),
    )
)
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")


class ConfigError(ValueError):
    """Settings that cannot be: `mistakes` holds one line for each of them."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,18}", text, re.ASCII) or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return read


def _choice(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return text

    return read


def _database(text: str) -> str:
    try:
        url = make_url(text)
    except ArgumentError:
        url = None
    if url is None or url.get_backend_name() not in _DATABASES or url.database in (None, "", ":memory:"):
        raise ValueError(
            "must be sqlite:///PATH (of a file: memory is not shared) or postgresql://USER:PASSWORD@HOST/NAME"
        )
    return _password_in_its_place(text)


def _password_in_its_place(url: str) -> str:
    """An address whose password stands where it is known for one: there it is not shown, and must be a good one."""
    if "password" in parse_qs(urlsplit(url).query):
        raise ValueError("must have its password before the host, as in ://USER:PASSWORD@HOST")
    return url


def _executor(text: str) -> str:
    try:
        parse(text)
    except ExecutorError:
        raise ValueError(f"must be {FORMS}") from None
    return text


def _bind(text: str) -> str:
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        known = bool(_HOST.fullmatch(host))
    else:
        known = (":" in bare) == host.startswith("[")
    if not (colon and known and re.fullmatch(r"\d{1,5}", port, re.ASCII) and int(port) <= 65535):
        raise ValueError("must be HOST:PORT, such as 127.0.0.1:8000 or [::1]:8000")
    return text


def _rate(text: str) -> str:
    if not _RATE.fullmatch(text):
        raise ValueError("must be UNITS/second, /minute, /hour or /day, such as 300000/minute")
    return text


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(",") if part.strip())
    if any(origin != "*" and not re.fullmatch(r"https?://[^/\s*]+", origin) for origin in origins):
        raise ValueError("must be * or a list of origins parted by commas, such as https://play.example")
    return origins


def _storage(text: str) -> str:
    if not re.match(r"(memory|redis|rediss|redis\+unix|memcached|mongodb)://", text):
        raise ValueError("must be memory:// or the address of a redis, memcached or mongodb server")
    return _password_in_its_place(text)


def setting(read: Callable[[str], Any], default: str, text: str) -> Any:
    """A field of `Config`: how its text is read, its default as it would stand in the environment, its meaning."""
    return field(
        default_factory=lambda: read(default), metadata={"read": read, "default": default, "text": text}
    )


@dataclass(frozen=True, kw_only=True)
class Config:
    """All settings of the service. Sums are in chips, times in seconds unless the name says otherwise."""

    database_url: str = setting(
        _database,
        "sqlite:///var/macao.db",
        "Where everything is kept: SQLite for one machine, PostgreSQL for several.",
    )
    executor_url: str = setting(
        _executor,
        "local:",
        "Where workers play experiments: local: (a process for each processor), local:N, or dask://HOST:PORT.",
    )
    experiment_workers: int = setting(
        _whole(0, 16),
        "1",
        "Workers that macao serve starts for experiments; macao worker starts more, on any machine.",
    )
    worker_lease: int = setting(
        _whole(2, 3600),
        "10",
        "Seconds after which what a worker that is not heard of was playing is played on by another.",
    )
    experiments_at_once: int = setting(
        _whole(0, 1000), "3", "Experiments that one player may have waiting or running."
    )
    experiment_coups: int = setting(
        _whole(0, 10**15),
        "50000000000",
        "Coups of experiments that one player may order in 24 hours. A processor plays some 50 million a second.",
    )
    bind: str = setting(_bind, "127.0.0.1:8000", "Address and port to listen on.")
    environment: str = setting(
        _choice("development", "production"),
        "production",
        "In development the text of an unexpected fault is shown in its problem; in production never.",
    )
    workers: int = setting(
        _whole(0, 64),
        "0",
        "Server processes; 0: one on SQLite, which has one writer anyway, else one for each processor.",
    )
    threads: int = setting(_whole(2, 512), "32", "Requests that one process serves at a time.")
    max_waiters: int = setting(
        _whole(0, 500),
        "16",
        "Long polls and event streams that one process holds open; beyond it they are answered at once. Less than"
        " MACAO_THREADS.",
    )
    graceful_timeout: int = setting(
        _whole(1, 600), "30", "Seconds that requests in flight have to end when the service stops."
    )
    backlog: int = setting(_whole(16, 65535), "1024", "Connections that may wait to be taken.")
    trusted_proxies: int = setting(
        _whole(0, 8),
        "0",
        "Reverse proxies in front whose X-Forwarded-For and X-Forwarded-Proto are believed; 0: none.",
    )
    cors_origins: tuple[str, ...] = setting(
        _origins,
        "*",
        "Origins whose pages may call the service, parted by commas; * for any, empty for none.",
    )
    max_body: int = setting(_whole(1024, 2**26), "262144", "Largest request body in bytes.")
    lock_seconds: int = setting(
        _whole(1, 60),
        "10",
        "Longest wait for the database or for a parallel copy of the same request before 503.",
    )
    key_cache_seconds: int = setting(
        _whole(0, 60),
        "2",
        "How long another process may still answer reads for a revoked key; writes ask the database always.",
    )
    idempotency_hours: int = setting(
        _whole(24, 24 * 30), "48", "Hours for which the answer to an Idempotency-Key is kept."
    )
    rate_limit: str = setting(
        _rate,
        "300000/minute",
        "Units that one API key may spend. A unit is about a fifth of a millisecond of a processor, so the default"
        " lets one key use one processor.",
    )
    rate_limit_anonymous: str = setting(
        _rate, "60000/minute", "Units that one network address may spend without a key."
    )
    rate_storage: str = setting(
        _storage,
        "memory://",
        "Where spent units are counted; memory:// counts in each process for itself, use redis:// with several.",
    )
    opening_grant: int = setting(_whole(0, 10**12), "1000", "Chips that a new player is given.")
    refill_sum: int = setting(_whole(1, 10**12), "1000", "Chips up to which a refill fills a wallet.")
    refills_a_day: int = setting(_whole(0, 1000), "3", "Refills that a player may take in 24 hours.")
    house_bank: int = setting(_whole(1, 10**12), "100000", "Chips that the house puts in each of its banks.")
    bot_purse: int = setting(
        _whole(1, 10**12),
        "10000",
        "Chips that the house lends to each bot at a table, returned at the close.",
    )
    open_tables: int = setting(_whole(1, 10_000), "50", "Tables that one player may have open at a time.")
    turn_seconds: int = setting(
        _whole(5, 86400), "30", "Seconds that a seat has to act where the table does not say."
    )
    autoplay_cap: int = setting(_whole(1, 100_000), "1000", "Most coups of one autoplay request.")
    log_level: str = setting(
        _choice("debug", "info", "warning", "error"), "info", "Least severity of the lines of the log."
    )

    @property
    def url(self) -> str:
        """The address to show people, such as http://127.0.0.1:8000."""
        return f"http://{self.bind}"

    @property
    def is_sqlite(self) -> bool:
        """Is the database a SQLite file?"""
        return make_url(self.database_url).get_backend_name() == "sqlite"

    @property
    def processes(self) -> int:
        """Server processes once «0» is worked out."""
        if self.workers:
            return self.workers
        return 1 if self.is_sqlite else os.cpu_count() or 1


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def from_environment(environment: Mapping[str, str], /, **overrides: str | None) -> Config:
    """The settings of an environment; `overrides` (None: not given) go before it.

    Raises ConfigError with one line for each mistake, unknown MACAO_ variables included.
    """
    texts = {key: value for key, value in environment.items() if key.startswith(PREFIX)}
    texts.update({variable(key): value for key, value in overrides.items() if value is not None})
    known = {variable(item.name): item for item in fields(Config)}
    mistakes = [f"{key}: unknown setting; there are {', '.join(known)}" for key in texts if key not in known]
    values: dict[str, Any] = {}
    for key, item in known.items():
        if key in texts:
            try:
                values[item.name] = item.metadata["read"](texts[key].strip())
            except ValueError as refusal:
                mistakes.append(f"{key}: {refusal}, not «{_shown(item.name, texts[key])}»")
    config = Config(**values)
    if config.max_waiters >= config.threads:
        mistakes.append(
            f"MACAO_MAX_WAITERS: must be below MACAO_THREADS ({config.threads}), not {config.max_waiters}"
        )
    mistakes += _unsafe(config, environment)
    if mistakes:
        raise ConfigError(mistakes)
    return config


def _unsafe(config: Config, environment: Mapping[str, str]) -> list[str]:
    """What must not be where strangers come: debug on, passwords that everybody knows."""
    if config.environment == "development":
        if _is_loopback(config.bind):
            return []
        return [
            "MACAO_ENVIRONMENT: development tells the texts of faults: only with a MACAO_BIND of this machine, such as"
            f" 127.0.0.1:8000, not «{config.bind}»"
        ]
    found = []
    if environment.get("FLASK_DEBUG", "").lower() not in ("", "0", "false", "no"):
        found.append(
            "FLASK_DEBUG: must not be set in production; take it out, or set MACAO_ENVIRONMENT=development"
        )
    for name in ("database_url", "rate_storage"):
        if _has_known_password(getattr(config, name)):
            found.append(
                f"{variable(name)}: its password is one that everybody knows, or the user's name: in production give"
                " one of its own"
            )
    return found


def _is_loopback(bind: str) -> bool:
    host = bind.rpartition(":")[0].removeprefix("[").removesuffix("]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _has_known_password(url: str) -> bool:
    found = urlsplit(url)
    password = unquote(found.password or "").lower()
    return bool(password) and (
        password in _KNOWN_PASSWORDS or password == unquote(found.username or "").lower()
    )


def _shown(name: str, text: str) -> str:
    """A value as it may stand in a message: the password of a database address must not."""
    if name.endswith(("url", "storage")):
        text = re.sub(r"(password=)[^&]*", r"\1…", re.sub(r"://.*@", "://…@", text))
    return text[:80]


def table() -> str:
    """All settings as a Markdown table, for docs/configuration.md."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for item in fields(Config):
        default = f"`{item.metadata['default']}`" if item.metadata["default"] else "empty"
        rows.append(f"| `{variable(item.name)}` | {default} | {item.metadata['text']} |")
    return "\n".join(rows) + "\n"
