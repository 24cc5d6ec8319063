"""How staking systems go on, in plain integers: the same three functions run as they are for one player, and
through `@compiled` in the kernels.

A stake is counted in `q`: chips over the denominator of the nets, so that q times a net's numerator is whole chips.
All that a system is and remembers lies on one `tape` of integers (made by `analysis.staking`): numbers that stay,
numbers that change, then a ladder's rows or Labouchère's line. Only results that are over are seen: `stake` is
asked before a coup, `settle` told its net after it.

Each function touches the tape in its last statement, whatever the branch: compiled, it is then counted as in use
once and not branch by branch, which would cost more than the coup.
"""

from typing import Any, Final

# Places on the tape: what a system is …
KIND, LEAST, MOST, STEP, COVER, PARTS, TOP, BOTTOM = range(8)
# … what it remembers (a place on the ladder, the head of the line or a wish; a length or a profit; coups) …
PLACE, EXTENT, COUPS = range(8, 11)
# … and its rows of ROW numbers, or a ring of LINE numbers followed by the line that it starts with.
ROWS: Final = 16
STAKE, ON_LOSS, ON_PUSH, ON_WIN = range(4)  # where to go: after a push always on the spot
ROW: Final = 4
LINE: Final = 512  # a power of 2
# Kinds of systems. A ladder is a table of stakes with where to go after a loss and after a win.
LADDER, FRACTION, LABOUCHERE, OSCAR = range(4)


def restart(tape: Any) -> None:
    """Make the tape that of a player who has not played yet."""
    kind, top = tape[KIND], tape[TOP]
    tape[PLACE] = top if kind == OSCAR else 0
    tape[EXTENT] = top if kind == LABOUCHERE else 0
    if kind == LABOUCHERE:
        for i in range(top):
            tape[ROWS + i] = tape[ROWS + LINE + i]
    tape[COUPS] = 0


def stake(tape: Any, bankroll: Any) -> Any:
    """The stake q of the next coup, for a bankroll in chips that covers the least one.

    What a system wishes is raised to the table's minimum, cut to its maximum, rounded down to its step, and cut
    to what the bankroll covers at the worst loss: tape[COVER] chips must be there for each q.
    """
    kind, place = tape[KIND], tape[PLACE]
    least, most, step, cover = tape[LEAST], tape[MOST], tape[STEP], tape[COVER]
    if kind == LADDER:
        wish = tape[ROWS + ROW * place + STAKE]
    elif kind == FRACTION:  # rounded down to the step by the one division that is needed anyhow
        wish = least + (bankroll * tape[TOP] - least * tape[BOTTOM]) // (step * tape[BOTTOM]) * step
    elif kind == LABOUCHERE:
        wish = tape[ROWS + place]
        if tape[EXTENT] > 1:
            wish += tape[ROWS + ((place + tape[EXTENT] - 1) & (LINE - 1))]
    else:
        wish = place
    wish = min(max(wish, least), most)
    cut = wish * cover > bankroll
    if cut:
        wish = bankroll // cover
    if tape[STEP] > 1 and (cut or kind > FRACTION):
        wish -= (wish - least) % step
    return wish


def settle(tape: Any, q: Any, net: Any) -> None:
    """Take the net of a coup (a numerator over tape[PARTS] stakes) on a stake of q into account; a push changes
    nothing."""
    kind, place = tape[KIND], tape[PLACE]
    if kind == LADDER:  # by arithmetic and not by branches, which a processor cannot foresee here
        tape[PLACE] = tape[ROWS + ROW * place + ON_PUSH + (net > 0) - (net < 0)]
    elif kind == LABOUCHERE and net != 0:
        extent = tape[EXTENT] - 2 if net > 0 else tape[EXTENT] + 1
        if net < 0:
            tape[ROWS + ((place + extent - 1) & (LINE - 1))] = -net * q // tape[PARTS]
        place = place + (net > 0) & (LINE - 1)
        if extent <= 0 or extent >= LINE:
            place, extent = 0, tape[TOP]
            for i in range(extent):
                tape[ROWS + i] = tape[ROWS + LINE + i]
        tape[PLACE], tape[EXTENT] = place, extent
    elif kind == OSCAR:
        profit, unit, parts = tape[EXTENT] + q * net, tape[TOP], tape[PARTS]
        if profit >= unit * parts:
            profit, place = 0, unit
        elif net > 0:
            place = min(q + unit, unit - profit // parts, tape[MOST])
        tape[PLACE], tape[EXTENT] = place, profit
    tape[COUPS] += 1
