"""What questions about odds may cost over REST: told before any work is done."""

from typing import Final

from api.limits import charge, count
from api.services.errors import Invalid

UNITS: Final = 5  # of the rate limit, in a millisecond
CAP: Final = 20_000 * UNITS


def spend(milliseconds: int) -> None:
    """Take the cost of a question off the caller's units. Raises Invalid (`too_costly`) where no window would do,
    RateLimited where this one does not; both tell the cost and the cap.
    """
    units = max(1, milliseconds * UNITS)
    if units > CAP:
        raise Invalid(
            f"this would cost about {units} units, and {CAP} are the most for one question: fewer packs, punters,"
            " samples or coups, smaller bankrolls, given policies, rules without discards cost less; the command line"
            " has no such cap",
            code="too_costly",
            members={"cost": units, "cap": CAP},
        )
    charge(units)


def spend_thought(seconds: float) -> None:
    """Take what was thought out for the caller, in seconds of a processor, off his units.

    It is done, so it counts even where fewer were left: were it refused, it could be had again and again for nothing.
    """
    units = int(seconds * 1000 * UNITS)
    if units:
        count(units)
