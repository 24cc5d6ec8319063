"""Triggers by which the database itself keeps a table append-only, on SQLite and on PostgreSQL."""

from alembic import op


def forbid_changes(table: str) -> None:
    """Refuse every UPDATE and DELETE (and TRUNCATE) of the table, whoever asks."""
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '{table} are append-only' USING ERRCODE = 'restrict_violation'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()"
    )


def number_rows(
    table: str, number: str, *, within: str | None = None, also_unique: str | None = None
) -> None:
    """Refuse an INSERT whose number is not the next one (within equal values of a column): no gaps, ever.

    On SQLite this also stops INSERT OR REPLACE, which deletes rows without firing a trigger for it;
    `also_unique` names a further unique column by which it might.
    """
    scope = f" WHERE {within} = NEW.{within}" if within else ""
    wrong = f"NEW.{number} <> (SELECT COALESCE(MAX({number}), 0) + 1 FROM {table}{scope})"  # noqa: S608
    message = f"{table} are numbered without gaps"
    if op.get_bind().dialect.name == "sqlite":
        if also_unique:
            wrong += f" OR EXISTS (SELECT 1 FROM {table} WHERE {also_unique} = NEW.{also_unique})"  # noqa: S608
        op.execute(
            f"CREATE TRIGGER {table}_next BEFORE INSERT ON {table} WHEN {wrong} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
        return
    op.execute(
        f"CREATE FUNCTION {table}_number() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {wrong} THEN RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END IF; "
        f"RETURN NEW; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_next BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_number()"
    )
