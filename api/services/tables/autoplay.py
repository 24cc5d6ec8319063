"""Autoplay: coups by a policy as if by hand, for the only person at a banking table."""

from datetime import datetime
from time import thread_time
from typing import Any

from api.services.errors import Conflict
from api.services.tables.asked import Autoplay
from api.services.tables.change import Change
from api.services.tables.model import PLAYER, Sitter, TableData
from api.services.tables.play import BY_HAND, Play, Terms
from api.services.tables.restraint import refusal
from casino.banking.policies import PUNTER, parse_policy
from casino.banking.text import STAKE
from casino.bots.banking import BankingBot, default_bot
from casino.errors import IllegalAction


def autoplay(table: TableData, sitter: Sitter, wanted: Autoplay, terms: Terms, now: datetime) -> Change:
    """Play coups until so many are settled, or a bank of his own comes.

    Stops early where the stake can no longer be covered, or the player's own limits forbid it; the report says how many
    coups were played and why it ended. All of it is thought for the player, who pays for it.
    """
    began = thread_time()
    if sum(other.kind == PLAYER for other in table.sitters) > 1:
        raise Conflict("autoplay is for the only person at a table; others play here", code="not_alone")
    play = Play.resume(table, terms, now)
    play.run()
    rules = play.state.game.rules
    parsed = parse_policy(wanted.policy, rules, PUNTER, "/policy")
    bot = BankingBot(rules, parsed, stake=wanted.stake)
    first, totals = play.state.coups + (play.state.phase != "play"), play.state.totals[sitter.number]
    stopped = _play_on(play, sitter.number, bot, wanted)
    if not play.coups_settled:
        if isinstance(stopped, Conflict):
            raise stopped
        raise IllegalAction(
            f"no coup could be played: {stopped}", legal=play.legal(sitter.number), pointer="/stake"
        )
    change = play.change()
    change.silent, change.thought = True, thread_time() - began
    change.report = {
        "autoplay": {
            "coups": play.coups_settled,
            "net": play.state.totals[sitter.number] - totals,
            "first_coup": first,
            "last_coup": play.state.coups,
            "stopped": stopped.detail if isinstance(stopped, Conflict) else stopped,
        }
    }
    return change


def _play_on(play: Play, seat: int, bot: BankingBot, wanted: Autoplay) -> str | Conflict | None:
    """Play until so many coups are settled; why it ended before (what the player's limits refuse), or None."""
    state, allowance, stake = play.state, play.table.sitters[seat].allowance, wanted.stake
    while play.coups_settled < wanted.coups:
        if play.closing or seat not in state.awaited():
            return "the table waits for something else than your stake"
        if state.phase == "bank":
            return "the bank is offered to you"
        banker = seat == state.banker
        if state.phase == "stakes" and not _covers(state.legal_texts(seat), stake):
            return f"a stake of {stake} is not possible now"
        if state.phase == "stakes" and allowance is not None:
            refused = refusal(state, seat, STAKE, stake, allowance, "/stake")
            if refused is not None:
                return refused
        chooser = default_bot(state.game.rules, banker=True) if banker else bot
        play.act(seat, chooser.choose(state.view(seat)), BY_HAND)
        play.run()
    return None


def _covers(legal: list[Any], stake: int) -> bool:
    ranges = [item["stake"] for item in legal if isinstance(item, dict) and "stake" in item]
    return any(
        limits["min"] <= stake <= limits["max"] and (stake - limits["min"]) % limits["step"] == 0
        for limits in ranges
    )
