"""How staking systems go on, in plain integers: the same three functions run as they are for one player, and
compiled in the kernels (`@compiled` keeps their cache in step with this file).

A stake is counted in `q`: chips over the denominator of the nets, so that q times a net's numerator is whole chips.
What a system is lies on a `tape` of integers (made by `analysis.staking`): numbers, then a ladder's rows or
Labouchère's line. What it remembers besides are two integers: a place on the ladder, the head of the line or a
wish; and the line's length or a profit. Only results that are over are seen: `stake` is asked before a coup,
`settle` told its net after it.
"""

from typing import Any, Final

# Places on the tape (ALIGNED: its wishes are on the table's step already) …
KIND, LEAST, MOST, STEP, COVER, PARTS, TOP, BOTTOM, ALIGNED = range(9)
# … and its rows of ROW numbers, or a ring of LINE numbers followed by the line that it starts with.
ROWS: Final = 16
STAKE, ON_LOSS, ON_PUSH, ON_WIN = range(4)  # where to go: after a push always on the spot
ROW: Final = 4
LINE: Final = 512  # a power of 2
# Kinds of systems. A ladder is a table of stakes with where to go after a loss and after a win.
LADDER, FRACTION, LABOUCHERE, OSCAR = range(4)


def restart(tape: Any) -> Any:
    """What a player remembers who has not played yet: (place, extent). Writes a fresh line on the tape."""
    kind, top = tape[KIND], tape[TOP]
    if kind == LABOUCHERE:
        for i in range(top):
            tape[ROWS + i] = tape[ROWS + LINE + i]
    return (top if kind == OSCAR else 0), (top if kind == LABOUCHERE else 0)


def stake(tape: Any, place: Any, extent: Any, bankroll: Any) -> Any:
    """The stake q of the next coup, for a bankroll in chips that covers the least one.

    What a system wishes is raised to the table's minimum, cut to its maximum, rounded down to its step, and cut
    to what the bankroll covers at the worst loss: tape[COVER] chips must be there for each q.
    """
    kind, least, step = tape[KIND], tape[LEAST], tape[STEP]
    if kind == LADDER:
        wish = tape[ROWS + ROW * place + STAKE]
    elif kind == FRACTION:  # rounded down to the step by the one division that is needed anyhow
        wish = least + (bankroll * tape[TOP] - least * tape[BOTTOM]) // (step * tape[BOTTOM]) * step
    elif kind == LABOUCHERE:
        wish = tape[ROWS + place]
        if extent > 1:
            wish += tape[ROWS + ((place + extent - 1) & (LINE - 1))]
    else:
        wish = place
    wish = min(max(wish, least), tape[MOST])
    cut = wish * tape[COVER] > bankroll
    if cut:
        wish = bankroll // tape[COVER]
    if step > 1 and (cut or not tape[ALIGNED]):
        wish -= (wish - least) % step
    return wish


def settle(tape: Any, place: Any, extent: Any, q: Any, net: Any) -> Any:
    """What a player remembers, (place, extent), after a coup with this net (a numerator over tape[PARTS] stakes) on
    a stake of q. A push changes nothing."""
    kind, won, lost = tape[KIND], net > 0, net < 0
    # By arithmetic and not by branches where it can be: a processor cannot foresee who wins.
    if kind == LADDER:
        return tape[ROWS + ROW * place + ON_PUSH + won - lost], extent
    if kind == LABOUCHERE:
        change = q * net
        if tape[PARTS] > 1:
            change //= tape[PARTS]
        end = (place + extent) & (LINE - 1)
        tape[ROWS + end] = -change  # beyond the line, unless a loss makes it longer
        place, extent = (place + won) & (LINE - 1), extent + lost - 2 * won
        if 0 < extent < LINE:
            return place, extent
        for i in range(tape[TOP]):
            tape[ROWS + i] = tape[ROWS + LINE + i]
        return 0, tape[TOP]
    if kind == OSCAR:
        extent += q * net
        short = tape[TOP] * tape[PARTS] - extent
        if short <= 0:
            return tape[TOP], 0
        if tape[PARTS] > 1:
            short = -(-short // tape[PARTS])
        raised = min(q + tape[TOP], short, tape[MOST])
        return (raised if won else place), extent
    return place, extent
