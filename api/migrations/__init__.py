"""The history of the schema, for Alembic; `api.db.migrate` runs it, from any working directory."""
