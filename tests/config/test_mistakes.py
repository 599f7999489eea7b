"""Invalid cases. The error has one line per mistake: file, line number, given value and allowed values."""

import gc
import weakref

import pytest

from halcyon.base import ConfigError
from halcyon.config import load_case

OPTIONS = [
    ("model: wave", "model: waves", "1: model = 'waves' must be 'wave', 'atmosphere' or 'spectral'."),
    ("model: wave\n", "", "1: model is missing: The model. Give 'wave', 'atmosphere' or 'spectral'."),
    ("model: wave", "modle: wave", "1: unknown option 'modle'. Did you mean 'model'?"),
    ("  wind: {", "  wnd: {", "12: unknown option 'forcing.wnd'. Did you mean 'forcing.wind'?"),
    ("step: auto", "step: -5", "10: time.step = -5 must be positive seconds or 'auto'."),
    ("step: auto", "step: fast", "10: time.step = 'fast' must be positive seconds or 'auto'."),
    ("step: auto", "step: .nan", "10: time.step = nan must be positive seconds or 'auto'."),
    ("step: auto", "step: .inf", "10: time.step = inf must be positive seconds or 'auto'."),
    ("step: auto", "step: true", "10: time.step = true must be positive seconds or 'auto'."),
    ("step: auto", "step:", "10: time.step = nothing must be positive seconds or 'auto'."),
    (": 35", ": 35.5", "6: mesh.spectrum.frequencies = 35.5 must be an integer from 3 to 200."),
    (": 35", ": '35'", "6: mesh.spectrum.frequencies = '35' must be an integer from 3 to 200."),
    (": 35", ": 2", "6: mesh.spectrum.frequencies = 2 must be an integer from 3 to 200."),
    (
        "coast: 27e3",
        "coast: 27 km",
        "4: mesh.spacing.coast = '27 km' must be a number from 1000 to 1000000 [m].",
    ),
    (
        "2022-09-01T00:00",
        "2022-09-31",
        "8: time.start = '2022-09-31' must be a time in UTC such as 2022-09-01T00:00.",
    ),
    pytest.param(
        "{track: track.csv}",
        "{track: track.csv, inflow: 99}",
        "12: forcing.wind.inflow = 99 must be degrees from 0 to 60, 'auto', 'phadke' or 'zhang_uhlhorn'.",
        id="{track: track.csv}-{track: track.csv, inflow: 99}-12: forcing.wind.inflow = 99 must be degrees "
        "from 0 to 60, or 'phadke'.",
    ),
    (
        "{track: track.csv}",
        "{trak: track.csv}",
        "12: unknown option 'forcing.wind.trak'. Did you mean 'forcing.wind.track'?",
    ),
    (
        "{track: track.csv}",
        "strong",
        "12: forcing.wind = 'strong' must be a group with 'track' (storm), 'tracks' (storms), 'files'"
        " (a grid) or 'constant', or 'none'.",
    ),
    (
        "{track: track.csv}",
        "{track: track.csv, constant: {speed: 1, direction: 0}}",
        "12: forcing.wind.track does not go together with forcing.wind.constant. Remove one of them.",
    ),
    (
        "output:",
        "partition: {method: rib}\noutput:",
        "13: partition.method = 'rib' must be 'kway', 'recursive' or 'file'.",
    ),
    (
        "output:",
        "io: {layout: boxes}\noutput:",
        "13: io.layout = 'boxes' must be 'auto', 'direct', 'groups', 'box' or 'gather'.",
    ),
    (
        "output:",
        "io: {hints: {romio_cb_write: 1}}\noutput:",
        "13: io.hints = a group of options must be a group of texts, such as {romio_cb_write: enable}.",
    ),
    (
        "output:",
        "io: {piece: 1000}\noutput:",
        "13: io.piece = 1000 must be an integer of at least 65536 [bytes].",
    ),
    (
        "output:",
        "restart: {interval: never}\noutput:",
        "13: restart.interval = 'never' must be positive seconds or 'none'.",
    ),
    (
        "output:",
        "restart: {keep: 0}\noutput:",
        "13: restart.keep = 0 must be an integer from 1 to 1000.",
    ),
    (
        "output:",
        "initial: {type: flat}\noutput:",
        "13: initial.type = 'flat' must be 'fetch_law', 'calm' or 'restart'.",
    ),
    (
        "output:",
        "physics: {set: wam5}\noutput:",
        "13: physics.set = 'wam5' must be 'wam3', 'wam4', 'ard', 'test451', 'test471', 'st6' or 'fvwam'.",
    ),
    (
        "output:",
        "physics: {preset: wavewatch}\noutput:",
        "13: physics.preset = 'wavewatch' must be 'fvwam'.",
    ),
    (
        "output:",
        "physics: {set: ard, preset: fvwam}\noutput:",
        "13: physics.set = 'ard' must be 'fvwam' where the preset is 'fvwam'.",
    ),
    (
        "output:",
        "equations: {refraction: on}\noutput:",
        "13: equations.refraction = 'on' must be true or false.",
    ),
    (
        "output:",
        "equations: yes\noutput:",
        "13: equations = 'yes' must be a group of options (scheme, swell_age,",
    ),
    (
        "output:",
        "exchange: {method: get}\noutput:",
        "13: exchange.method = 'get' must be 'isend_recv', 'isend_irecv', 'persistent', 'neighbor', "
        "'ineighbor', 'neighbor_persistent', 'alltoallv', 'ialltoallv', 'shared', 'put' or 'auto'.",
    ),
    (
        "latitude: 32.12",
        "latitude: 132.12",
        "16: output.stations[0].latitude = 132.12 must be a number from -90 to 90 [degrees north].",
    ),
    (
        "    - {name: Ieodo, longitude: 125.18, latitude: 32.12}",
        "    - Ieodo",
        "16: output.stations[0] = 'Ieodo' must be a group of options: name, longitude, latitude, spectrum.",
    ),
    ("interval: 3600", "variables: [3]", "14: output.variables[0] = 3 must be a name."),
]

TOGETHER = [
    (
        "output:",
        "io: {ranks: 7}\noutput:",
        "13: io.ranks = 7 does nothing with io.layout = 'auto'. Leave it out, or take layout: box.",
    ),
    (
        "output:",
        "io: {layout: box, group_size: 9}\noutput:",
        "13: io.group_size = 9 does nothing with io.layout = 'box'. Leave it out, or take layout: groups.",
    ),
    (
        "output:",
        "equations: {scheme: upwind, swell_age: 3600}\noutput:",
        "13: equations.swell_age does nothing with equations.scheme = 'upwind'. Leave it out, or take",
    ),
    pytest.param(
        "step: auto",
        "step: 600\n  bands: 3",
        "11: time.bands = 3 does nothing with time.step = 600 s. Leave it out, or take step: auto.",
        id=(
            "step: auto-step: 600\n  bands: 3-11: time.bands = 3 does nothing beside"
            " time.step = 600 s. Leave it out, or take step: auto."
        ),
    ),
    (
        "output:",
        "physics: {set: wam3, breaker_index: 0.7}\noutput:",
        "13: physics.breaker_index does nothing with physics.breaking = 0 of set wam3. Give breaking: 1",
    ),
    (
        "{track: track.csv}",
        "{track: track.csv, inner_radius: 1e5}",
        "12: forcing.wind.inner_radius does nothing without an outer radius. Give outer_radius or background",
    ),
    pytest.param(
        "{track: track.csv}",
        "{files: w.nc, variables: {eastward: u, northward: u}}",
        "12: both components of forcing.wind are the variable 'u'. Name two different variables.",
        id=(
            "{track: track.csv}-{files: w.nc, variables: {eastward: u, northward: u"
            "}}-12: both components are the variable 'u': name two."
        ),
    ),
    (
        "output:",
        "exchange: {layers: 1}\noutput:",
        "13: exchange.layers = 1, but equations.scheme = 'second_order' needs 2. Give 2 or 'auto', or take",
    ),
    (
        "output:",
        "partition: {method: file}\noutput:",
        "13: partition.method = 'file' needs partition.file, such as graph.info.part.8.",
    ),
    (
        "output:",
        "partition: {file: track.csv}\noutput:",
        "13: partition.file does not go together with partition.method = 'kway'. Set the method to file, or",
    ),
    (
        "end: 2022-09-06T06:00",
        "end: 2022-08-06T06:00",
        "9: time.end = 2022-08-06T06:00:00 must be after time.start = 2022-09-01T00:00:00.",
    ),
    (
        "end: 2022-09-06T06:00",
        "end: 2022-09-06T06:01",
        "9: the run lasts 453660 s, which is not a multiple of time.source_step = 1200 s.",
    ),
    (
        "step: auto",
        "step: 700",
        "10: time.step = 700 s must divide time.source_step = 1200 s. Take 600 or 'auto'.",
    ),
    (
        "interval: 3600",
        "interval: 4000",
        "14: output.interval = 4000 s must be a multiple of time.source_step = 1200 s. Take 3600, or",
    ),
    (
        "interval: 3600",
        "segment: 5000",
        "14: output.segment = 5000 s must be a multiple of output.interval = 3600 s.",
    ),
    ("east: 155", "east: 100", "3: mesh.region.east = 100 must be larger than mesh.region.west = 115."),
    ("north: 45", "north: 10", "3: mesh.region.north = 10 must be larger than mesh.region.south = 10."),
    (
        "coast: 27e3",
        "coast: 80e3",
        "4: mesh.spacing.coast = 80000 m must not exceed mesh.spacing.ocean = 70000 m.",
    ),
    (
        ": 35",
        ": 70",
        "6: mesh.spectrum reaches 24.8 Hz, beyond the 5 Hz limit of wind waves. With this"
        " first_frequency and ratio give at most 53 frequencies.",
    ),
    ("frequencies: 35", "ratio: 2", "5: mesh.spectrum reaches 5.93e+08 Hz, beyond the 5 Hz"),
    (
        "latitude: 32.12}",
        "latitude: 52.12}",
        "16: station 'Ieodo' at 125.18 E, 52.12 N lies outside the region (115..155 E, 10..45 N).",
    ),
    pytest.param(
        "latitude: 32.12}",
        "latitude: 32.12}\n    - {name: Ieodo, longitude: 126, latitude: 32}",
        "17: the station name 'Ieodo' is already the name of station 1. Give another name.",
        id=(
            "latitude: 32.12}-latitude: 32.12}\n    - {name: Ieodo, longitude: 126, "
            "latitude: 32}-17: the station name 'Ieodo' is also that of station 1; "
            "names are unique."
        ),
    ),
    ("interval: 3600", "variables: [depth, depth]", "14: the variable 'depth' is named twice."),
    ("interval: 3600", "variables: [significant_hight]", "Did you mean 'significant_height'?"),
    ("track: track.csv", "track: trak.csv", "trak.csv does not exist. Did you mean 'track.csv'?"),
    pytest.param(
        "track: track.csv",
        "track: .",
        "is a folder. Give a file.",
        id="track: track.csv-track: .-is a folder; give a file.",
    ),
    (
        "coast: 27e3,",
        "transition: 6e4, coast: 27e3,",
        "4: mesh.spacing.transition = 60000 m is too short for well-shaped cells between 27000 and 70000 m."
        " Give at least 86000 m.",
    ),
    ("  spectrum:", "  coast: {source: land.geojson}\n  spectrum:", "land.geojson does not exist."),
    (
        "  spectrum:",
        "  depth: {source: depth.nc}\n  spectrum:",
        "depth.nc does not exist.",
    ),
]

SYNTAX = [
    ("model: wave", "model: wave\nmodel: wave", "2: model is given twice, first in line 1."),
    ("  interval: 3600", "\tinterval: 3600", "Indent with spaces, not with tabs."),
    ("model: wave", "model: {wave", "not valid YAML"),
    pytest.param(
        "model: wave",
        "model: !python/object:os.system x",
        "1: the YAML tag !python/object:os.system is not supported",
        id=(
            "model: wave-model: !python/object:os.system x-1: the tag !python/objec"
            "t:os.system is not known here"
        ),
    ),
    pytest.param(
        "model: wave",
        "model: &a [*a]",
        "1: a YAML alias may not contain itself.",
        id="model: wave-model: &a [*a]-1: an alias may not contain itself.",
    ),
    ("model: wave", "? [1, 2]\n: wave", "1: an option's name must be a word."),
    ("model: wave", "model: wave\n---\nmodel: wave", "not valid YAML"),
]


@pytest.mark.parametrize(("old", "new", "expected"), OPTIONS + TOGETHER + SYNTAX)
def test_one_mistake_is_one_line(write, old, new, expected):
    """A mistake raises an error of one line, which begins with the path and has the expected text."""
    path = write(old, new)
    with pytest.raises(ConfigError) as caught:
        load_case(path)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert text.startswith(f"{path}:")
    assert expected in text


def test_who_keeps_an_error_is_freed(write):
    """An error does not keep the local variables of its callers alive, as the traceback of a validator's
    ValueError would."""
    path = write("2022-09-01T00:00", "2022-09-31")

    class Local:
        pass

    def reference_after_error():
        local = Local()
        with pytest.raises(ConfigError) as caught:
            load_case(path)
        assert "must be a time" in str(caught.value)
        return weakref.ref(local)

    local = reference_after_error()
    gc.collect()
    assert local() is None


def test_all_mistakes_are_listed_in_the_order_of_the_file(write):
    path = write("model: wave", "modle: wave")
    with pytest.raises(ConfigError) as caught:
        load_case(path, ["time.source_step=x", "mesh.spacing.ocean=0"])
    lines = str(caught.value).splitlines()
    assert lines[0] == "the case has 3 mistakes:"
    assert lines[1].startswith(f"{path}:1: unknown option 'modle'")
    assert lines[2].startswith("--set mesh.spacing.ocean=0: mesh.spacing.ocean = 0 must be")
    assert lines[3].startswith("--set time.source_step=x: time.source_step = 'x' must be")


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("time.step", "write --set option=value"),
        ("=5", "write --set option=value"),
        ("time..step=5", "'time..step' has an empty name"),
        ("time.step=[", "the value cannot be read"),
        ("time.step.x=5", "time.step is 'auto' in the case, not a group"),
        ("output.stations.7.name=A", "output.stations is a list of 1"),
        ("tim.step=5", "unknown option 'tim'. Did you mean 'time'?"),
        ("time.step=-1", "time.step = -1 must be positive seconds or 'auto'."),
        ("mesh.file=mesh.nc", "mesh.region does not go together with mesh.file"),
    ],
)
def test_errors_name_the_override(write, override, expected):
    """The error of an invalid override has the expected text, and begins with the override, except for two
    groups that exclude each other."""
    with pytest.raises(ConfigError) as caught:
        load_case(write(), [override])
    assert expected in str(caught.value)
    if "mesh.file" not in override:
        assert str(caught.value).startswith(f"--set {override}: ")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty"),
        (b"# nothing\n", "is empty"),
        pytest.param(b"- a\n", "a case file holds options", id="- a\n-a case is a group of options"),
        pytest.param(b"wave\n", "a case file holds options", id="wave\n-a case is a group of options"),
        (b"\x89PNG\r\n\x1a\n", "is not a text file"),
        (b"CDF\x05\x00\x00", "is not a text file"),
        (b"model: \x07\n", "is not valid YAML"),
        (b"[" * 1_200, "nested more than 50 deep"),
    ],
)
def test_files_that_are_no_case(tmp_path, content, expected):
    """Empty files, files that are not text, and YAML without options are refused with the reason."""
    path = tmp_path / "case.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=expected):
        load_case(path)


def test_a_missing_case_names_those_that_are_there(write):
    """A wrong path raises an error that lists the case files of the folder, or says that the path or its
    folder is wrong."""
    path = write()
    with pytest.raises(ConfigError, match=r"cas\.yaml does not exist\. Case files in .*: case\.yaml\."):
        load_case(path.with_name("cas.yaml"))
    with pytest.raises(ConfigError, match="is a folder"):
        load_case(path.parent)
    with pytest.raises(ConfigError, match=r"The folder .* does not exist either"):
        load_case(path.parent / "nowhere/case.yaml")
