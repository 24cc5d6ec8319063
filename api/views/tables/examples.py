"""Examples of the document."""

from typing import Any, Final

TABLE_ID: Final = "tbl_01k3v9z6q8f3h2m4n5p6r7s8t9"
BANK_ID: Final = "bnk_01k3v9z6q9a1b2c3d4e5f6g7h8"
COUP_ID: Final = "cou_01k3v9z6qat2v3w4x5y6z7a8b9"
_HASH: Final = "7ec50b71" + "0" * 56
_AT: Final = "2030-01-31T12:00:00.000Z"

_BANK_NEEDED: Final[dict[str, Any]] = {
    "punters": 1,
    "punter": "textbook",
    "banker": "rules",
    "for_ever": {"0.01": {"stakes": 104, "chips": {"min": 520, "max": 52000}}},
    "coups": 52,
    "one_shoe": {"0.01": {"stakes": 26, "chips": {"min": 130, "max": 13000}}},
}
_Named = dict[str, tuple[str, dict[str, Any]]]
_ME: Final = {"kind": "me"}
NEW_TABLES: Final[_Named] = {
    "house": (
        "Banking: against the house, beside a bot; it begins at once.",
        {
            "game": "house",
            "seats": [_ME, {"kind": "bot", "policy": "textbook", "stake": 10, "name": "Boris"}],
        },
    ),
    "changed_rules": (
        "Banking: alone against the house, from four packs, stakes of 10 to 100; a minute for every turn.",
        {
            "game": "house",
            "options": {"decks": 4, "stake_limits": {"min": 10, "max": 100, "step": 10}},
            "turn_seconds": 60,
        },
    ),
    "rotating_bank": (
        "Banking: the bank goes round between you, a bot and a friend; it begins when he has come with the `invite`.",
        {
            "game": "russian-multiple",
            "bank": "rotates",
            "private": True,
            "seats": [_ME, {"kind": "open"}, {"kind": "bot", "policy": "textbook"}],
        },
    ),
    "shedding_match": (
        "Shedding: a match of Russian Macao to 500 points with two bots; who is out first takes the antes.",
        {
            "game": "russian-104",
            "seats": [_ME, {"kind": "bot"}, {"kind": "bot", "policy": {"name": "simple", "keep_wild": True}}],
            "target": 500,
            "ante": 10,
        },
    ),
    "peklo": (
        "Tricks: Пекло with two bots, for chips by points; spectators may watch what lies open.",
        {
            "game": "peklo",
            "seats": [_ME, {"kind": "bot"}, {"kind": "bot"}],
            "chips_per_point": 1,
            "max_points": 100,
            "spectators": True,
        },
    ),
    "practice": (
        "Practice: no chips and no ledger, and the seed is yours: the same seed deals the same cards.",
        {"game": "house", "stakes": "practice", "seed": 7, "turn_seconds": 0},
    ),
}
ACTS: Final[_Named] = {
    "one": ("One action; what you may do is in `legal` of the table.", {"action": "stake 10"}),
    "several": ("Several in order, all or none.", {"actions": ["seed 00ff", "stake 10", "stand"]}),
    "autoplay": (
        "A hundred coups by a policy, as by hand: for the only person at a banking table.",
        {"action": "autoplay", "stake": 10, "policy": "textbook", "coups": 100},
    ),
}

_SUMMARY: Final[dict[str, Any]] = {
    "id": TABLE_ID,
    "game": "house",
    "family": "banking",
    "rules_hash": _HASH,
    "version": 2,
    "phase": "stakes",
    "bank": "house",
    "stakes": "chips",
    "turn_seconds": 30,
    "private": False,
    "spectators": False,
    "created_at": _AT,
    "closed_at": None,
    "seats": [
        {"seat": 0, "kind": "player", "name": "Ada", "pending": False, "leaving": False, "you": True},
        {"seat": 1, "kind": "house", "name": "House", "pending": False, "leaving": False, "you": False},
    ],
}
TABLES: Final[dict[str, Any]] = {"tables": [_SUMMARY], "next": None}
TABLE: Final[dict[str, Any]] = {
    **_SUMMARY,
    "options": {"decks": 2},
    "engine": "macao 0.1.0",
    "server_time": _AT,
    "deadline": None,
    "events": 4,
    "you": {"seat": 0, "balance": 1000},
    "play": {"phase": "stakes", "banker": 1, "bank": 100000, "seats": []},
    "legal": [{"seed": {"max_bytes": 32}}, "sit", {"stake": {"min": 5, "max": 330, "step": 5}}],
    "last": None,
    "bank_needed": _BANK_NEEDED,
}
BANK: Final[dict[str, Any]] = {
    "id": BANK_ID,
    "table": TABLE_ID,
    "number": 1,
    "stakes_for": "chips",
    "banker": 1,
    "commitment": "0" * 64,
    "server_seed": None,
    "client_seeds": None,
    "put_up": 100000,
    "left_over": None,
    "reason": None,
    "opened_at": _AT,
    "closed_at": None,
    "revealed_at": None,
}
COUP: Final[dict[str, Any]] = {
    "id": COUP_ID,
    "table": TABLE_ID,
    "bank_id": BANK_ID,
    "number": 1,
    "status": "settled",
    "game": "house",
    "stakes_for": "chips",
    "opened_at": _AT,
    "settled_at": _AT,
    "you": {
        "seat": 0,
        "side": "punter",
        "stake": 10,
        "net": 30,
        "balance_before": 1000,
        "balance_after": 1030,
    },
    "replay": True,
    "hands": ["9H", "3D 5S"],
    "points": [9, 8],
    "stakes": [10, 0],
    "net": [3, -3],
    "chips": [30, -30],
}

_EVENT: Final[dict[str, Any]] = {
    "n": 5,
    "at": _AT,
    "type": "staked",
    "coup": 1,
    "seat": 0,
    "data": {"coup": 1, "amount": 10, "by": "player"},
}
EVENTS: Final[dict[str, Any]] = {"events": [_EVENT], "last": 5}
STREAM: Final = 'id: 5\nevent: staked\ndata: {"n": 5, "type": "staked"}\n\n'
PROOF: Final[dict[str, Any]] = {
    "version": "macao-1",
    "table": TABLE_ID,
    "bank": BANK_ID,
    "number": 1,
    "rules": {"decks": 2},
    "commitment": "0" * 64,
    "server_seed": "0" * 64,
    "client_seeds": ["", ""],
    "shuffles": [],
    "seats": 2,
    "banker": 1,
    "coups": [],
    "draws": None,
    "digest": "0" * 64,
}
COUPS_CSV: Final = (
    "table,bank,coup,number,status,settled_at,seat,side,stake,hand,points,natural,net,chips,stakes_for\r\n"
    f"{TABLE_ID},{BANK_ID},{COUP_ID},1,settled,{_AT},0,punter,10,9H,9,True,3,30,chips\r\n"
)
COUPS_NDJSON: Final = f'{{"id":"{COUP_ID}","number":1,"status":"settled"}}\n'
_WORTH: Final[dict[str, Any]] = {
    "side": "punter",
    "unit": "stakes",
    "ev": {"draw": {"float": -0.429808}, "stand": {"float": -0.487324}},
    "best": "draw",
    "against": {"1": "rules"},
    "unexpected": [],
    "notes": [],
}
ADVICE: Final[dict[str, Any]] = {
    "table": TABLE_ID,
    "version": 7,
    "coup": 1,
    "seat": 0,
    **_WORTH,
    "cost": {"draw": {"num": "0", "den": "1", "float": 0.0}, "stand": {"float": 0.057516}},
    "unseen": {"0": 32, "5": 7},
    "rules_hash": "0" * 64,
    "engine": "macao 0.1.0",
}
COUP_COST: Final[dict[str, Any]] = {
    "coup": COUP_ID,
    "table": TABLE_ID,
    "number": 1,
    "choices": [{"seat": 0, "action": "stand", "by": "player", **_WORTH, "cost": {"float": 0.057516}}],
    "cost_in_chips": {"0": {"float": 0.57516}},
    "rules_hash": "0" * 64,
}
DEAL_ID: Final = "dea_01k3v9z6qat2v3w4x5y6z7a8b9"
DEAL: Final[dict[str, Any]] = {
    "id": DEAL_ID,
    "table": TABLE_ID,
    "bank_id": BANK_ID,
    "number": 1,
    "status": "settled",
    "game": "russian-104",
    "stakes_for": "chips",
    "opened_at": _AT,
    "settled_at": _AT,
    "you": {
        "seat": 0,
        "side": "player",
        "stake": 10,
        "net": 10,
        "balance_before": 1000,
        "balance_after": 1010,
    },
    "replay": True,
    "dealer": 1,
    "hands": [["5S", "8S", "9S", "QC", "KH"], ["2D", "4C", "7H", "JD", "JS"]],
    "turned": ["3D"],
    "scores": [0, 35],
    "winners": [0],
    "reason": "out",
    "totals": [0, 35],
    "won": [1, 0],
    "stake": 10,
    "chips": [10, -10],
    "rules_hash": _HASH,
    "engine": "macao 0.1.0",
}
DEALS_NDJSON: Final = f'{{"id":"{DEAL_ID}","number":1,"status":"settled"}}\n'
RECORD: Final = (
    'macao record 1\ngame russian-104\nseats 2\nseed 00ff\nsetup {"deal": {"number": 1, "dealer": 1}}\n'
    "option packs 2\n\nshuffle 5S 2D 8S …\n0 play 8S\n1 draw\n"
)
MATCH_PROOF: Final[dict[str, Any]] = {
    "version": "macao-1",
    "game": "russian-104",
    "options": {"packs": 2},
    "seats": 2,
    "table": TABLE_ID,
    "commitment": "0" * 64,
    "server_seed": "0" * 64,
    "client_seeds": ["", ""],
    "deals": [],
    "totals": [0, 0],
    "ended_by": "target",
    "digest": "0" * 64,
}
