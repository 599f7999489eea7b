"""A file of records in time that all ranks write together, behind the computation."""

import numpy as np

from halcyon._core.io import Type, Writer

_TYPES = {"i4": Type.int32, "f4": Type.float32, "f8": Type.float64}


def define(schema, name, type, dimensions, described):
    """Adds a variable to a schema; type: `i4`, `f4` or `f8`; described: its attributes (name, text or number
    of 32 bits)."""
    schema.variable(name, _TYPES[type], list(dimensions))
    attach(schema, name, described)


def attach(schema, name, described):
    """Adds attributes to a variable of a schema, or by the name "" to the file."""
    for key, value in described:
        kind = {int: [Type.int32], float: [Type.float32]}.get(value.__class__, [])
        schema.attribute(name, key, value, *kind)


class RecordsFile:
    """`path` appears when the file is closed and whole. Every method is collective.

    @param ranks `Ranks` that touch the file
    @param schema what it holds, with the variable `time`
    @param placement of this rank's items in its records
    @param n_records that are expected: their space is reserved
    @param progress from where the file that an earlier run left is continued, as `sync` gave it
    @param compression 1 to 9: makes it a netCDF-4 file when it is closed; 0: CDF-2 or CDF-5
    """

    def __init__(self, ranks, path, schema, placement, n_records, progress=None, compression=0):
        self.path, self._placement = path, placement
        self._n_records = 0 if progress is None else progress.n_records
        self._writer = Writer(ranks, str(path), schema, n_records, progress, compression)

    def _add(self, hours, arrays):
        """Adds a record: hours since the start of the run, and (name, numbers of this rank's items)."""
        record, self._n_records = self._n_records, self._n_records + 1
        self._writer.write_root(record, [("time", np.array([hours], float))])
        self._writer.write(record, self._placement, arrays)

    def sync(self):
        """Has the records brought to the disk before any file that is written after this.

        Returns the `Progress` from which the file can be continued."""
        return self._writer.sync_behind()

    def close(self):
        """Makes the file whole and gives it its name; in the background, soon: see `wait`."""
        self._writer.close()

    def check(self):
        """Raises RunError if something that is written in the background failed so far; does not wait."""
        self._writer.check()

    def wait(self):
        """Waits for what is still being written. Raises RunError if it failed."""
        self._writer.wait()

    @property
    def is_whole(self):
        """Whether the file has its name; known to rank 0 alone."""
        return self._writer.is_whole

    @property
    def waited_s(self):
        """How long this rank waited for the background [s]."""
        return self._writer.waited_s

    @property
    def worked_s(self):
        """How long this rank's background was at work on the file [s]."""
        return self._writer.worked_s
