"""Tables of the shedding and the trick games: a match, deal by deal, under one seed."""

from api.services.tables.matches.conductor import MatchTables

__all__ = ["MatchTables"]
