"""Compiled loops that deal coups: by a table of outcomes, by look-ups from a shoe in order, and card by card.

A chunk of coups has its own stream (see `analysis.xoshiro`), whose state travels in locals. Bounded numbers come from
32 or 48 bits of a word by multiplication, and a word that would bias is rejected (D. Lemire, Fast random integer
generation in an interval, ACM TOMACS 29, 2019). Importing this module imports numba.
"""

from typing import Any

import numpy as np

from analysis.compiled import called, compiled, inlined, uncounted
from analysis.dealing import SIGHTS
from analysis.xoshiro import start, step

SQUARES, CROSS = range(2)  # columns of what is summed over banks
# A hand: two first cards and the third by points (-1: none), then what is known of it.
THIRD, POINTS, REPLACED, ENDED, FIRST, HAND = 2, 3, 4, 5, 6, 7
CARDS = 3
FIRST_CARDS, NEED, LIMIT, MIXED, DRY, LATE_NATURAL, FLAGS = range(7)  # flags of a book

_32, _48, _16 = np.uint64(32), np.uint64(48), np.uint64(16)
_LOW32, _LOW48 = np.uint64((1 << 32) - 1), np.uint64((1 << 48) - 1)
_ONE, _BYTE, _EIGHT, _ZERO = np.uint64(1), np.uint64(255), np.uint64(8), np.uint64(0)
_SPAN = np.uint64(1 << 32)
_13 = np.uint64(13)
_TWO, _TEN, _SIGHTS, _20 = np.uint64(2), np.uint64(10), np.uint64(SIGHTS), np.uint64(20)
_4, _5, _15, _31 = np.uint64(4), np.uint64(5), np.uint64(15), np.uint64(31)
_SURE = 1 << 32


@compiled
def by_table(base: Any, coups: int, outcomes: Any, counts: Any) -> None:
    """Coups from an infinite shoe: each word picks one of the equally likely deals in `outcomes` (uint8)."""
    a, b, c, d = start(base, 0)
    size = np.uint64(outcomes.shape[0])
    least = (_LOW48 + _ONE) % size
    left = coups
    while left > 0:
        word, a, b, c, d = step(a, b, c, d)
        product = (word >> _16) * size
        if product & _LOW48 >= least:
            counts[outcomes[product >> _48]] += 1
            left -= 1


@called
def _below(size: Any, word: Any, rng: Any) -> Any:
    """A number below `size` from a 32-bit word, or from later ones if that would bias."""
    product = word * size
    if product & _LOW32 < size:
        least = _SPAN % size
        while product & _LOW32 < least:
            word, a, b, c, d = step(rng[0], rng[1], rng[2], rng[3])
            rng = (a, b, c, d)
            product = (word >> _32) * size
    return product >> _32, rng


@called
def _mix(deck: Any, at: int, end: int, word: Any, rng: Any) -> Any:
    """One step of Fisher-Yates from the front: any card from place `at` on comes to it."""
    far, rng = _below(np.uint64(end - at), word, rng)
    far += np.uint64(at)
    deck[at], deck[far] = deck[far], deck[at]
    return rng


@called
def _shuffle(deck: Any, end: Any, mixed: Any, rng: Any) -> Any:
    """Bring the first `mixed` places of a deck of `end` cards into random order."""
    for at in range(0, mixed, 2):
        word, a, b, c, d = step(rng[0], rng[1], rng[2], rng[3])
        rng = _mix(deck, at, end, word >> _32, (a, b, c, d))
        if at + 1 < end:
            rng = _mix(deck, at + 1, end, word & _LOW32, rng)
    return rng


@called
def _close(bank: Any, nets: Any, coups: Any, counts: Any, sums: Any) -> None:
    """Add one bank of so many coups to the sums of a hand (see `by_card`), and clear its counts."""
    net, kinds = 0, counts.shape[0]
    for kind in range(kinds):
        count = bank[kind]
        bank[kind] = 0
        counts[kind] += count
        net += nets[kind] * count
        sums[1 + kind, SQUARES] += count * count
        sums[1 + kind, CROSS] += count * coups
    sums[0, SQUARES] += net * net
    sums[0, CROSS] += net * coups
    sums[kinds + 1, SQUARES] += coups * coups
    sums[kinds + 1, CROSS] += 1


@uncounted
def by_lookup(
    base: Any, coups: int, settings: Any, lookups: Any, nets: Any, room: Any, counts: Any, sums: Any
) -> None:
    """Simple coups from a shoe shuffled for each bank and dealt in order.

    `settings`: cards needed to start, coups a bank at most, cards it may use at most. `lookups`: those of `Dealing`,
    flat. `room`: the cards of the shoe, with two more of padding, and the counts of a bank, zeros. `counts` and
    `sums`: see `by_card`, for one hand.
    """
    (draws, shows, replies, place), (deck, bank) = lookups, room
    limit, mixed, size = settings[1], settings[2], deck.shape[0] - 2
    last = np.uint64(size - settings[0])
    rng = start(base, 0)
    done = 0
    while done < coups:
        rng = _shuffle(deck, size, mixed, rng)
        packed, top, played, most = _ZERO, _ZERO, 0, min(limit, coups - done)
        while top <= last and played < most:
            own = np.uint64(deck[top + _ONE])
            pair = np.uint64(deck[top]) * _TEN + own
            top += _TWO
            show = np.uint64(shows[pair * _TEN + np.uint64(deck[top])])
            top += np.uint64(draws[pair])
            reply = np.uint64(replies[(own * _SIGHTS + (show & _15)) * _TEN + np.uint64(deck[top])])
            top += reply >> _5
            packed += _ONE << np.uint64(place[(show >> _4) * _20 + (reply & _31)])
            played += 1
        done += played
        for kind in range(counts.shape[0]):
            bank[kind] = np.int64((packed >> (_EIGHT * np.uint64(kind))) & _BYTE)
        _close(bank, nets, played, counts, sums)


# Card by card. A shoe is (deck, cards of a fresh one by points, infinite?), a book what the rules and policies say:
# (thresholds, throws, naturals shown, columns of third cards, flags).


@called
def _replace(shoe: Any, hands: Any, rng: Any) -> Any:
    """Fill an empty shoe: with all cards that no hand holds, shuffled; an infinite one with any cards. How many."""
    deck, full, infinite = shoe
    end = 0
    if infinite:
        for _ in range(deck.shape[0]):
            word, a, b, c, d = step(rng[0], rng[1], rng[2], rng[3])
            rank, rng = _below(_13, word >> _32, (a, b, c, d))
            deck[end] = max(np.int64(rank) - 3, 0)  # ten, jack, queen and king count nothing
            end += 1
        return end, rng
    for points in range(10):
        left = full[points]
        for seat in range(hands.shape[0]):
            for place in range(CARDS):
                left -= hands[seat, place] == points
        for _ in range(left):
            deck[end] = points
            end += 1
    return end, _shuffle(deck, end, end, rng)


@called
def _fresh(shoe: Any, hands: Any, mixed: Any, rng: Any) -> Any:
    """A fresh shoe, shuffled as far as the bank may go. How many cards it holds."""
    deck, full, infinite = shoe
    if infinite:
        return _replace(shoe, hands, rng)
    end = 0
    for points in range(10):
        for _ in range(full[points]):
            deck[end] = points
            end += 1
    return end, _shuffle(deck, end, min(end, mixed), rng)


@inlined
def _card(shoe: Any, hands: Any, at: Any, end: Any, rng: Any) -> Any:
    """The next card by points, and the place after it."""
    if at == end:
        at = 0
        end, rng = _replace(shoe, hands, rng)
    return np.int64(shoe[0][at]), at + 1, end, rng


@inlined
def _turn(shoe: Any, hands: Any, book: Any, seat: Any, column: Any, at: Any, end: Any, rng: Any) -> Any:
    """One seat's turn: it throws dealt zeros, draws or stands, throws drawn zeros (`rules/banking.md`, steps 4-5).

    With the shoe empty it may do so if cards that lie aside may be shuffled in (not `DRY`). A natural that replaced a
    thrown zero ends a punter's turn where such naturals are shown, not the banker's: his were shown before.
    """
    draws, throws, shown, _, flags = book
    dry, last = flags[DRY], hands.shape[0] - 1
    points = hands[seat, POINTS]
    while points == 0 and throws[seat, 0] and (at < end or not dry):
        hands[seat, 0] = -1
        points, at, end, rng = _card(shoe, hands, at, end, rng)
        hands[seat, 0] = hands[seat, POINTS] = points
        hands[seat, REPLACED] = 1
        if flags[LATE_NATURAL] and seat < last and shown[seat, points]:
            hands[seat, ENDED] = 1
            return at, end, rng
    wish = draws[seat, column, points]
    if 0 < wish < _SURE:
        word, a, b, c, d = step(rng[0], rng[1], rng[2], rng[3])
        rng = (a, b, c, d)
        wish -= np.int64(word >> _32)
    if wish > 0 and (at < end or not dry):
        card, at, end, rng = _card(shoe, hands, at, end, rng)
        while card == 0 and throws[seat, 1] and (at < end or not dry):
            card, at, end, rng = _card(shoe, hands, at, end, rng)
        hands[seat, THIRD] = card
        hands[seat, POINTS] = points + card - 10 * (points + card >= 10)
    return at, end, rng


@inlined
def _code(hands: Any, seat: Any, late: Any) -> Any:
    """Row or column of the payoff table: points, + 10 if natural."""
    points = hands[seat, POINTS]
    natural = points >= 7 and hands[seat, THIRD] < 0 and (late or not hands[seat, REPLACED])
    return points + 10 * natural


@inlined
def _deal(deck: Any, hands: Any, shown: Any, first_cards: Any, at: Any) -> Any:
    """First cards for every seat, the banker last; naturals that are shown end their turns. The place after them."""
    last = hands.shape[0] - 1
    for seat in range(last + 1):
        points = hands[seat, 0] = np.int64(deck[at + seat])
        hands[seat, 1] = hands[seat, THIRD] = -1
        if first_cards == 2:
            hands[seat, 1] = np.int64(deck[at + last + 1 + seat])
            points = (points + hands[seat, 1]) % 10
        hands[seat, POINTS], hands[seat, REPLACED], hands[seat, ENDED] = points, 0, shown[seat, points]
    own = hands[last, POINTS]
    hands[last, FIRST] = own + 10 * (own >= 7)
    return at + first_cards * (last + 1)


@inlined
def _coup(shoe: Any, hands: Any, book: Any, at: Any, end: Any, rng: Any) -> Any:
    """Deal and play one coup; `hands` are left as they are to be settled."""
    last, columns, flags = hands.shape[0] - 1, book[3], book[4]
    at = _deal(shoe[0], hands, book[2], flags[FIRST_CARDS], at)
    if hands[last, ENDED]:
        return at, end, rng
    met = False
    for seat in range(last):
        if not hands[seat, ENDED]:
            at, end, rng = _turn(shoe, hands, book, seat, 0, at, end, rng)
        met |= not hands[seat, ENDED]
    if met:
        third = hands[0, THIRD]
        column = columns[third] if last == 1 and third >= 0 else 0
        at, end, rng = _turn(shoe, hands, book, last, column, at, end, rng)
    return at, end, rng


@uncounted
def by_card(
    base: Any, coups: int, shoe: Any, book: Any, settling: Any, room: Any, counts: Any, sums: Any
) -> None:
    """Any coups, card by card. `settling`: places of outcomes, and nets; `room`: for hands [seat, HAND] and the counts
    of a bank [hand, outcome], zeros.

    `counts` [hand, outcome] are added to. `sums` [hand, row, (SQUARES, CROSS)] sum over banks: row 0 the square of the
    net, and net times coups; then the same of each outcome; in the last row the square of the coups, and the banks.
    """
    (place, nets), (hands, bank), flags = settling, room, book[4]
    last, late = counts.shape[0], flags[LATE_NATURAL]
    rng = start(base, 0)
    done = 0
    while done < coups:
        end, rng = _fresh(shoe, hands, flags[MIXED], rng)
        at, played, size, most = 0, 0, end, min(flags[LIMIT], coups - done)
        # A shoe that was filled up again, and lacks the cards held, ends its bank.
        while played < most and end - at >= flags[NEED] and end == size:
            at, end, rng = _coup(shoe, hands, book, at, end, rng)
            own = _code(hands, last, late)
            for seat in range(last):
                meets = hands[last, FIRST] if hands[seat, ENDED] or hands[last, ENDED] else own
                bank[seat, place[_code(hands, seat, late), meets]] += 1
            played += 1
        done += played
        for seat in range(last):
            _close(bank[seat], nets, played, counts[seat], sums[seat])


@uncounted
def by_bank(base: Any, coups: int, shoe: Any, book: Any, settling: Any, hands: Any, counts: Any) -> None:
    """Coups card by card, each from a fresh shoe: `counts[i]` is added to where all punters together net i less half of
    what `counts` holds. Arguments as of `by_card`."""
    (place, nets), flags = settling, book[4]
    last, late, middle = hands.shape[0] - 1, flags[LATE_NATURAL], counts.shape[0] // 2
    rng = start(base, 0)
    for _ in range(coups):
        end, rng = _fresh(shoe, hands, flags[MIXED], rng)
        _, end, rng = _coup(shoe, hands, book, 0, end, rng)
        own = _code(hands, last, late)
        total = middle
        for seat in range(last):
            meets = hands[last, FIRST] if hands[seat, ENDED] or hands[last, ENDED] else own
            total += nets[place[_code(hands, seat, late), meets]]
        counts[total] += 1
