"""Compiled kernels of the experiments: sessions of independent coups under any staking system.

`flat_sessions` plays whole blocks of coups at once while no barrier is in reach; `sessions` plays coup by coup and
interprets the system. Both draw the same words in the same order, so session i of a chunk sees the same coups
whatever its system. Importing this module imports numba.

They are compiled without the counting of references, which would cost ten times the coup.
"""

from typing import Any

import numpy as np

from analysis import coups, machine
from analysis.compiled import called, compiled, inlined, uncounted
from analysis.stops import REASONS
from analysis.xoshiro import start, step

# Columns of a session's record.
FINAL, PLAYED, STAKED, BANKED, DRAWDOWN, LOSING_RUN, REASON = range(7)
RECORD = 7

# Places in the array of stops; a rule that is not set holds a value that is never reached.
LEAST, CEILING, FLOOR, DROP, LOSSES, WINS, BANK, BANKS, AFTER, WAIT, STAKE, PLAIN = range(12)
STOPS = 12
# Places in `turns`: players (0: nobody banks in his turn), coups of a bank, q of each coup as banker, chips it needs.
PLAYERS, TERM, BANK_Q, BANK_LEAST = range(4)
_NEVER = 1 << 62

RUIN, _TARGET, _LOSS, _DROP = (REASONS.index(name) for name in ("ruin", "target", "loss", "drawdown"))
_LOSSES, _WINS = REASONS.index("losing_streak"), REASONS.index("winning_streak")
_BANK, _COUPS = REASONS.index("bank"), REASONS.index("coups")

# Unsigned, so that compiled indexing needs no test for negative places.
_CELL_SHIFT, _EMPTY = np.uint64(64 - coups.CELL_BITS), np.uint64(coups.EMPTY)
_ZERO, _ONE, _CELLS = np.uint64(0), np.uint64(1), np.uint64(1 << coups.CELL_BITS)
_TOTAL, _LOWEST = np.uint64(coups.TOTAL), np.uint64(coups.LOWEST)
_HIGHEST, _FALL = np.uint64(coups.HIGHEST), np.uint64(coups.FALL)
_LEAD, _TRAIL = np.uint64(coups.LEAD), np.uint64(coups.TRAIL)
_RUN, _KEEPS = np.uint64(coups.RUN), np.uint64(coups.KEEPS)

_restart: Any = called(machine.restart)
_stake: Any = inlined(machine.stake)
_settle: Any = inlined(machine.settle)


@called
def _other(shift: Any, word: Any, limits: Any, aliases: Any, base: Any) -> Any:
    """The block that a second word draws from what the cells could not hold; the table begins at `base`."""
    block = word >> shift
    if word & ((_ONE << shift) - _ONE) >= limits[base + block]:
        block = aliases[base + block]
    return block


@called
def _leap(held: Any, peak: Any, fall: Any, run: Any, longest: Any, blocks: Any, block: Any) -> Any:
    """Bankroll, its best, the largest fall from it, the losing run and the longest one after a whole block."""
    low, high = held + blocks[block, _LOWEST], held + blocks[block, _HIGHEST]
    # Branches, not max(): they are rarely taken and keep the chain of dependent steps short.
    if peak - low > fall:  # noqa: PLR1730
        fall = peak - low
    if blocks[block, _FALL] > fall:  # noqa: PLR1730
        fall = blocks[block, _FALL]
    if high > peak:  # noqa: PLR1730
        peak = high
    if run + blocks[block, _LEAD] > longest:  # noqa: PLR1730
        longest = run + blocks[block, _LEAD]
    if blocks[block, _RUN] > longest:  # noqa: PLR1730
        longest = blocks[block, _RUN]
    run = blocks[block, _TRAIL] + (run & blocks[block, _KEEPS])
    return held + blocks[block, _TOTAL], peak, fall, run, longest


@called
def _follow(held: Any, peak: Any, fall: Any, run: Any, longest: Any, change: Any) -> Any:
    """The same after a coup that changes the bankroll by so many chips; a push leaves the losing run."""
    held += change
    peak = held if held > peak else peak
    fall = peak - held if peak - held > fall else fall
    run = (run + (change < 0)) * (change <= 0)
    longest = run if run > longest else longest
    return held, peak, fall, run, longest


@called
def _record(record: Any, held: Any, played: Any, staked: Any, fall: Any, longest: Any, reason: Any) -> None:
    record[FINAL], record[PLAYED], record[STAKED], record[BANKED] = held, played, staked[0], staked[1]
    record[DRAWDOWN], record[LOSING_RUN] = fall, longest
    record[REASON] = reason if reason >= 0 else _COUPS


@uncounted
def flat_sessions(
    base: Any, first: int, tables: Any, blocks: Any, bankroll: int, stops: Any, marks: Any, out: Any
) -> None:
    """Sessions `first` … of a chunk under a flat stake, with barriers only: `tables` and `blocks` in chips.

    `out` is (records, paths): paths hold the bankroll at each mark, for as many sessions as they have rows.
    """
    cells, limits, aliases, shift, digits = tables
    records, paths = out
    length, least, ceiling = digits.shape[1], stops[LEAST], stops[CEILING]
    floor = max(least - 1, stops[FLOOR])
    for item in range(records.shape[0]):
        a, b, c, d = start(base, first + item)
        held, peak, fall, run, longest, played, reason = bankroll, bankroll, 0, 0, 0, 0, -1
        for mark in range(marks.shape[0]):
            end = marks[mark]
            while played < end and reason < 0:
                word, a, b, c, d = step(a, b, c, d)
                block = np.uint64(cells[word >> _CELL_SHIFT])
                if block == _EMPTY:
                    word, a, b, c, d = step(a, b, c, d)
                    block = _other(shift, word, limits, aliases, _ZERO)
                low, high = held + blocks[block, _LOWEST], held + blocks[block, _HIGHEST]
                if low > floor and high < ceiling and played + length <= end:
                    held, peak, fall, run, longest = _leap(held, peak, fall, run, longest, blocks, block)
                    played += length
                    continue
                for coup in range(min(length, end - played)):
                    held, peak, fall, run, longest = _follow(
                        held, peak, fall, run, longest, digits[block, coup]
                    )
                    played += 1
                    if held <= floor or held >= ceiling:
                        reason = _barrier(held, least, ceiling)
                        break
            if item < paths.shape[0]:
                paths[item, mark] = held
        _record(records[item], held, played, (played * stops[STAKE], 0), fall, longest, reason)


@called
def _barrier(held: Any, least: Any, ceiling: Any) -> Any:
    """Which barrier was met."""
    return RUIN if held < least else _TARGET if held >= ceiling else _LOSS


@called
def _over(stops: Any, held: Any, peak: Any, run: Any, wins: Any, played: Any) -> Any:
    """Why the session is over after this coup; below 0 where it is not."""
    if held < stops[LEAST]:
        return RUIN
    if stops[PLAIN]:
        return -1 if stops[FLOOR] < held < stops[CEILING] else _barrier(held, stops[LEAST], stops[CEILING])
    if played < stops[AFTER]:
        return -1
    ended = stops[BANK] > 0 and played % stops[BANK] == 0
    if stops[WAIT] and not ended:
        return -1
    if held >= stops[CEILING]:
        return _TARGET
    if held <= stops[FLOOR]:
        return _LOSS
    if peak - held >= stops[DROP]:
        return _DROP
    if run >= stops[LOSSES]:
        return _LOSSES
    if wins >= stops[WINS]:
        return _WINS
    return _BANK if ended and played >= stops[BANKS] else -1


@called
def _turn(turns: Any, played: Any, switch: Any, place: Any, held: Any, side: Any) -> Any:
    """The side to play on, 1 as banker, and the coup at which the next bank begins. Places go round by session.

    A player who cannot put up his bank, or whose bank no longer covers the stakes, is a punter until the next."""
    able = held >= turns[BANK_LEAST]
    if played == switch:
        side = _ONE if (played // turns[TERM] + place) % turns[PLAYERS] == 0 else _ZERO
        switch += turns[TERM]
    return side if able else _ZERO, switch


@uncounted
def sessions(
    base: Any, first: int, tables: Any, tape: Any, bankroll: int, rules: Any, marks: Any, out: Any
) -> None:
    """Sessions `first` … of a chunk under any system, by its tape, which is written on. `out` as in `flat_sessions`.

    `rules` are (stops, turns). With turns the player banks one bank in so many, at a flat stake; `tables` hold the
    punter's coups and after them the banker's.
    """
    cells, limits, aliases, shift, digits = tables
    records, paths = out
    stops, turns = rules
    length, parts = digits.shape[1], tape[machine.PARTS]
    rows, size = np.uint64(digits.shape[0] // 2), np.uint64(limits.shape[0] // 2)
    for item in range(records.shape[0]):
        a, b, c, d = start(base, first + item)
        at, extent = _restart(tape)
        held, peak, fall, run, longest, played, reason = bankroll, bankroll, 0, 0, 0, 0, -1
        total, banked, wins, side = 0, 0, 0, _ZERO
        switch = 0 if turns[PLAYERS] else _NEVER
        for mark in range(marks.shape[0]):
            while played < marks[mark] and reason < 0:
                side, switch = _turn(turns, played, switch, first + item, held, side)
                word, a, b, c, d = step(a, b, c, d)
                block = np.uint64(cells[side * _CELLS + (word >> _CELL_SHIFT)])
                if block == _EMPTY:
                    word, a, b, c, d = step(a, b, c, d)
                    block = _other(shift, word, limits, aliases, side * size)
                for coup in range(min(length, marks[mark] - played, switch - played)):
                    net = digits[side * rows + block, coup]
                    q = turns[BANK_Q] if side else _stake(tape, at, extent, held)
                    if not side:
                        at, extent = _settle(tape, at, extent, q, net)
                    held, peak, fall, run, longest = _follow(held, peak, fall, run, longest, q * net)
                    wins = (wins + (net > 0)) * (net >= 0)
                    played += 1
                    total += q
                    banked += q * np.int64(side)
                    reason = _over(stops, held, peak, run, wins, played)
                    if reason >= 0 or (side and held < turns[BANK_LEAST]):
                        break
            if item < paths.shape[0]:
                paths[item, mark] = held
        staked = ((total - banked) * parts, banked * parts)
        _record(records[item], held, played, staked, fall, longest, reason)


@compiled
def bucket(value: int) -> int:
    """Place of a value (0 or more) in a histogram: exact below 4096, then to one part in 2048."""
    power = 0
    while value >> power >= 4096:
        power += 1
    return 2048 * power + (value >> power)


@compiled
def count(records: Any, offset: int, quantum: int, histograms: Any) -> None:
    """Add sessions to the histograms of final bankroll, drawdown, coups, coups of the ruined, longest losing run, and
    of the reasons. Chips are counted in `quantum`, bankrolls from `offset`."""
    final, drawdown, played, ruined, runs, reasons = histograms
    for item in range(records.shape[0]):
        final[bucket((records[item, FINAL] - offset) // quantum)] += 1
        drawdown[bucket(records[item, DRAWDOWN] // quantum)] += 1
        played[bucket(records[item, PLAYED])] += 1
        runs[bucket(records[item, LOSING_RUN])] += 1
        reasons[records[item, REASON]] += 1
        if records[item, REASON] == RUIN:
            ruined[bucket(records[item, PLAYED])] += 1
