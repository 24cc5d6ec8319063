"""Experiments in the background: a durable queue, workers that play what it hands them, and how the dead are replaced.

`queue.py` says what a queue is, `dbos_queue.py` makes one of dbos (the only module that imports it), `store.py` keeps
chunks and results in the service's own tables, `playing.py` plays one experiment, `worker.py` is `macao worker`, and
`hiring.py` lets `macao serve` start one.

The row in `experiments` is the truth. The web process writes it, in the transaction of the request, and knows
nothing of the queue; workers bring the two together, again and again, so nothing is lost between them.
"""
