"""A valid case: values, defaults, and the reference of its options."""

import pickle
from datetime import datetime

import pytest
from pydantic import ValidationError

from halcyon.config import load_case
from halcyon.config.forcing import ConstantWind
from halcyon.config.mesh import FileMesh
from halcyon.config.reference import reference


def test_values_and_defaults(write):
    """Values of the valid case, and defaults of the options that it leaves out."""
    path = write()
    case = load_case(path)
    assert case.mesh.spacing.coast == 27000.0
    assert case.time.start == datetime(2022, 9, 1)
    assert case.time.step == "auto"
    assert case.duration_s == 126 * 3600
    assert case.forcing.wind.track == path.parent / "track.csv"
    assert case.physics.values()["lambda"] == 0.25
    assert case.exchange.method == "auto"
    assert case.name == "case"
    assert case.folder == path.parent / "case.out"


def test_a_case_travels_to_other_ranks_and_never_changes(write):
    """A case equals its pickled copy, and its options cannot be assigned."""
    case = load_case(write())
    copy = pickle.loads(pickle.dumps(case))
    assert copy == case
    assert copy.folder == case.folder
    with pytest.raises(ValidationError):
        case.time.step = 5.0


@pytest.mark.parametrize(
    "text", ["2022-09-01T00:00", "2022-09-01 00:00", "2022-09-01", "'2022-09-01'", "2022-09-01T09:00+09:00"]
)
def test_ways_to_write_a_time(write, text):
    """Five ways to write one time in UTC, one of them with a time zone."""
    assert load_case(write("2022-09-01T00:00", text)).time.start == datetime(2022, 9, 1)


def test_ways_to_give_wind_and_mesh(write, tmp_path):
    case = load_case(write("{track: track.csv}", "{constant: {speed: 10, direction: 270}}"))
    assert isinstance(case.forcing.wind, ConstantWind)
    assert load_case(write("{track: track.csv}", "none")).forcing.wind == "none"
    (tmp_path / "mesh.nc").touch()
    case = load_case(write(), ["mesh={file: mesh.nc}"])
    assert isinstance(case.mesh, FileMesh)
    assert case.mesh.file == tmp_path / "mesh.nc"


@pytest.mark.parametrize("text", ["44014", "007", "1e5", "-3.50", "no", "true", "2024-01-01"])
def test_a_name_is_the_text_in_the_file(write, text):
    """A plain number or boolean is a station's name, and a title, as it is written."""
    case = load_case(write("name: Ieodo", f"name: {text}"), [f"title={text}"])
    assert (case.output.stations[0].name, case.title) == (text, text)
    assert load_case(write(), [f"output.stations.0.name={text}"]).output.stations[0].name == text


def test_overrides(write, tmp_path):
    """Overrides `option=value` change numbers, an entry of a list, a switch and the output folder."""
    changes = ["time.step=600", "output.stations.0.name=Socotra", "equations.refraction=false"]
    case = load_case(write(), [*changes, f"output.folder={tmp_path / 'elsewhere'}"])
    assert case.time.step == 600
    assert case.output.stations[0].name == "Socotra"
    assert case.equations.refraction is False
    assert case.folder == tmp_path / "elsewhere"


def test_an_alias_may_repeat_a_group(write):
    """A YAML alias (`*sea`) stands for the group, and the value, of its anchor (`&sea`)."""
    path = write(
        "{track: track.csv}",
        "{track: &file track.csv}\n  ice: &sea {files: [*file]}\n  current: *sea\n"
        "  water_level: {files: *file}",
    )
    forcing = load_case(path).forcing
    plain = "{track: track.csv}\n  ice: {files: [track.csv]}\n  current: {files: [track.csv]}"
    assert (
        forcing
        == load_case(write("{track: track.csv}", f"{plain}\n  water_level: {{files: track.csv}}")).forcing
    )
    assert forcing.current.files and forcing.ice.files == forcing.current.files


def test_every_option_is_documented():
    entries = list(reference())
    assert len(entries) > 60
    for entry in entries:
        assert entry.text, entry.name
        assert entry.is_group or entry.allowed not in ("", "another value"), entry.name


@pytest.mark.parametrize("name", ["wam3", "wam4", "ard", "test451", "test471", "st6", "fvwam"])
def test_physics_options_are_those_of_the_set(name):
    """The options of `physics` have the names, defaults and units of the C++ set of source terms."""
    from halcyon._core.wave import physics_options, physics_sets
    from halcyon.config.case import Case
    from halcyon.config.option import groups_by_tag, options_of

    groups = groups_by_tag(Case.model_fields["physics"].annotation)
    kinds = {tag.strip("<>"): kind for tag, kind in groups.items()}
    assert sorted(kinds) == sorted(physics_sets())
    table = {option.name: option for option in physics_options(name)}
    ours = options_of(kinds[name])
    assert set(table) == set(ours) - {"set", "preset", "schemes"}
    values = kinds[name]().values()
    assert values == {key: pytest.approx(option.value) for key, option in table.items()}
    assert {key: option.units for key, option in table.items()} == {
        key: ours[key].json_schema_extra["unit"] for key in table
    }


@pytest.mark.parametrize(
    ("text", "name", "charnock"),
    [("{set: ard}", "ard", 0.0065), ("{preset: fvwam}", "fvwam", 0.006), ("{set: wam4}", "wam4", 0.0065)],
)
def test_a_case_chooses_its_physics(write, text, name, charnock):
    """A set or a preset of source terms has the expected Charnock parameter."""
    case = load_case(write("output:", f"physics: {text}\noutput:"))
    assert case.physics.set == name
    assert case.physics.values()["charnock"] == charnock


def test_the_id_of_a_storm_may_be_a_number(tmp_path):
    """Storm ids of JTWC, which YAML reads as numbers, become text; other types are refused."""
    from halcyon.config.forcing import TrackWind

    assert TrackWind(track=tmp_path / "t.csv", storm=201826).storm == "201826"
    with pytest.raises(ValueError, match="storm"):
        TrackWind(track=tmp_path / "t.csv", storm=True)
