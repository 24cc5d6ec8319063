"""Compiled odds with one first card: the forms of `analysis.rote`, for one shoe or many.

All weights are ordered ways over one denominator n(n - 1)… as long as nobody throws zeros: whole numbers, exact in
floats, for 416 cards and nets up to 100 below 2^53. With discards they are put on the same denominator by quotients
near 1, and what a float loses is a few units in the last place of the largest net.
Importing this module imports numba: import it where a kernel is used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import called, uncounted

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Triple = tuple[float, float, float]

STAND, DREW, PLAYED, SHOWN = range(4)  # parts of the lines of a coup
PARTS = 4
BEST = 2


class Cards(NamedTuple):
    """Rules and policies as the kernels take them. A *form* is a finished hand of the punter and a column of the
    banker's table; a *layer* is a payoff: layer 0 the net and, where distributions are asked, 1 for one outcome each.

    `stood[level, card]`, `drawn[card, third]`: number of the form. By level (first card dealt; one that replaced a
    zero), layer and form: `stand`, `zero`, `other` (P = Q + Q'), over kept cards that are no zeros.
    `kept[layer, form]` = (standing on a zero, drawing a zero to it), `kept_other` drawing another card to it.
    `shown[card, layer]` and `met[card, layer]`: a punter's first card against the banker's that do and do not end the
    coup; `asks[points]`: the banker's that do not. `ends[level, card]`: the punter's natural is shown. What he does
    is `choice[level, card]`: 0 stands, 1 draws, 2 as is best. `may[card]` = (stand, draw): is it allowed?
    `throws`: zeros the banker throws, dealt and drawn; the punter, dealt and drawn (2: as is best); and may the punter
    throw a dealt one?
    """

    gone: int
    banker_draws: int
    punter_draws: int
    stood: Ints
    drawn: Ints
    stand: Floats
    zero: Floats
    other: Floats
    kept: Floats
    kept_other: Floats
    shown: Floats
    met: Floats
    asks: Ints
    ends: Ints
    choice: Ints
    may: Ints
    throws: Ints


class Room(NamedTuple):
    """Room for the work on one shoe.

    By level, layer and form: `line` = the forms (stand, zero, other) summed over the shoe, `less` = what the last of
    them loses by a card of the punter's, P N less P_xx. `kept[layer, form]`: `kept_other` summed. By level, card and
    layer, three coefficients each: `stood`, and `drew[card, (zero, another), layer]`. `counts` of cards that are no
    zeros; `rote[held]`, what a banker who throws zeros by rote divides by with 0, 1, 2 of them held; `chance[thrown]`
    of so many zeros in a row; `lines` and `more` as `one_card` fills them.
    """

    line: Floats
    less: Floats
    kept: Floats
    stood: Floats
    drew: Floats
    counts: Floats
    rote: Floats
    chance: Floats
    lines: Floats
    more: Floats


@called
def _sum_forms(cards: Cards, counts: Floats, room: Room) -> None:
    """All forms over the whole shoe (`counts[0]` = 0: zeros are left out)."""
    _, layers, forms, _ = cards.stand.shape
    for layer in range(layers):
        for form in range(forms):
            for level in range(2 if cards.throws[0] else 1):
                line = room.line[level, layer, form]
                line[0] = _dot(counts, cards.stand[level, layer, form])
                if cards.banker_draws:
                    line[1] = _dot(counts, cards.zero[level, layer, form])
                    pairs, less = cards.other[level, layer, form], room.less[level, layer, form]
                    line[2] = _pairs(counts, pairs, cards.gone, less)
            if cards.banker_draws:
                room.kept[layer, form] = _dot(counts, cards.kept_other[layer, form])


@called
def _dot(counts: Floats, row: Floats) -> float:
    found = 0.0
    for b in range(1, 10):
        found += counts[b] * row[b]
    return found


@called
def _pairs(counts: Floats, pairs: Floats, gone: int, less: Floats) -> float:
    """Σ Q_be R_b (R_e - [b = e]) with `pairs` = Q + Q'; fills `less`."""
    found = 0.0
    for b in range(1, 10):
        row = _dot(counts, pairs[b])
        less[b] = row - pairs[b, b]
        found += 0.5 * counts[b] * (row - gone * pairs[b, b])
    return found


@called
def _finish(flags: tuple[int, int, int, int], others: float, dealt: Triple, after: Triple) -> Triple:
    """The banker's turn as a quadratic in the zeros left, over t(t - 1) · rote: `rote._quadratic`.

    `flags` = (gone, he may draw, throws dealt zeros, throws drawn ones); `others` are the cards left that are no
    zeros; `dealt` the forms of a first card that is none, `after` those of one that replaced a zero or is one.
    """
    gone, draws, throws_dealt, throws_drawn = flags
    rest = others - gone if draws else 1.0
    rote = others * rest if throws_dealt or throws_drawn else 1.0
    stand, zero, other = dealt
    by_rest, alone, by_zeros = stand * rote, other * rote, zero * rote
    if throws_drawn:
        by_rest, alone, by_zeros = by_rest + other * others, 0.0, 0.0
    stand, zero, other = after
    after_rest = stand * (rest if throws_dealt else rote)
    after_alone = after_zeros = 0.0
    if throws_drawn:
        after_rest += other if throws_dealt else other * rest
    elif throws_dealt:
        after_alone, after_zeros = other * others, zero * rest
    else:
        after_alone, after_zeros = other * rote, zero * rote
    if not draws:
        return by_rest, after_rest, 0.0
    return (
        by_rest * rest + alone,
        by_rest + by_zeros + after_rest * rest + after_alone - gone * after_zeros,
        after_rest + after_zeros,
    )


@called
def _turns(cards: Cards, counts: Floats, total: float, room: Room) -> None:
    """All turns of the banker, weighted by the ways of the punter's cards that are no zeros."""
    gone, draws, throws = cards.gone, cards.banker_draws, cards.throws
    flags = gone, draws, throws[0], throws[1]
    for layer in range(cards.stand.shape[1]):
        for c in range(10):
            ways, held = (counts[c], gone) if c else (1.0, 0)
            for level in range(2 if throws[4] else 1):
                dealt, after = _forms(cards, room, layer, cards.stood[level, c], c, 0)
                turn = _finish(flags, total - held, dealt, after)
                for power in range(3):
                    room.stood[level, c, layer, power] = ways * turn[power]
            if not cards.may[c, 1]:
                continue
            dealt, after = _forms(cards, room, layer, cards.drawn[c, 0], c, 0)
            turn = _finish(flags, total - held, dealt, after)
            for power in range(3):
                room.drew[c, 0, layer, power] = ways * turn[power]
            s0 = s1 = s2 = a0 = a1 = a2 = 0.0
            for d in range(1, 10):
                third = counts[d] - (gone if c == d else 0)
                dealt, after = _forms(cards, room, layer, cards.drawn[c, d], c, d)
                s0, s1, s2 = s0 + third * dealt[0], s1 + third * dealt[1], s2 + third * dealt[2]
                a0, a1, a2 = a0 + third * after[0], a1 + third * after[1], a2 + third * after[2]
            turn = _finish(flags, total - held - gone, (s0, s1, s2), (a0, a1, a2))
            for power in range(3):
                room.drew[c, 1, layer, power] = ways * turn[power]


@called
def _forms(cards: Cards, room: Room, layer: int, form: int, c: int, d: int) -> tuple[Triple, Triple]:
    """Forms of a first card that is no zero, and of one that replaced a zero or is one, the punter's cards c and d
    (0: none) taken out.
    """
    gone = cards.gone
    dealt = _form(cards, room, 0, layer, form, c, d)
    if cards.throws[0]:
        return dealt, _form(cards, room, 1, layer, form, c, d)
    stand = cards.kept[layer, form, 0]
    if not cards.banker_draws:
        return dealt, (stand, 0.0, 0.0)
    lost = cards.kept_other[layer, form, c] + cards.kept_other[layer, form, d]
    return dealt, (stand, cards.kept[layer, form, 1], room.kept[layer, form] - gone * lost)


@called
def _form(cards: Cards, room: Room, level: int, layer: int, form: int, c: int, d: int) -> Triple:
    """(standing, drawing a zero, drawing another card) at one level."""
    gone = cards.gone
    stand = room.line[level, layer, form, 0]
    stand -= gone * (cards.stand[level, layer, form, c] + cards.stand[level, layer, form, d])
    if not cards.banker_draws:
        return stand, 0.0, 0.0
    zero = room.line[level, layer, form, 1]
    zero -= gone * (cards.zero[level, layer, form, c] + cards.zero[level, layer, form, d])
    other = room.line[level, layer, form, 2]
    lost = room.less[level, layer, form, c] + room.less[level, layer, form, d]
    return stand, zero, other - gone * (lost - cards.other[level, layer, form, c, d])


@called
def _add(turn: Floats, zeros: float, weight: float, out: Floats) -> None:
    """Add weight · (quadratics at `zeros`) to `out`, by layers."""
    for layer in range(out.size):
        out[layer] += weight * (turn[layer, 0] + zeros * (turn[layer, 1] + zeros * turn[layer, 2]))


@called
def _first_cards(pays: Floats, counts: Floats, lost: int, zeros: float, weight: float, out: Floats) -> None:
    """Add `pays[layer, b]` over the banker's first cards b, one fewer of `lost`, nobody drawing."""
    for b in range(10):
        left = weight * (zeros if b == 0 else counts[b] - (b == lost))
        for layer in range(out.size):
            out[layer] += left * pays[layer, b]


@called
def _drew(
    throws: int, turns: Floats, zeros: tuple[float, float], weights: tuple[float, float], out: Floats
) -> None:
    """Value of drawing a zero or another card; `zeros` left and `weights` of either. `out` comes in as the value with
    one drawn zero more thrown.
    """
    keep = 0.0
    for layer in range(out.size):
        for third in range(1, -1, -1):
            turn = turns[third, layer]
            keep = weights[third] * (turn[0] + zeros[third] * (turn[1] + zeros[third] * turn[2]))
            if third:
                rest = keep
        if layer == 0:
            thrown = throws == 1 or (throws == BEST and out[0] >= keep)
        out[layer] = rest + (out[layer] if thrown else keep)


@called
def _choose(choice: Ints, throws: int, lines: Floats, more: Floats) -> None:
    """Fill PLAYED from STAND and DREW; a zero first dealt is worth `more` if it is thrown."""
    for c in range(10):
        draws = choice[c] == 1 or (choice[c] == BEST and lines[DREW, c, 0] > lines[STAND, c, 0])
        for layer in range(more.size):
            lines[PLAYED, c, layer] = lines[DREW if draws else STAND, c, layer]
    if throws == 1 or (throws == BEST and more[0] >= lines[PLAYED, 0, 0]):
        for layer in range(more.size):
            lines[PLAYED, 0, layer] = more[layer]


@called
def _falling(cards: float, length: int, gone: int) -> float:
    """n(n - 1)… over `length` cards."""
    found = 1.0
    for used in range(length):
        found *= cards - used * gone
    return found


@called
def _prepare(cards: Cards, shoe: Ints, room: Room) -> int:
    """Fill `counts`, `rote` and `chance`; clear the lines. Gives the most zeros that may be thrown."""
    n, others, gone = 0, 0, cards.gone
    for points in range(10):
        n += shoe[points]
        others += shoe[points] if points else 0
        room.counts[points] = shoe[points] if points else 0
    for held in range(3):
        left = others - held * gone
        rote = left * (left - gone if cards.banker_draws else 1)
        room.rote[held] = 1 / rote if (cards.throws[0] or cards.throws[1]) and rote else 1.0
    most = shoe[0] if cards.throws[4] or cards.throws[3] else 0
    room.chance[0] = 1
    for q in range(most):
        room.chance[q + 1] = room.chance[q] * (shoe[0] - q) / (n - q)
    for layer in range(room.more.size):
        room.more[layer] = 0
        for part in range(PARTS):
            for c in range(10):
                room.lines[part, c, layer] = 0
    return most


@uncounted
def one_card(cards: Cards, shoe: Ints, room: Room) -> float:
    """One shoe. Fills `room.lines[part, card, layer]`: standing, drawing, the policy (or the best) and a banker's
    natural that ends the coup; and `room.more[layer]`: a zero first dealt is thrown. Gives their denominator.
    """
    gone, lines, more, counts = cards.gone, room.lines, room.more, room.counts
    need = 2 + cards.punter_draws + cards.banker_draws
    most = _prepare(cards, shoe, room)
    zeros = float(shoe[0])
    n = zeros
    for points in range(1, 10):
        n += counts[points]
    _sum_forms(cards, counts, room)
    _turns(cards, counts, n - zeros, room)
    den = _falling(n, need, gone)
    for c in range(10):
        ways = (counts[c] if c else zeros) * den / (n * (n - gone))
        _first_cards(cards.shown[c], counts, c * gone, zeros - gone, ways, lines[SHOWN, c])
    for q in range(most, -1, -1):
        left = n - q * gone
        factor = room.chance[q] * (den / _falling(left, need, gone))
        _step(cards, (left, zeros - q * gone, factor), 1 if q else 0, room)
        _choose(cards.choice[1 if q else 0], cards.throws[2], lines, more)
        for layer in range(more.size if q else 0):
            more[layer] = 0
            for c in range(10):
                more[layer] += lines[PLAYED, c, layer]
    return den


@called
def _step(cards: Cards, at: Triple, level: int, room: Room) -> None:
    """STAND and DREW with some zeros thrown, from DREW with one more. `at` = (cards left, zeros left, what brings a
    way of all cards to the common denominator).
    """
    left, zeros, factor = at
    counts, rote, lines = room.counts, room.rote, room.lines
    gone, draws, throws_drawn = cards.gone, cards.punter_draws, cards.throws[3]
    both = _falling(
        left - 2 * gone, draws + cards.banker_draws, gone
    )  # cards to draw: to both hands, the punter's
    third = left - (2 + cards.banker_draws) * gone if draws else 1.0
    for c in range(10):
        held = 1 if c else 0
        weight, rest = (factor, zeros) if c else (factor * zeros, zeros - gone)
        for layer in range(room.more.size):
            lines[STAND, c, layer] = 0
        if rest < 0 or (c and counts[c] == 0):
            continue
        if cards.ends[level, c]:
            _first_cards(cards.met[c], counts, c * gone, rest, weight * counts[c] * both, lines[STAND, c])
        else:
            _add(room.stood[level, c], rest, weight * third * rote[held], lines[STAND, c])
        if cards.may[c, 1]:
            weights = weight * rote[held] * rest, weight * rote[held + 1]
            _drew(throws_drawn, room.drew[c], (rest - gone, rest), weights, lines[DREW, c])


@uncounted
def one_card_many(cards: Cards, shoes: Ints, room: Room, evs: Floats, table: Floats) -> None:
    """EVs over shoes `[s, points]` and, where `table` is not empty, of standing and drawing on each first card given
    that the punter is asked. Cards that are not there and actions that are not allowed are left as they are.
    """
    for s in range(len(shoes)):
        den = one_card(cards, shoes[s], room)
        ev, n = 0.0, 0
        for c in range(10):
            n += shoes[s, c]
            ev += room.lines[PLAYED, c, 0] + room.lines[SHOWN, c, 0]
        evs[s] = ev / den
        if len(table):
            _fill(cards, shoes[s], den / (n * (n - cards.gone)), room.lines, table[s])


@called
def _fill(cards: Cards, counts: Ints, both: float, lines: Floats, table: Floats) -> None:
    """EVs of standing and drawing from the lines; `both` are the ways of all cards that may be drawn."""
    for c in range(10):
        asked = 0
        for b in range(10):
            if cards.asks[b]:
                asked += counts[b] - (cards.gone if b == c else 0)
        ways = both * counts[c] * asked
        if ways > 0:
            for action in range(2):
                if cards.may[c, action]:
                    table[c, action] = lines[STAND if action == 0 else DREW, c, 0] / ways
