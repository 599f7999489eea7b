"""The files that a case names for one purpose."""

import glob
from pathlib import Path

from halcyon.base import ConfigError


def found_files(files):
    """The files that names and patterns stand for, sorted. Raises ConfigError for one without any."""
    paths = []
    for name in files:
        matched = [name] if Path(name).is_file() else glob.glob(str(name), recursive=True)
        matched = [each for each in matched if Path(each).is_file()]
        if not matched:
            raise ConfigError(
                f"There is no file {name}. Give the name of a netCDF file, or a pattern of some."
            )
        paths += matched
    return [Path(path) for path in sorted(set(map(str, paths)))]


def shown_files(paths):
    """Files in a few words, for errors."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
