"""Lists of whole numbers on a command line."""

from __future__ import annotations

from halcyon.base import ConfigError


def whole_numbers(option: str, text: str) -> list[int]:
    """The numbers of `8,64,512`, each once. Raises ConfigError that names the option if one is below 1."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and int(word) > 0 for word in words):
        raise ConfigError(f"{option} {text}: give whole numbers from 1 on with commas between, such as 8,64.")
    return list(dict.fromkeys(map(int, words)))
