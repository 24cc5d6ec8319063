"""Linear programs through HiGHS, with tight tolerances and duals.

Source: Q. Huangfu and J. A. J. Hall, Parallelizing the dual revised simplex method (Mathematical Programming
Computation 10, 2018), as scipy ships it.
"""

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]
_TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Optimum(NamedTuple):
    """Where a program is best, its value, and the duals of its inequalities (not negative)."""

    x: Floats
    value: float
    duals: Floats


def maximise(
    worth: Floats, rows: Any, most: Floats, bounds: Any, equal: Any = None, to: Any = None
) -> Optimum:
    """Maximise worth·x where rows x <= most, equal x = to, low <= x <= high. Matrices may be sparse.

    Raises ArithmeticError where HiGHS finds no optimum (the callers' programs are bounded and feasible).
    """
    found: Any = cast(Any, linprog)(
        -worth,
        A_ub=rows,
        b_ub=most,
        A_eq=equal,
        b_eq=to,
        bounds=bounds,
        method="highs",
        options=_TIGHT,
    )
    if found.status != 0:
        raise ArithmeticError(f"HiGHS gave up on a program of {len(most)} rows: {found.message}")
    return Optimum(found.x, float(-found.fun), np.maximum(-found.ineqlin.marginals, 0.0))
