"""The banking family."""

from casino.catalogue import Listing

GAMES: tuple[Listing, ...] = ()
