"""Recall as files: every coup of a table as CSV and as NDJSON, page by page as JSON (`api.md`, recall)."""

import csv
import io
import json

import pytest

from api.services.tables import recall
from tests.api.tables.people import Person


def test_all_three_forms_tell_the_same(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same coups in the same numbers, newest first in pages, oldest first in files, made part by part."""
    monkeypatch.setattr(recall, "_PART", 5)
    table = ada.open(seats=[{"kind": "me"}, {"kind": "bot", "stake": 25}])["id"]
    where = f"/tables/{table}/coups"
    ada.post(
        f"/tables/{table}/actions", {"action": "autoplay", "stake": 10, "policy": "textbook", "coups": 12}
    )
    pages, link = [], f"{where}?limit=5"
    while link:
        response = ada.ask("GET", link)
        pages += response.json["coups"]
        link = (
            response.headers["Link"].split(">")[0].removeprefix("</v1")
            if "Link" in response.headers
            else None
        )
    assert [coup["number"] for coup in pages] == list(range(12, 0, -1))
    lines = ada.ask("GET", where, headers={"Accept": "application/x-ndjson"}).text.splitlines()
    whole = [json.loads(line) for line in lines]
    assert [coup["id"] for coup in whole] == [coup["id"] for coup in reversed(pages)]
    assert all(coup["choices"] for coup in whole)
    rows = list(csv.DictReader(io.StringIO(ada.ask("GET", where, headers={"Accept": "text/csv"}).text)))
    assert len(rows) == 12 * 3
    mine = [row for row in rows if row["seat"] == "0"]
    assert [int(row["chips"]) for row in mine] == [coup["you"]["net"] for coup in whole]
    assert {row["stake"] for row in rows if row["seat"] == "1"} == {"25"}
    assert {row["side"] for row in rows if row["seat"] == "2"} == {"banker"}


def test_coups_are_filtered_by_bank_and_status(ada: Person) -> None:
    """`bank` and `status`; a bank that is none gives an empty list."""
    table = ada.open()["id"]
    where = f"/tables/{table}/coups"
    ada.post(f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "policy": "stand", "coups": 60})
    ada.do(table, "stake 5")
    banks = ada.get(f"/tables/{table}/banks")["banks"]
    of_banks = [len(ada.get(f"{where}?bank={bank['id']}&limit=200")["coups"]) for bank in banks]
    assert sum(of_banks) == 61
    assert len(ada.get(f"{where}?status=open")["coups"]) == 1
    assert ada.get(f"{where}?bank=bnk_{'0' * 26}")["coups"] == []
    ada.get(f"{where}?status=lost", 422)
    ada.get(f"{where}?limit=5", 422, headers={"Accept": "text/csv"})
