"""The bot of a banking table: a policy for its cards, a steady stake, a bank that covers the table."""

from typing import Any, Final

from casino.banking import policies
from casino.banking.policies import BANKER, PUNTER, Policy
from casino.banking.rules import Rules
from casino.banking.text import BANK, CLOSE, PASS, SIT, STAKE
from casino.bots import Silent
from casino.errors import IllegalAction
from casino.game import View

_COUPS_COVERED: Final = 5  # a bot's bank covers the worst of so many coups at its stake

Spec = Policy | dict[str, Any] | str | None


class BankingBot(Silent):
    """Plays any phase it is awaited in.

    `policy` and `banker_policy` (a name, an object or a parsed policy) decide its hands as punter and as banker;
    None is the default of that side, or for a banker the same as `policy` where that is worked out. It stakes
    `stake` (None: the smallest), or as much of it as is possible, and sits out where nothing is. As banker it puts up
    `bank` (None: what covers every seat at its stake for some coups), or as much of it as it has, and passes where it
    has too little.
    """

    def __init__(
        self,
        rules: Rules,
        policy: Spec = None,
        *,
        banker_policy: Spec = None,
        stake: int | None = None,
        bank: int | None = None,
    ) -> None:
        self.policy = _policy(policy, rules, PUNTER)
        same = policy if banker_policy is None and policy in policies.ODDS else banker_policy
        self.banker_policy = _policy(same, rules, BANKER)
        self.stake = rules.limits.min if stake is None else stake
        self.bank = bank
        self._worst_payout = rules.payoff.worst_payout

    def choose(self, view: View) -> str:
        """The text of one legal action. Raises IllegalAction if the view's seat has none."""
        ranges = {
            verb: limits for item in view["legal"] if isinstance(item, dict) for verb, limits in item.items()
        }
        texts = [item for item in view["legal"] if isinstance(item, str)]
        phase = view["phase"]
        if phase == "play" and texts:
            mine = self.banker_policy if view["seat"] == view["banker"] else self.policy
            return mine.choose(view)
        if phase == "bank" and BANK in ranges:
            return f"{BANK} {self._bank(view, ranges[BANK])}"
        if phase == "bank" and PASS in texts:
            return PASS
        if phase == "stakes" and STAKE in ranges:
            return f"{STAKE} {_within(self.stake, ranges[STAKE])}"
        if phase == "stakes" and (SIT in texts or CLOSE in texts):
            return SIT if SIT in texts else CLOSE
        raise IllegalAction(f"seat {view['seat']} has nothing to decide", legal=view["legal"])

    def _bank(self, view: View, limits: dict[str, int]) -> int:
        punters = sum(entry["occupied"] for entry in view["seats"]) - 1
        wanted = self.stake * self._worst_payout * punters * _COUPS_COVERED
        return _within(wanted if self.bank is None else self.bank, limits)


def default_bot(rules: Rules, *, banker: bool) -> BankingBot:
    """The bot of a seat that nobody decides for. With `banker` it never stakes, so only its cards matter."""
    side = BANKER if banker else PUNTER
    default = policies.default_policy(rules, side)
    return BankingBot(rules, None, banker_policy=default) if banker else BankingBot(rules, default)


def check_policy(rules: Rules, policy: Any, pointer: str = "") -> None:
    """Refuse a bot's policy that is none. Raises RulesError with the pointer."""
    policies.parse_policy(policy, rules, PUNTER, pointer)


def _policy(given: Spec, rules: Rules, side: str) -> Policy:
    if given is None:
        return policies.default_policy(rules, side)
    if isinstance(given, str | dict):
        return policies.parse_policy(given, rules, side)
    return given


def _within(wanted: int, limits: dict[str, int]) -> int:
    """The largest allowed amount not above what is wanted, else the smallest allowed."""
    least, most, step = limits["min"], limits["max"], limits["step"]
    amount = max(least, min(wanted, most))
    return amount - (amount - least) % step
