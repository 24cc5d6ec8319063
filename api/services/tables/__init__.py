"""A table's life: opening, seats, actions, views, recall. Nothing else writes tables, coups or events.

`plan_*` functions work in a read transaction and change nothing: they play an action out on a copy, with the house
and the bots that answer it, and return a `Change`. `commit` writes a change in one transaction, or raises PlanStale
where the table, or a wallet it counted on, is no longer what it was planned for (`api/execution.py` plans again).
"""

import analysis  # noqa: F401 - plugs in the policies that are worked out, for bots and autoplay
