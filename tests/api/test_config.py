"""Settings: read from the environment, every mistake told with what would be right."""

import pytest

from api.config import Config, ConfigError, from_environment


def mistakes(**settings: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        from_environment({f"MACAO_{name.upper()}": value for name, value in settings.items()})
    return caught.value.mistakes


def test_defaults_of_the_contract() -> None:
    config = from_environment({})
    assert config == Config()
    assert config.bind == "127.0.0.1:8000"
    assert config.database_url == "sqlite:///var/macao.db"
    assert config.url == "http://127.0.0.1:8000"
    assert config.is_sqlite
    assert config.processes == 1


def test_values_come_from_the_environment_and_options_go_before() -> None:
    environment = {
        "MACAO_BIND": "0.0.0.0:80",
        "MACAO_THREADS": " 64 ",
        "PATH": "/bin",
        "MACAO_CORS_ORIGINS": "",
    }
    config = from_environment(environment, bind="[::1]:9000", workers=None)
    assert (config.bind, config.threads, config.cors_origins) == ("[::1]:9000", 64, ())
    several = from_environment({"MACAO_CORS_ORIGINS": "https://a.example, http://b.example:81"})
    assert several.cors_origins == ("https://a.example", "http://b.example:81")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (
            "bind",
            ["", "8000", "localhost", "localhost:", "localhost:70000", "::1:80", "[1.2.3.4]:80", "a b:80"],
        ),
        ("threads", ["1", "0", "-3", "four", "1e2", "9" * 30, "٣٢"]),
        ("database_url", ["", "macao.db", "mysql://u@h/d", "sqlite"]),
        ("rate_limit", ["", "10", "10/fortnight", "0/minute", "-1/minute", "10/minute;5/second"]),
        ("environment", ["prod", "Production"]),
        ("log_level", ["INFO", "loud"]),
        ("cors_origins", ["play.example", "https://play.example/path", "https://*.example"]),
        ("rate_storage", ["redis", "sqlite://"]),
        ("idempotency_hours", ["23"]),
        (
            "executor_url",
            ["", "local", "local:0", "local:-1", "local:9999", "dask:x", "dask://host", "ftp://h:1"],
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(name: str, values: list[str]) -> None:
    for value in values:
        (mistake,) = mistakes(**{name: value})
        assert mistake.startswith(f"MACAO_{name.upper()}: must be "), mistake
        assert f"not «{value[:20]}" in mistake or name == "database_url", mistake


def test_all_mistakes_are_told_at_once() -> None:
    found = mistakes(bind="x", threads="1", colour="red", log_level="loud")
    assert sorted(line.split(":")[0] for line in found) == [
        "MACAO_BIND",
        "MACAO_COLOUR",
        "MACAO_LOG_LEVEL",
        "MACAO_THREADS",
    ]
    assert "there are MACAO_DATABASE_URL" in "".join(found)


def test_settings_that_contradict_each_other() -> None:
    (mistake,) = mistakes(threads="8", max_waiters="8")
    assert mistake == "MACAO_MAX_WAITERS: must be below MACAO_THREADS (8), not 8"


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("database_url", "mysql://ada:geheim@db.example/x"),
        ("database_url", "mysql://ada:p@geheim@db.example/x"),
        ("database_url", "postgresql://ada@db.example/x?sslmode=require&password=geheim"),
        ("rate_storage", "redis://cache.example/0?password=geheim&db=1"),
    ],
)
def test_a_password_is_not_told(name: str, url: str) -> None:
    (mistake,) = mistakes(**{name: url})
    assert "geheim" not in mistake


def test_a_password_has_its_place_before_the_host() -> None:
    """Elsewhere in the address it would be shown with it, and not be held against those that everybody knows."""
    for name, url in (
        ("database_url", "postgresql://ada@db.example/x?password=postgres"),
        ("rate_storage", "redis://cache.example/0?password=foobared"),
    ):
        (mistake,) = mistakes(**{name: url})
        assert "must have its password before the host, as in ://USER:PASSWORD@HOST" in mistake


@pytest.mark.parametrize("value", ["1", "true", "True", "yes"])
def test_debug_is_refused_in_production(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_environment({"FLASK_DEBUG": value})
    assert caught.value.mistakes == [
        "FLASK_DEBUG: must not be set in production; take it out, or set MACAO_ENVIRONMENT=development"
    ]
    assert from_environment({"FLASK_DEBUG": value, "MACAO_ENVIRONMENT": "development"})


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_debug_that_is_off_is_not(value: str) -> None:
    assert from_environment({"FLASK_DEBUG": value})


@pytest.mark.parametrize("bind", ["0.0.0.0:8000", "[::]:8000", "192.0.2.7:80", "play.example:80"])
def test_development_is_refused_where_others_come(bind: str) -> None:
    (mistake,) = mistakes(environment="development", bind=bind)
    assert mistake.startswith("MACAO_ENVIRONMENT: development tells the texts of faults")
    assert mistake.endswith(f"not «{bind}»")
    assert from_environment({"MACAO_BIND": bind})
    for own in ("127.0.0.1:8000", "127.5.5.5:1", "[::1]:8000", "localhost:8000"):
        assert from_environment({"MACAO_ENVIRONMENT": "development", "MACAO_BIND": own})


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("database_url", "postgresql+psycopg://postgres:postgres@db.example/macao"),
        ("database_url", "postgresql://house:changeme@db.example/macao"),
        ("database_url", "postgresql://house:HOUSE@db.example/macao"),
        ("database_url", "postgresql://house:Pass%77ord@db.example/macao"),
        ("rate_storage", "redis://:foobared@cache.example:6379/0"),
        ("rate_storage", "rediss://macao:macao@cache.example:6379/0"),
    ],
)
def test_a_password_that_everybody_knows_is_refused_in_production(name: str, url: str) -> None:
    (mistake,) = mistakes(**{name: url})
    assert mistake.startswith(f"MACAO_{name.upper()}: its password is one that everybody knows")
    assert "@" not in mistake
    assert from_environment({f"MACAO_{name.upper()}": url, "MACAO_ENVIRONMENT": "development"})


def test_a_password_of_its_own_and_none_at_all_are_taken() -> None:
    """None at all: a socket of the machine, or a certificate."""
    for url in (
        "postgresql://house:jd8-Kq2_vX0pL@db.example/macao",
        "postgresql://postgres:@/macao?host=/run/postgresql",
        "postgresql://house@db.example/macao",
        "sqlite:///var/macao.db",
    ):
        assert from_environment({"MACAO_DATABASE_URL": url}).database_url == url


def test_every_kind_of_mistake_has_a_line_of_its_own() -> None:
    """Unknown, malformed, contradictory and unsafe together: one line each, each beginning with its variable."""
    environment = {
        "MACAO_COLOUR": "red",
        "MACAO_BIND": "x",
        "MACAO_THREADS": "8",
        "MACAO_MAX_WAITERS": "9",
        "MACAO_RATE_STORAGE": "redis://:redis@cache.example",
        "FLASK_DEBUG": "1",
    }
    with pytest.raises(ConfigError) as caught:
        from_environment(environment)
    assert [line.split(":")[0] for line in caught.value.mistakes] == [
        "MACAO_COLOUR",
        "MACAO_BIND",
        "MACAO_MAX_WAITERS",
        "FLASK_DEBUG",
        "MACAO_RATE_STORAGE",
    ]
    assert not any("\n" in line for line in caught.value.mistakes)
