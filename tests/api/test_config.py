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


def test_a_password_is_not_told() -> None:
    (mistake,) = mistakes(database_url="mysql://ada:geheim@db.example/x")
    assert "geheim" not in mistake
