"""What is stored: typed models, one module per concern. Only services write them."""

from api.models.audit import AuditEntry, AuditHead
from api.models.base import Base, Instant
from api.models.experiments import ExperimentChunk, ExperimentOrder, ExperimentResult
from api.models.ledger import HOUSE, MINT, Account, ChainHead, Refill, Transfer
from api.models.operation import IdempotencyKey, Lease
from api.models.players import ApiKey, Player
from api.models.tables import Bank, Coup, CoupResult, Event, Seat, Table

__all__ = [
    "HOUSE",
    "MINT",
    "Account",
    "ApiKey",
    "AuditEntry",
    "AuditHead",
    "Bank",
    "Base",
    "ChainHead",
    "Coup",
    "CoupResult",
    "Event",
    "ExperimentChunk",
    "ExperimentOrder",
    "ExperimentResult",
    "IdempotencyKey",
    "Instant",
    "Lease",
    "Player",
    "Refill",
    "Seat",
    "Table",
    "Transfer",
]
