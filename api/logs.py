"""Structured logs: one JSON object a line on standard error, one line a request, refused ones included.

Lines hold no key, no seed and no card: a request's line is made of the fields below and nothing else of it, neither
its query, its headers nor its body.
"""

import atexit
import json
import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Final, TextIO, cast

import structlog
from flask import Request

from api.config import Config
from api.context import Context
from api.log_writer import WriteBehind

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=str)
_ROWS: Final = re.compile(r"^(DETAIL|CONTEXT):.*$", re.MULTILINE)
_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def _dumps(line: Any, **_: Any) -> str:
    return _ENCODER.encode(line)


def configure(config: Config) -> None:
    """Send the service's lines, and those of the libraries, to standard error as JSON."""
    level = _LEVELS[config.log_level]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _without_rows,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(_dumps)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    _Lines.logger = structlog.get_logger().bind()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder(), *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(_dumps),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(
        level if level == logging.DEBUG else max(level, logging.WARNING)
    )  # libraries chat at «info»


def _without_rows(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """PostgreSQL adds to a refusal what was being written, row and all: that stays out of the log."""
    trace = line.get("exception")
    if isinstance(trace, str):
        line["exception"] = _ROWS.sub(r"\1: (left out)", trace)
    return line


class _Lines:
    """The logger of requests, bound once: binding it anew costs as much as writing the line."""

    logger: Any = None


def write_behind() -> None:
    """Let the lines of requests be written by a thread, for a process that serves many at a time. Others are written
    as ever, at once."""
    behind = WriteBehind(sys.stderr)
    processors: list[Any] = [  # a request's line has no trace
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(_dumps),
    ]
    logger = structlog.WriteLogger(cast(TextIO, behind))
    _Lines.logger = structlog.wrap_logger(logger, processors=processors).bind()
    atexit.register(behind.drain)


def log_request(asked: Request, here: Context, status: int, seconds: float) -> None:
    """The line of one request."""
    rule = asked.url_rule
    line: dict[str, Any] = {
        "request_id": here.request_id,
        "method": asked.method,
        "route": rule.rule if rule is not None else None,
        "status": status,
        "ms": round(seconds * 1000, 2),
    }
    if rule is not None and asked.view_args:
        line["of"] = {name: str(value)[:64] for name, value in asked.view_args.items()}
    if here.caller is not None:
        line["player"], line["key"] = here.caller.player, here.caller.key
    if here.code is not None:
        line["code"] = here.code
    if here.replayed:
        line["replayed"] = True
    _Lines.logger.info("request", **line)
