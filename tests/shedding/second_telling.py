"""The 104-card game written a second time, from the text alone and as plainly as can be: lists of texts, no tables.

Only chance is shared with the engine (the published stream of shuffles). What it says is compared with the engine
action by action.
"""

from casino.chance import shuffled

SUITS = {"spades": "S", "hearts": "H", "diamonds": "D", "clubs": "C"}
PENALTY = {"2": 2, "3": 3}


class Telling:
    """One deal: `may(seat)` gives the texts of a seat, `do(seat, text)` carries one out."""

    def __init__(self, hands, stock, pile, *, turn, seed):
        self.hands = [list(hand) for hand in hands]
        self.stock = list(stock)
        self.pile = list(pile)
        self.turn = turn
        self.seed = seed
        self.shuffles = 0
        self.penalty = 0
        self.demanded = None
        self.drew = False
        self.naming = False
        self.unsaid = None
        self.out = []
        self.passed = []
        self.over = False

    def may(self, seat):
        texts = set(self.may_in_turn(seat)) if seat == self.turn and not self.over else set()
        if self.unsaid is not None and not self.over and seat not in self.out:
            texts.add("macao" if seat == self.unsaid else f"catch {self.unsaid}")
        return texts

    def may_in_turn(self, seat):
        top = self.pile[-1]
        hand = self.hands[seat]
        if self.naming:
            return [f"name {suit}" for suit in SUITS]
        if self.penalty:
            answers = [card for card in hand if card[0] == top[0] and (top[0] in PENALTY or card == "KH")]
            return [f"play {card}" for card in answers] + ["accept"]
        plays = [f"play {card}" for card in hand if self.fits(card, top)]
        if self.drew:
            return [*plays, "end"]
        if self.stock or len(self.pile) > 1:
            return [*plays, "draw"]
        return plays or ["pass"]

    def fits(self, card, top):
        if card[0] in "9A":
            return True
        if self.demanded:
            return card[1] == self.demanded
        return card[0] == top[0] or card[1] == top[1]

    def do(self, seat, text):
        verb, _, rest = text.partition(" ")
        if verb == "macao":
            self.unsaid = None
            return
        if verb == "catch":
            caught, self.unsaid = self.unsaid, None
            self.take(caught, 2)
            return
        if self.unsaid is not None and seat != self.unsaid:
            late, self.unsaid = self.unsaid, None
            self.take(late, 2)
        if verb != "pass":
            self.passed = []
        getattr(self, verb)(seat, rest)

    def take(self, seat, count):
        for _ in range(count):
            if not self.stock and len(self.pile) > 1:
                self.shuffles += 1
                self.stock = list(shuffled(self.pile[:-1], self.seed, self.shuffles))
                self.pile = self.pile[-1:]
            if self.stock:
                self.hands[seat].append(self.stock.pop(0))

    def play(self, seat, card):
        self.hands[seat].remove(card)
        self.pile.append(card)
        self.demanded = None
        last_answer = bool(self.out)
        self.penalty += PENALTY.get(card[0], 5 if card == "KH" else 0)
        if not self.hands[seat]:
            self.out.append(seat)
        elif len(self.hands[seat]) == 1:
            self.unsaid = seat
        if last_answer or (self.out and not self.penalty):
            self.over = True
        elif card[0] == "A" and self.hands[seat]:
            self.naming = True
        else:
            self.pass_on(seat)

    def name(self, seat, suit):
        self.demanded = SUITS[suit]
        self.naming = False
        self.pass_on(seat)

    def draw(self, seat, _):
        held = len(self.hands[seat])
        self.take(seat, 1)
        self.drew = True
        # Where a call unsaid has taken the last cards there is nothing left to draw, and the turn is over.
        if len(self.hands[seat]) == held or self.may_in_turn(seat) == ["end"]:
            self.pass_on(seat)

    def end(self, seat, _):
        self.pass_on(seat)

    def accept(self, seat, _):
        self.take(seat, self.penalty)
        self.penalty = 0
        if self.out:
            self.over = True
        else:
            self.pass_on(seat)

    def __getattr__(self, name):
        if name == "pass":
            return self.do_pass
        raise AttributeError(name)

    def do_pass(self, seat, _):
        self.passed.append(seat)
        if len(self.passed) == len(self.hands):
            self.over = True
        else:
            self.pass_on(seat)

    def pass_on(self, seat):
        self.drew = False
        self.turn = (seat + 1) % len(self.hands)
        while self.turn in self.out:
            self.turn = (self.turn + 1) % len(self.hands)

    def scores(self):
        return [sum(map(worth, hand)) for hand in self.hands]


def worth(card):
    if card == "KH" or card[0] == "A":
        return 50
    return {"2": 20, "3": 30, "9": 40}.get(card[0], 5 if card[0] in "45678" else 10)
