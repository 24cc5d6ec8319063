"""A player's own coups, from the database, as the outcomes of questions about bankrolls and of experiments."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from analysis.recorded import Played, recorded
from api.models import CoupResult


def played(
    session: Session, player_id: str, game: str | None = None, side: str | None = None
) -> dict[str, Any]:
    """`results` and `played` for the request in which he asked for his own play; see `analysis.recorded`.

    Practice tables keep no results. Raises BankrollError where there are none, or several games or sides.
    """
    alike = (
        select(CoupResult.game, CoupResult.side, CoupResult.stake, CoupResult.net, func.count())
        .where(CoupResult.player_id == player_id, CoupResult.stake > 0)
        .group_by(CoupResult.game, CoupResult.side, CoupResult.stake, CoupResult.net)
    )
    rows = session.execute(alike)
    return recorded((Played(*row) for row in rows), game, side).to_json()
