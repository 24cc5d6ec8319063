"""Odds and bankrolls. Importing it makes the policies `optimal` and `equilibrium` known; they load what they need."""

from casino.banking.policies import ODDS, Maker, Policy, plug_in
from casino.banking.rules import Rules


def _maker(name: str) -> Maker:
    def make(rules: Rules, side: str) -> Policy:
        from analysis.worked_out import POLICIES  # noqa: PLC0415 - loads numpy and scipy

        return POLICIES[name](rules, side)

    return make


for _name in ODDS:
    plug_in(_name, _maker(_name))
