"""The eight invariants of `api.md`, «Money», checked from the rows alone: a second, independent auditor.

It shares no code with the service: sums, hashes and holds are worked out here from `docs/ledger.md` and from
`table.md`, «Money of a coup»; the outcome of a coup by the referee of `tests/banking`, from the hands. Every fault
begins with the number of the invariant that it breaks.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.api.fire.book import Book, Json, read
from tests.banking.referee import nets

MINT = 1
_TRICKS = ("peklo", "oh-hell", "oh_hell")  # most points win; at all others the fewest
Moves = Counter[tuple[str, str, int, str]]


class Fault(NamedTuple):
    """A broken invariant, by its number, and where."""

    invariant: int
    text: str


def faults(url: str) -> list[Fault]:
    """Everything that is wrong in a database in which nobody is writing."""
    book = read(url)
    return [fault for check in CHECKS for fault in check(book)]


# 1 and 2: sums and running balances


def check_sums(book: Book) -> Iterator[Fault]:
    """The sum is 0; each balance is that of its entries, and the last one noted; only the mint is negative."""
    running = dict.fromkeys(book.accounts, 0)
    for row in book.transfers:
        for account, change, after in (
            (row["source"], -row["amount"], row["source_after"]),
            (row["target"], row["amount"], row["target_after"]),
        ):
            running[account] += change
            if running[account] != after:
                yield Fault(1, f"transfer {row['seq']}: account {account} {running[account]}, noted {after}")
            if after < 0 and account != MINT:
                yield Fault(2, f"transfer {row['seq']}: account {account} {after}")
    for number, account in book.accounts.items():
        if account["balance"] != running[number]:
            yield Fault(1, f"account {number} holds {account['balance']}, its entries make {running[number]}")
        if account["balance"] < 0 and number != MINT:
            yield Fault(2, f"account {number} ({account['kind']}) holds {account['balance']}")
    if total := sum(account["balance"] for account in book.accounts.values()):
        yield Fault(1, f"all accounts make {total}")


# 3, 4, 6 and 7: coups


class Terms(NamedTuple):
    """What a stake may lose and win at worst, in stakes."""

    loss: int
    payout: int


def terms_of(options: Json) -> Terms:
    """From the maps of the rules: `rules/banking.md`, steps 1 and 6."""
    takes = options["natural_takes"], options["tie_takes"] if options["ties"] == "banker" else {}
    return Terms(
        max([1, *(most for pairs in takes for most in pairs.values())]),
        max([1, *options["natural_pays"].values()]),
    )


def stake_moves(terms: Terms, stake: int) -> Moves:
    """`table.md`: stake × worst loss from the wallet, the worst payout from the bank."""
    return Counter(
        [("player", "escrow", stake * terms.loss, "stake"), ("bank", "escrow", stake * terms.payout, "stake")]
    )


def end_moves(terms: Terms, stake: int, net: int, kind: str) -> Moves:
    """What brings a stake back that has won `net` stakes (lost, if negative)."""
    back = ("escrow", "player", stake * (terms.loss + net), kind)
    kept = ("escrow", "bank", stake * (terms.payout - net), kind)
    return Counter(move for move in (back, kept) if move[2])


def outcome(net: int) -> str:
    """What a stake ends as."""
    return "win" if net > 0 else "loss" if net < 0 else "push"


def check_coups(book: Book) -> Iterator[Fault]:
    """Every coup and deal for chips, by what it says of itself and by the transfers that name it."""
    staked = _amounts_staked(book)
    for coup in book.coups.values():
        table = book.tables[coup["table_id"]]
        if table["stakes"] == "practice":
            continue
        rows = book.of_coup.get(coup["id"], [])
        stakes = [row for row in rows if row["kind"] == "stake"]
        ends = [row for row in rows if row["kind"] != "stake"]
        yield from _accounts_of_coup(book, coup, stakes, ends)
        if table["bank"] is None:
            yield from _check_deal(book, coup, table, stakes, ends)
        else:
            amounts = staked[coup["table_id"], coup["number"]]
            yield from _check_stakes(book, coup, terms_of(table["options"]), amounts, stakes)
            yield from _check_ends(book, coup, table, amounts, ends)
        yield from _check_clear(coup, rows, book)


def _amounts_staked(book: Book) -> dict[tuple[str, int], list[int]]:
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for table, events in book.events.items():
        for event in events:
            if event["type"] == "staked":
                found[table, event["coup"]].append(event["data"]["amount"])
    return found


def _check_stakes(
    book: Book, coup: Json, terms: Terms, amounts: list[int], rows: list[Json]
) -> Iterator[Fault]:
    wanted = sum((stake_moves(terms, amount) for amount in amounts), Moves())
    found = Counter(map(book.moved, rows))
    for source, invariant, word in (("player", 3, "held"), ("bank", 6, "covered")):
        due = {move: count for move, count in wanted.items() if move[0] == source}
        done = {move: count for move, count in found.items() if move[0] == source}
        if due != done:
            yield Fault(invariant, f"{coup['id']}: {word} {done}, to be {due}")


def _check_ends(book: Book, coup: Json, table: Json, amounts: list[int], rows: list[Json]) -> Iterator[Fault]:
    found, terms, record = Counter(map(book.moved, rows)), terms_of(table["options"]), coup["record"]
    wanted = Moves()
    if coup["status"] == "voided":
        wanted = sum((end_moves(terms, amount, 0, "void") for amount in amounts), Moves())
    elif coup["status"] == "settled":
        if Counter(filter(None, record["stakes"])) != Counter(amounts):
            yield Fault(3, f"{coup['id']}: staked {amounts}, settled {record['stakes']}")
        judged = nets(table["options"], record)
        if judged != record["net"]:
            yield Fault(4, f"{coup['id']}: {record['hands']} make {judged}, not {record['net']}")
        for stake, net in zip(record["stakes"], judged, strict=True):
            if stake:
                wanted += end_moves(terms, stake, net, outcome(net))
    if found != wanted:
        invariant = 7 if coup["status"] != "settled" else 3
        yield Fault(invariant, f"{coup['id']} ({coup['status']}): ended {dict(found)}, to be {dict(wanted)}")


def _accounts_of_coup(book: Book, coup: Json, stakes: list[Json], ends: list[Json]) -> Iterator[Fault]:
    """A stake ends once, at the account that it came from."""
    came = Counter(row["source"] for row in stakes if book.kind(row["source"]) == "player")
    went = Counter(row["target"] for row in ends if book.kind(row["target"]) == "player")
    if went - came:
        yield Fault(3, f"{coup['id']}: staked by {dict(came)}, ended at {dict(went)}")


def _check_deal(book: Book, coup: Json, table: Json, stakes: list[Json], ends: list[Json]) -> Iterator[Fault]:
    """A deal of a match: all hold the same, and get it back with what they won or lost."""
    settings, found = table["settings"], Counter(map(book.moved, stakes))
    (seats,) = (
        len(event["data"]["hand_sizes"])
        for event in book.events[table["id"]]
        if event["type"] == "dealt" and event["coup"] == coup["number"]
    )
    held = hold_of_deal(settings, seats)
    if found != Counter({("player", "escrow", held, "stake"): seats} if held else {}):
        yield Fault(3, f"{coup['id']}: {seats} seats held {dict(found)}, each to hold {held}")
    wanted = Moves()
    if coup["status"] == "settled":
        chips = match_nets(settings, coup["record"], fewest=table["game"] not in _TRICKS)
        if chips != coup["record"]["chips"]:
            yield Fault(4, f"{coup['id']}: its scores make {chips}, not {coup['record']['chips']}")
        wanted = Counter(("escrow", "player", held + net, outcome(net)) for net in chips if held + net)
    if Counter(map(book.moved, ends)) != wanted:
        yield Fault(
            3 if coup["status"] == "settled" else 7, f"{coup['id']}: ended otherwise than {dict(wanted)}"
        )


def hold_of_deal(settings: Json, seats: int) -> int:
    """`table.md`: the ante, and the most that points may cost a seat, are held beforehand."""
    points: int = settings["chips_per_point"] * settings["max_points"] * (seats - 1)
    return points + int(settings["ante"])


def match_nets(settings: Json, record: Json, *, fewest: bool) -> list[int]:
    """`table.md`: the winners share the pot, the odd chip to the lowest seat; each pays each the difference."""
    scores, winners = record["scores"], sorted(record["winners"])
    share, odd = divmod(settings["ante"] * len(scores), len(winners))
    found = []
    for seat, score in enumerate(scores):
        lead = [max(-settings["max_points"], min(score - other, settings["max_points"])) for other in scores]
        points = -sum(lead) if fewest else sum(lead)
        pot = share * (seat in winners) + odd * (seat == winners[0]) - settings["ante"]
        found.append(pot + points * settings["chips_per_point"])
    return found


def _check_clear(coup: Json, rows: list[Json], book: Book) -> Iterator[Fault]:
    """What is over has nothing in escrow, and made no chip."""
    left = sum(
        row["amount"] * ((book.kind(row["target"]) == "escrow") - (book.kind(row["source"]) == "escrow"))
        for row in rows
    )
    if coup["status"] != "open" and left:
        yield Fault(4, f"{coup['id']} is {coup['status']} and has {left} chips in escrow")
    if coup["status"] == "settled" and sum(coup["record"]["chips"]):
        yield Fault(4, f"{coup['id']} nets to {sum(coup['record']['chips'])}")


def check_results(book: Book) -> Iterator[Fault]:
    """What a coup was to a player is what it says of his seat."""
    for row in book.rows["coup_results"]:
        coup = book.coups[row["coup_id"]]
        if coup["status"] != "settled" or coup["record"]["chips"][row["seat"]] != row["net"]:
            yield Fault(4, f"{coup['id']}: seat {row['seat']} is told {row['net']}")
        if row["balance_before"] + row["net"] != row["balance_after"]:
            yield Fault(4, f"{coup['id']}: seat {row['seat']}: before, net and after do not add up")


def check_places(book: Book) -> Iterator[Fault]:
    """Escrows hold chips of open coups only, banks of open banks."""
    escrow: dict[str, int] = defaultdict(int)
    chest: dict[str | None, int] = defaultdict(int)
    for row in book.transfers:
        for account, change in ((row["source"], -row["amount"]), (row["target"], row["amount"])):
            if book.kind(account) == "escrow":
                escrow[row["coup_id"]] += change
            elif book.kind(account) == "bank":
                chest[row["bank_id"]] += change
    status = {name: coup["status"] for name, coup in book.coups.items()}
    for coup, chips in escrow.items():
        if chips and status.get(coup) != "open":
            yield Fault(4, f"{coup} has {chips} chips in escrow and is {status.get(coup)}")
    ended = {bank["id"] for bank in book.rows["banks"] if bank["closed_at"] is not None}
    for bank, chips in chest.items():
        if chips and (bank is None or bank in ended):
            yield Fault(7, f"bank {bank} is over and holds {chips}")


def check_ends(book: Book) -> Iterator[Fault]:
    """Nothing is open at a closed table, nothing lies there, nor with a player who is gone."""
    still = [row for row in book.rows["coups"] if row["status"] == "open"]
    still += [row for row in book.rows["banks"] if row["closed_at"] is None]
    for row in still:
        if book.tables[row["table_id"]]["phase"] == "closed":
            yield Fault(7, f"{row['id']} is open at a closed table")
    gone = {player["id"] for player in book.rows["players"] if player["deleted_at"] is not None}
    for number, account in book.accounts.items():
        table = book.tables.get(account["table_id"])
        if account["balance"] and table is not None and table["phase"] == "closed":
            yield Fault(
                7, f"account {number} ({account['kind']}) of a closed table holds {account['balance']}"
            )
        if account["balance"] and account["player_id"] in gone:
            yield Fault(7, f"account {number} of a deleted player holds {account['balance']}")


# 8: replaying from nothing


def check_chain(book: Book) -> Iterator[Fault]:
    """Every hash again, from the text of `docs/ledger.md`."""
    names = "seq id at source target amount kind table_id bank_id coup_id parent_id source_after target_after"
    last, seq = bytes(32), 0
    for row in book.transfers:
        seq += 1
        content = "\n".join("" if row[name] is None else str(row[name]) for name in names.split())
        digest = hashlib.sha256(b"macao transfer 1\x00" + last + content.encode()).digest()
        if row["seq"] != seq or row["previous"] != last or row["hash"] != digest:
            yield Fault(8, f"transfer {row['seq']}: number, hash before or hash is not that of a replay")
        last = digest
    (head,) = book.rows["chain_head"]
    if (head["seq"], head["hash"]) != (seq, last):
        yield Fault(8, f"the head is {head['seq']}, a replay ends with {seq}")


def check_replay(book: Book) -> Iterator[Fault]:
    """The events of every table, told again from the first: the same chips, in the same order."""
    for name, table in book.tables.items():
        events = book.events.get(name, [])
        if [event["n"] for event in events] != list(range(1, table["last_event"] + 1)):
            yield Fault(8, f"{name}: events are not 1 to {table['last_event']}")
        if table["stakes"] == "practice":
            continue
        told = [step for event in events for step in _told(table, event) if step]
        rows = [row for row in book.of_table.get(name, []) if row["kind"] not in ("bot_loan", "bot_return")]
        at = 0
        for step in told:
            size = step.total()
            if Counter(map(book.moved, rows[at : at + size])) != step:
                found = list(map(book.moved, rows[at : at + size]))
                yield Fault(8, f"{name}: events tell {dict(step)}, transfers {found}")
                break
            at += size
        else:
            if at != len(rows):
                yield Fault(8, f"{name}: {len(rows) - at} transfers that no event tells of")


def _told(table: Json, event: Json) -> list[Moves]:
    data, kind = event["data"], event["type"]
    if table["bank"] is None:
        return _told_of_match(table, event)
    terms = terms_of(table["options"])
    match kind:
        case "bank" | "topped":
            return [Counter([("player", "bank", data["amount"], "bank" if kind == "bank" else "top")])]
        case "bank_over":
            return [Counter([("bank", "player", data["left"], "rest")] if data["left"] else [])]
        case "staked":
            return [stake_moves(terms, data["amount"])]
        case "settled":
            pairs = zip(data["stakes"], data["net"], strict=True)
            return [sum((end_moves(terms, s, net, outcome(net)) for s, net in pairs if s), Moves())]
        case "voided":
            return [sum((end_moves(terms, s, 0, "void") for s in data["stakes"] if s), Moves())]
    return []


def _told_of_match(table: Json, event: Json) -> list[Moves]:
    """The stakes of a deal go to and from the escrow with the events that open and score it."""
    settings, data = table["settings"], event["data"]
    if event["type"] == "dealt":
        seats = len(data["hand_sizes"])
        held = hold_of_deal(settings, seats)
        return [Counter({("player", "escrow", held, "stake"): seats}) if held else Moves()]
    if event["type"] == "scored":
        chips = data["chips"]
        held = hold_of_deal(settings, len(chips))
        return [Counter(("escrow", "player", held + net, outcome(net)) for net in chips if held + net)]
    return []


CHECKS: tuple[Callable[[Book], Iterator[Fault]], ...] = (
    check_sums,
    check_coups,
    check_results,
    check_places,
    check_ends,
    check_chain,
    check_replay,
)
