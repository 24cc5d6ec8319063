"""What `macao experiment` asks for, as a request in JSON: a FILE, options, or a FILE with options over it.

An option goes over the member of the FILE that it names; the rest of the FILE stands. Another source of outcomes takes
the place of the FILE's whole source. What the FILE's grid goes through no option can set: that is refused.
"""

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from analysis.outcomes import BankrollError
from analysis.sources import BESIDE, SOURCES
from analysis.sweep import PLAYED
from analysis.systems import SYSTEMS
from api.commands.bankroll import SOURCE, beside_rules, source
from api.commands.rule_set import read_change

Request = dict[str, Any]
STOPS: Final = ("coups", "win", "target", "loss", "drawdown", "losing_streak", "winning_streak")
SYSTEM: Final = "NAME[:VALUE]|JSON"
SYSTEM_HELP: Final = (
    "Staking system, with its own option behind it: proportional:1/50, kelly:1/2, martingale:4, paroli:2,"
    " labouchere:1,2,3; may be repeated."
)
_WHOLE: Final = (*SOURCES, *BESIDE, PLAYED)  # all that a source of outcomes consists of
_PLAIN: Final = ("bankroll", "sessions", "seed", "limits", "turns", "precision")
_WORDS: Final = {"change": "--set", "systems": "--system"}


def asked(file: IO[str] | None, given: Mapping[str, Any]) -> Request:
    """The request. Raises BankrollError or RulesError: what is missing or does not go together, by its option."""
    request = _read(file) if file else {}
    if file:
        _check_grid(file.name, request, given)
    request = _sourced(file.name if file else None, request, {key: given[key] for key in SOURCE})
    request |= {key: given[key] for key in ("bankroll", "sessions", "seed") if given[key] is not None}
    stops = {key: given[key] for key in STOPS if given[key] is not None}
    if stops:
        request["stops"] = _object(request, "stops") | stops
    if given["limits"]:
        request["limits"] = _limits(given["limits"])
    if given["turns"]:
        if not _by_rules(request):
            raise BankrollError("--turns goes with --rules only: they tell what a bank is worth")
        request["turns"] = _turns(given["turns"])
    _precise(request, given)
    _stake(request, given)
    _check_whole(request)
    return request


def _read(file: IO[str]) -> Request:
    try:
        request = json.load(file)
    except ValueError as fault:
        raise BankrollError(f"{file.name} is not JSON: {fault}") from None
    if not isinstance(request, dict):
        raise BankrollError(f"{file.name} must hold an object")
    return request


def _object(request: Mapping[str, Any], key: str) -> Request:
    """A copy of a member that options are put into; an empty one where there is none."""
    value = request.get(key, {})
    if not isinstance(value, dict):
        raise BankrollError("must be an object", pointer=f"/{key}")
    return dict(value)


def _grid(request: Mapping[str, Any]) -> Request:
    return _object(request, "grid") if request.get("grid") else {}


def _by_rules(request: Mapping[str, Any]) -> bool:
    return any(path.split("/")[0] == "rules" for path in (*request, *_grid(request)))


def _option(name: str) -> str:
    return _WORDS.get(name, "--" + name.replace("_", "-"))


def _named(given: Mapping[str, Any]) -> list[str]:
    """The options that are given."""
    return [name for name, value in given.items() if value not in (None, ())]


def _paths(name: str, request: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    """The places of a request that an option sets."""
    if name in ("outcomes", "results", "played") or (name == "rules" and not _by_rules(request)):
        yield from _WHOLE
    elif name == "rules":
        yield "rules/preset"
    elif name == "change":
        yield from (f"rules/changes/{text.partition('=')[0]}" for text in given[name])
    elif name in BESIDE:
        yield from (name, f"rules/{name}")
    elif name in STOPS:
        yield f"stops/{name}"
    elif name in ("systems", "unit"):
        yield "staking" if name == "systems" else "staking/unit"
    elif name in _PLAIN:
        yield name


def _check_grid(file: str, request: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """No option sets what the grid varies. Raises BankrollError."""
    grid = _grid(request)
    for name in _named(given):
        for path in _paths(name, request, given):
            met = [one for one in grid if _meet(one, path) and not (name in BESIDE and one == "rules")]
            if met:
                raise BankrollError(
                    f"the grid of {file} goes through «{met[0]}», which {_option(name)} sets as well: leave one of"
                    " them out",
                    pointer=f"/grid/{met[0]}",
                )


def _meet(one: str, other: str) -> bool:
    """Is one path the other, or on the way to it?"""
    shorter, longer = sorted((one.split("/"), other.split("/")), key=len)
    return longer[: len(shorter)] == shorter


def _sourced(file: str | None, request: Request, given: Mapping[str, Any]) -> Request:
    """The request with the source of outcomes that options name, or with what they change in the FILE's."""
    named = _named(given)
    if file is not None and not named:
        return request
    another = {"outcomes", "results", "played"} & set(named)
    if file is None or another or ("rules" in named and not _by_rules(request)):
        return {key: value for key, value in request.items() if key not in _WHOLE} | source(given)
    if "game" in named or not _by_rules(request):
        has = " and ".join(key for key in SOURCES if key in request) or "no source of outcomes"
        option = "--game" if "game" in named else _option(named[0])
        wanted, value = ("--played", "FILE") if "game" in named else ("--rules", "PRESET")
        raise BankrollError(
            f"{option} goes with {wanted} only, and {file} has {has}: give {wanted} {value} in its place, or leave"
            f" {option} out"
        )
    return _over_rules(request, given)


def _over_rules(request: Request, given: Mapping[str, Any]) -> Request:
    """Options over the rules of a FILE, each where the FILE has its member: in them or beside them."""
    found, rules = dict(request), _object(request, "rules")
    if given["rules"] is not None:
        rules["preset"] = given["rules"]
    if given["change"]:
        rules["changes"] = _object(rules, "changes") | dict(map(read_change, given["change"]))
    for name, value in beside_rules(given).items():
        (rules if name in rules else found)[name] = value
    return found | ({"rules": rules} if rules else {})


def _precise(request: Request, given: Mapping[str, Any]) -> None:
    """A precision, and the most sessions that it may take. Raises BankrollError: not written as one."""
    if given["precision"]:
        of, _, width = given["precision"].partition("=")
        if not of or not width:
            told = f"--precision is written ruin=P or gain=CHIPS, such as ruin=0.01, not {given['precision'][:40]!r}"
            raise BankrollError(told)
        request["precision"] = _object(request, "precision") | {"of": of, "half_width": width}
    if "precision" in request and "sessions" in request and (given["precision"] or given["sessions"]):
        request["precision"] = _object(request, "precision") | {"most": request["sessions"]}


def _stake(request: Request, given: Mapping[str, Any]) -> None:
    """Put the staking systems in. Raises BankrollError: one lacks its unit, or none takes that of `--unit`."""
    unit, held = given["unit"], _object(request, "staking")
    if given["systems"]:
        first = unit if unit is not None else held.get("unit")
        staking = [_system(text, first) for text in given["systems"]]
        request["staking"] = staking[0]
        if len(staking) > 1:
            request["grid"] = {**_grid(request), "staking": staking}
    elif unit is not None:
        staking = [(held or {"system": "flat"}) | {"unit": unit}]
        request["staking"] = staking[0]
    if unit is not None and not any(_takes_unit(one) and one.get("unit") == unit for one in staking):
        names = ", ".join(f"«{one.get('system')}»" for one in staking)
        raise BankrollError(
            f"--unit is for systems that have a unit and do not bring their own, none of which is here: {names}",
            pointer="/staking/unit",
        )


def _takes_unit(staking: Mapping[str, Any]) -> bool:
    """Has the system a unit? An unknown one is refused by name, later."""
    system = SYSTEMS.get(str(staking.get("system")))
    return system is None or "unit" in system.required


def _system(text: str, unit: int | None) -> Request:
    """A staking system as an option says it: its name, with a value of its own option behind it, or JSON."""
    if text.startswith("{"):
        try:
            found: Request = json.loads(text)
        except ValueError:
            raise BankrollError(f"--system is not JSON: {text[:60]!r}") from None
    else:
        found = _by_name(*text.partition(":"))
    if "unit" in found or not _takes_unit(found):
        return found
    if unit is None and found.get("system") in SYSTEMS:
        raise BankrollError(
            f"say what «{found['system']}» stakes first: --unit CHIPS", pointer="/staking/unit"
        )
    return {"system": found.get("system"), "unit": unit, **found}


def _by_name(name: str, colon: str, value: str) -> Request:
    """NAME or NAME:VALUE. Raises BankrollError: the system has no such option, several, or cannot do without."""
    system = SYSTEMS.get(name)
    if system is None:  # refused by name later
        return {"system": name}
    if not colon:
        needed = [option for option in system.required if option != "unit"]
        if len(needed) > 1:
            raise BankrollError(f"«{name}» needs {', '.join(needed)}: write it as JSON", pointer="/staking")
        if needed:
            raise BankrollError(
                f"«{name}» needs its {needed[0]} behind it: --system {name}:1/50",
                pointer=f"/staking/{needed[0]}",
            )
        return {"system": name}
    if len(system.options) != 1:
        only = (
            "no option of its own"
            if not system.options
            else f"{len(system.options)} options: write it as JSON"
        )
        raise BankrollError(f"«{name}» has {only}, so nothing can stand behind it", pointer="/staking")
    [(option, schema)] = system.options.items()
    return {"system": name, option: _value(option, schema, value)}


def _value(option: str, schema: Mapping[str, Any], text: str) -> Any:
    """The value of a system's option: a whole number, whole numbers with commas between, or a text as it is."""
    kind = schema.get("type")
    if kind not in ("integer", "array"):
        return text
    parts = text.split(",") if kind == "array" else [text]
    if not all(part.isascii() and part.isdigit() and len(part) <= 12 for part in parts):
        wanted = "whole numbers with commas between" if kind == "array" else "a whole number"
        raise BankrollError(f"must be {wanted}, not {text[:40]!r}", pointer=f"/staking/{option}")
    numbers = [int(part) for part in parts]
    return numbers if kind == "array" else numbers[0]


def _check_whole(request: Request) -> None:
    """What every experiment needs is there. Raises BankrollError, which names the option."""
    grid = _grid(request)
    if "staking" not in request and "staking" not in grid:
        raise BankrollError(
            "say how he stakes: --unit CHIPS for flat stakes, or --system", pointer="/staking"
        )
    if "bankroll" not in request and "bankroll" not in grid:
        raise BankrollError("say with how much he sits down: --bankroll CHIPS", pointer="/bankroll")
    stops = _object(request, "stops")
    if "coups" in stops or "stops" in grid or "stops/coups" in grid:
        return
    others = ", ".join(f"--{name.replace('_', '-')}" for name in stops)
    raise BankrollError(
        f"say how many coups a session may have at most: --coups N, beside {others}, which may never come true"
        if others
        else "say how long a session may be: --coups N (and beside it --win, --loss … as you like)",
        pointer="/stops/coups",
    )


def _limits(text: str) -> Request:
    span, _, step = text.partition("/")
    low, _, high = span.partition("-")
    parts = (low, high, step or "1")
    if not all(part.isdecimal() for part in parts):
        raise BankrollError(
            f"--limits is written MIN-MAX or MIN-MAX/STEP, such as 5-500/5, not {text[:40]!r}"
        )
    return dict(zip(("min", "max", "step"), map(int, parts), strict=True))


def _turns(text: str) -> Request:
    parts = text.split(":")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise BankrollError(f"--turns is written PLAYERS:COUPS:STAKE, such as 4:25:10, not {text[:40]!r}")
    return dict(zip(("players", "coups", "stake"), map(int, parts), strict=True))
