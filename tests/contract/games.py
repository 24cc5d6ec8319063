"""What the contract is held over: every listing at several numbers of seats, and how its games are played out."""

import json
from random import Random

from casino.catalogue import listings

# Not chosen by a policy that plays when it can: a game must end under it.
PASSIVE = {"banking": {"pass", "sit", "close", "seed", "top"}, "shedding": {"draw", "pass"}, "tricks": set()}
MOST_ACTIONS = 20_000
SEED = bytes(range(32))


def tables():
    """(id, listing, seats) for every game at its fewest, default, some and most seats."""
    for listing in listings():
        sizes = {listing.min_seats, listing.default_seats, min(4, listing.max_seats), listing.max_seats}
        for seats in sorted(sizes):
            yield f"{listing.name}-{seats}", listing, seats


def spoken(item, rng):
    """The text of a legal entry; of an amount or bytes some value of its range."""
    if isinstance(item, str):
        return item
    ((verb, limits),) = item.items()
    if "max_bytes" in limits:
        return f"{verb} {rng.randbytes(rng.randint(1, limits['max_bytes'])).hex()}"
    return f"{verb} {rng.randrange(limits['min'], limits['max'] + 1, limits['step'])}"


def verb(item):
    """The first word of a legal entry."""
    return item.split()[0] if isinstance(item, str) else next(iter(item))


def choose(game, legal, rng, *, lively=True):
    """A legal text at random; a lively player plays when it can."""
    active = [item for item in legal if verb(item) not in PASSIVE[game.family]] if lively else legal
    return spoken(rng.choice(active or legal), rng)


def steps(game, seed, rng, *, lively=True, most=MOST_ACTIONS):
    """Play a game out: yields (state, seat, text) before each action and (state, None, None) at the end."""
    state = game.start(seed)
    for _ in range(most):
        awaited = state.awaited()
        if not awaited:
            yield state, None, None
            return
        seat = rng.choice(awaited)
        text = choose(game, state.legal_texts(seat), rng, lively=lively)
        yield state, seat, text
        state.do(seat, text)
    if lively:
        raise AssertionError(f"no end after {most} actions")


def canonical(data):
    return json.dumps(data, sort_keys=True)


def digest_of(listing, seats):
    """A digest of a whole game that is equal wherever it is played: rules, every action, the last state."""
    game = listing.game(None, seats)
    rng = Random(1)
    log = []
    last = None
    for state, seat, text in steps(game, SEED, rng, most=400, lively=False):
        log.append([seat, text])
        last = state
    return canonical([game.rules_hash, log, last.to_json()])
