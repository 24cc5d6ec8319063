"""A second writing of the rules, from `rules/banking.md`, to hold settled coups against: plain, slow, by texts."""

TENS = "TJQK"


def value(card):
    return 0 if card[0] in TENS else 1 if card[0] == "A" else int(card[0])


def split(text, first):
    """Kept cards, and the zeros thrown before and after the first cards were kept."""
    kept, before, after = [], [], []
    for word in text.split():
        if word[0] == "(":
            (after if len(kept) >= first else before).append(word[1:-1])
        else:
            kept.append(word)
    return kept, before, after


class Hand:
    def __init__(self, text, options):
        self.kept, self.before, self.after = split(text, options["first_cards"])
        self.points = sum(map(value, self.kept)) % 10
        self.first = sum(map(value, self.kept[: options["first_cards"]])) % 10
        self.drew = len(self.kept) > options["first_cards"]
        counts = not self.before or options["natural_after_discard"]
        self.natural = not self.drew and self.points >= 7 and counts
        self.first_natural = self.first >= 7 and counts
        # What was dealt, before anything was thrown.
        self.dealt = 0 if self.before else self.first


def multiple(pays, points):
    return pays.get(str(points), 1)


def net(options, punter, banker):
    """Step 6, `punter` and `banker` as (points, natural)."""
    (p, p_natural), (b, b_natural) = punter, banker
    if p > b:
        return multiple(options["natural_pays"], p) if p_natural else 1
    if p < b:
        return -multiple(options["natural_takes"], b) if b_natural else -1
    if options["ties"] == "push":
        return 0
    applies = {"points": True, "banker_natural": b_natural, "punter_natural": p_natural}[
        options["tie_takes_on"]
    ]
    return -multiple(options["tie_takes"], p) if applies else -1


def nets(options, report):
    """The net of every seat of a settled coup."""
    hands = {seat: Hand(text, options) for seat, text in enumerate(report["hands"]) if text}
    banker = hands[report["banker"]]
    shown = banker.dealt in options["banker_natural_ends"] and not banker.before
    found = [0] * len(report["hands"])
    for seat, hand in hands.items():
        if seat == report["banker"]:
            continue
        ended = not shown and hand.natural and hand.points in options["punter_natural_ends"]
        against = (banker.dealt, banker.dealt >= 7) if ended else (banker.points, banker.natural)
        found[seat] = net(options, (hand.points, hand.natural), against)
    found[report["banker"]] = -sum(found)
    return found


def zero_left(hand, allowed):
    """Does the hand hold a zero as its last card that its side might have thrown?"""
    kind = "drawn" if hand.drew else "dealt"
    return value(hand.kept[-1]) == 0 and allowed in (kind, "both")


def check_hands(options, report):
    """Nobody has done what the rules forbid, or left undone what they demand (where cards never run out)."""
    hands = [(seat, Hand(report["hands"][seat], options)) for seat in report["played_by"]]
    *punters, (banker_seat, banker) = hands
    assert banker_seat == report["banker"]
    shown = not banker.before and not banker.drew and banker.first in options["banker_natural_ends"]
    for seat, hand in hands:
        own = options["banker_discards" if seat == banker_seat else "punter_discards"]
        assert all(value(card) == 0 for card in hand.before + hand.after)
        assert not hand.before or own in ("dealt", "both")
        assert not hand.after or own in ("drawn", "both")
        assert len(hand.kept) <= options["first_cards"] + options["max_draws"]
        assert not shown or (not hand.drew and not hand.before)
    met = []
    for _, hand in punters:
        ended = hand.first_natural and hand.first in options["punter_natural_ends"]
        met += [] if ended else [hand]
        if shown or ended:
            assert not hand.drew
            continue
        rule = options["punter_draw"][hand.first] if options["max_draws"] else "stand"
        assert rule != "draw" or hand.drew
        assert rule != "stand" or not hand.drew
    if not shown and met:
        check_banker(options, banker, punters)
    elif not shown:
        assert not banker.drew
        assert not banker.before


def check_banker(options, banker, punters):
    rule = options["banker_draw"]
    third = "none"
    if len(punters) == 1 and punters[0][1].drew:
        third = value(punters[0][1].kept[-1])
    if options["max_draws"] == 0 or rule == "never":
        letter, free = "S", False
    elif rule == "free":
        letter, free = "F", True
    elif "upto" in rule:
        letter, free = "D" if banker.first <= rule["upto"] else "S", False
    else:
        row = rule["tableau"][banker.first]
        letter, free = row[0 if third == "none" else third + 1], any("F" in line for line in rule["tableau"])
    assert letter != "D" or banker.drew
    assert letter != "S" or not banker.drew
    if not free:
        assert not zero_left(banker, options["banker_discards"]), "by rote every zero is thrown"
        first_zero = value(banker.kept[0]) == 0 and options["first_cards"] == 1
        assert not (first_zero and options["banker_discards"] in ("dealt", "both"))
