"""The timeline of a recorded run: computation and messages in flight."""

import pytest

from halcyon.base import ConfigError
from halcyon.plot.timeline import timeline_of, timeline_plot
from halcyon.schedule import read_record

# Two ranks: 2 s of work, messages of 8 bytes start, 3 s of work, they arrive, 1 s of work and a second
# exchange that is awaited at once.
RANK = """\
rank 8 8
part
send {peer} 0 0 0 8 1 0
receive {peer} 0 1 0 8 1 0
start 0
part
wait 0
run 0 2
run 1 3
run 0 1
run 1 0
"""


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "run.txt"
    buffers = "buffer panels send 0\nbuffer panels receive 0\n"
    path.write_text(f"halcyon schedule 1\nranks 2\n{buffers}{RANK.format(peer=1)}{RANK.format(peer=0)}")
    return read_record(path)


def test_flights_last_from_start_to_wait(record):
    timeline = timeline_of(record, 1)
    assert timeline.computations == [(0, 2), (2, 5), (5, 6)]
    flights = [(each.name, each.begin_s, each.end_s, each.n_bytes) for each in timeline.flights]
    assert flights == [("panels", 2, 5, 16), ("panels", 6, 6, 16)]


def test_it_is_drawn(record, tmp_path):
    timeline_plot(tmp_path / "whole.png", record, ranks=(0, 1, 0), begin_s=0, end_s=99)
    timeline_plot(tmp_path / "part.png", record, begin_s=1, end_s=4)
    assert (tmp_path / "whole.png").stat().st_size > 10_000
    assert (tmp_path / "part.png").read_bytes() != (tmp_path / "whole.png").read_bytes()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"begin_s": 5, "end_s": 4}, "from 5 s was requested. .* 0 to 6 s"),
        ({"begin_s": 7}, "from 7 s was requested"),
        ({"ranks": ()}, "of 0 ranks was requested. Give 1 to 8"),
        ({"ranks": (2,)}, "2"),
    ],
)
def test_mistakes_are_named(record, tmp_path, options, text):
    with pytest.raises(ConfigError, match=text):
        timeline_plot(tmp_path / "picture.png", record, **options)
