"""Games whose bankroll figures are published, with the sources, for several test files."""

from fractions import Fraction

from analysis.outcomes import Outcomes

# 9/6 Jacks or Better under perfect play: return -> ways of 19,933,230,517,200 (M. Shackleford, Wizard of Odds,
# «9/6 Jacks or Better»: the return table by hand, total return 0.995439).
JACKS_OR_BETTER = {
    800: 493_512_264,
    50: 2_178_883_296,
    25: 47_093_167_764,
    9: 229_475_482_596,
    6: 219_554_786_160,
    4: 223_837_565_784,
    3: 1_484_003_070_324,
    2: 2_576_946_164_148,
    1: 4_277_372_890_968,
    0: 10_872_274_993_896,
}
JACKS_WAYS = 19_933_230_517_200


def jacks_or_better(cashback: Fraction = Fraction(0)) -> Outcomes:
    """Net of one unit staked, cashback on each unit included."""
    assert sum(JACKS_OR_BETTER.values()) == JACKS_WAYS
    return Outcomes.of(
        {pays - 1 + cashback: Fraction(ways, JACKS_WAYS) for pays, ways in JACKS_OR_BETTER.items()}
    )


def coin(p: str | Fraction) -> Outcomes:
    """Even money, won with probability p."""
    return Outcomes.of({1: Fraction(p), -1: 1 - Fraction(p)})
