"""Foreign inputs with seeded mutations: only the errors of a user's mistake come out."""

import copy
import itertools
import random
from datetime import datetime

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.config.load_machine import load_machine
from halcyon.config.points import load_simulation
from halcyon.io.compare import compare
from halcyon.io.field_source import open_fields
from halcyon.mesh.geojson import read_region
from halcyon.mesh.grid_file import read_relief
from halcyon.mesh.sphere import to_points
from halcyon.plan.computation import read as read_costs
from halcyon.run.start.source import SourceInterpolator, open_source
from halcyon.score import collocate
from halcyon.score.altimeter import read_altimeter
from halcyon.score.buoys import read_buoy
from halcyon.simulate.build import _read_nodes
from halcyon.wave.gridded import WIND, Series, catalogue
from halcyon.wave.spectra import open_spectra
from halcyon.wave.track import read_track

SEED, N = 20220901, 40  # mutations of each input
BOX = 120.0, 20.0, 140.0, 40.0  # west, south, east, north [degrees]

CASE = """model: wave
title: "A \\u00e9"
mesh: {level: 4, spectrum: {frequencies: 30, directions: 24}, depth: {source: etopo5, minimum: 5}}
time: {start: 2022-09-01T00:00, end: 2022-09-01T06:00, step: auto, source_step: 600}
forcing:
  wind: {constant: {speed: 10, direction: 90}}
physics: {set: ard, betamax: 1.4}
output:
  interval: 3600
  variables: [significant_height, peak_period]
  stations:
    - {name: a, longitude: 130, latitude: 30}
restart: {interval: 3600, keep: 2}
"""
SIMULATION = """workload: {type: alltoall, block_bytes: 8, algorithm: ring-1}
ranks: 8
topology: {type: torus, sizes: [2, 2, 2]}
machine: {ranks_per_node: 1, links: {bandwidth: 1e10, latency: 1e-6}}
series: [{name: a, workload.algorithm: bruck}, {name: b}]
sweep: {ranks: [2, 4], engine.fidelity: [analytic, chunk]}
"""
MACHINE = """name: m
ranks_per_node: 4
links: {bandwidth: 1e10, latency: 1e-6, kinds: [{kind: local, bandwidth: 1e9, latency: 1e-6}]}
topology: {type: dragonfly, group: [4], groups: 3, global_links: 1}
measured: {a: [1, 2]}
"""
B_DECK = "".join(
    f"WP, 12, 202209{day:02}{hour:02},   , BEST,   0, {200 + day}N, {1300 - day}E, {40 + day}, {980 - day},"
    f" TY, {radius}, NEQ, 120, 100, 80, 90, 1008, 200, 20, 0, 0, W, 0, , 0, 0, HINNAMNOR, D\n"
    for day in range(1, 4)
    for hour in (0, 12)
    for radius in (34, 50)
)
NAMED = "time,latitude,longitude,pressure_hpa,wind_kt,rmax_nmi,r50_longest_nmi\n" + "".join(
    f"2022-09-{day:02}T00:00,{20 + day},{130 - day},{980 - day},{40 + day},20,60\n" for day in range(1, 8)
)
IBTRACS = (
    "SID,NAME,ISO_TIME,LAT,LON,USA_ATCF_ID,USA_WIND,USA_PRES,USA_RMW,USA_R34_NE\n,,,deg,deg,,kts,mb,nm,nm\n"
)
IBTRACS += "".join(
    f"2022239N22150,HINNAMNOR,2022-09-{day:02} 00:00:00,{20 + day},{130 - day},WP122022,{40 + day},970,20,9\n"
    for day in range(1, 6)
)
RSMC = "66666 2211   12 0011 2211 0 6             HINNAMNOR           20221110\n" + "".join(
    f"2209{day:02}00 002 4 {200 + day} {1300 - day} {980 - day}     0{50 + day}     00060 0060 20200 0150\n"
    for day in range(1, 6)
)
JTWC = "CY,Year,Month,Day,Hour,Lat,Lon,VMax,MSLP,SN\n" + "".join(
    f"12,2022,9,{day},0,{20 + day},{130 - day},{40 + day},{980 - day},202212\n" for day in range(1, 6)
)
WW3 = (
    "'WAVEWATCH III SPECTRA'     3     4     1 'a grid                '\n"
    " 0.500E-01 0.100E+00 0.200E+00\n  0.157E+01  0.000E+00  0.471E+01  0.314E+01\n"
    "20220901 000000\n'46042     '  36.75-122.42    2000.0   5.00 270.0   0.00   0.0\n"
    "  0.100E+00  0.200E-01  0.300E-99  0.100E+00  0.200E-01  0.300E-99  0.100E+00\n"
    "  0.100E+00  0.200E-01  0.300-100  0.100E+00  0.200E-01\n"
)
SWAN = (
    "SWAN   1\n$ a comment\nTIME\n1\nLONLAT\n1\n130.0 30.0\nAFREQ\n"
    "3\n0.05\n0.1\n0.2\nNDIR\n"
    "4\n0\n90\n180\n270\nQUANT\n"
    "1\nVaDens\nm2/Hz/degr\n-99\n20220901.000000\n"
    "FACTOR\n0.01\n1 2 3 4\n5 6 7 8\n9 1 2 3\n20220901.060000\nZERO\n"
)
REGION = """{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry":
{"type": "Polygon", "coordinates": [[[120, 20], [140, 20], [140, 40], [120, 40], [120, 20]]]}}]}"""
BUOY = "#YY  MM DD hh mm WVHT DPD APD MWD\n#yr mo dy hr mn m sec sec degT\n" + "".join(
    f"2022 09 01 {hour:02} 00 {1 + hour / 10} 8.0 5.0 120\n" for hour in range(12)
)
COSTS = '{"cells": [10, 100, 1000], "step": [1e-6, 1e-5, 1e-4], "ranks_at_once": 2}'
NODES = "0\n1\n2\n3\n"
WORDS = [
    *(
        "",
        "x",
        "-1",
        "nan",
        "1e999",
        "9" * 25,
        "9" * 5000,
        "\u00b2",
        "~",
        "~nobody/x",
        "[]",
        "{}",
    ),
    *(
        '"\\ud800"',
        "<<",
        "<a>",
        "!!set",
        "*a",
        "0x1",
        "true",
        "1.5",
        "/dev/zero",
        "/",
        "a" * 5000,
    ),
    *(
        ",",
        '"',
        "\0",
        "2022-13-01",
        "999999-01-01",
    ),
]


def mutated(text, generator):
    """Returns bytes of a text with one to three mutations."""
    content = text.encode()
    for _ in range(generator.choice((1, 1, 2, 3))):
        begin = generator.randrange(len(content) + 1)
        length = generator.choice((0, 1, 1, 4, 40))
        kind = generator.randrange(6)
        if kind == 0:
            new = bytes([generator.randrange(256)])
        elif kind == 1:
            new = content[begin : begin + length] * generator.choice((2, 50))
        elif kind == 2:
            new = b""
        else:  # a whole word is replaced
            ends = [i for i, c in enumerate(content) if c in b" ,:[]{}\n\"'"]
            begin, *rest = generator.choice([*itertools.pairwise(ends)] or [(0, 0)])
            begin, length = begin + 1, rest[0] - begin - 1
            new = generator.choice(WORDS).encode()
        content = content[:begin] + new + content[begin + length :]
    return content


def read_forcing(path):
    east, north = catalogue([path], WIND)
    for each in (east, north):
        times = [record.time for record in each.records]
        series = Series(each, lambda grid: grid.interpolation(np.array([130.0]), np.array([30.0])), times[0])
        series.read(0, 0.0)


def read_density(path):
    source = open_spectra([path], directions="from")
    source.density(0, np.arange(len(source.longitude)))


def read_faces(path):
    with open_fields([path]) as source:
        for field in source.select(None):
            source.values(field, 0 if field.has_time else None)


def read_start(path):
    with open_source(path, datetime(2022, 9, 1)) as source:
        variable = source.require_variable(WIND[0])
        interpolator = SourceInterpolator(source, to_points(np.array([130.0]), np.array([30.0])))
        interpolator.field(variable)


def read_comparison(path):
    compare(path, path)


def read_stations(path):
    buoy = path.with_name("44014.txt")
    buoy.write_text(BUOY)
    collocate(path, [str(buoy)])


BUOY_CSV = """time,hs [m],hs_qc,tp,mwd,wspd [kt]
2022-09-01T00:00,2.0,1,8,350,20
2022-09-01 01:00:00Z,99,4,,999,MM
"""
TEXTS = {
    "case.yaml": (CASE, load_case),
    "simulation.yaml": (SIMULATION, load_simulation),
    "machine.yaml": (MACHINE, lambda path: load_machine(str(path))),
    "b_deck": (B_DECK, read_track),
    "named": (NAMED, read_track),
    "ibtracs": (IBTRACS, read_track),
    "rsmc": (RSMC, read_track),
    "jtwc": (JTWC, read_track),
    "swan": (SWAN, read_density),
    "ww3": (WW3, read_density),
    "region.json": (REGION, read_region),
    "buoy.txt": (BUOY, read_buoy),
    "buoy.csv": (BUOY_CSV, read_buoy),
    "costs.json": (COSTS, lambda path: read_costs(path, ["step"])),
    "nodes": (NODES, _read_nodes),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(tmp_path, name):
    text, read = TEXTS[name]
    path, generator = tmp_path / name, random.Random(SEED)
    path.write_text(text)
    read(path)
    failures = []
    for _ in range(N):
        path.write_bytes(mutated(text, generator))
        failures += failure_of(read, path)
    assert not failures, "\n".join(map(str, failures))


def failure_of(read, path):
    """Returns the error of `read` in a list, if it is not one of a user's mistake that names the file."""
    try:
        read(path)
    except (ConfigError, InputError) as error:
        if str(path.parent) not in str(error):
            return [f"without the file: {error}"]
    except Exception as error:
        return [f"{type(error).__name__}: {str(error)[:300]}"]
    return []


TIME = (
    "f8",
    ("time",),
    [0.0, 3, 6],
    {"units": "hours since 2022-09-01", "calendar": "standard", "standard_name": "time"},
)
LAT = ("f8", ("lat",), [20.0, 30, 40], {"units": "degrees_north", "standard_name": "latitude"})
LON = ("f8", ("lon",), [120.0, 130, 140], {"units": "degrees_east", "standard_name": "longitude"})
FIELD = ("f4", ("time", "lat", "lon"), np.ones((3, 3, 3)))
WINDS = {
    "time": TIME,
    "lat": LAT,
    "lon": LON,
    "u10": (*FIELD, {"units": "m s-1", "standard_name": "eastward_wind", "long_name": "wind"}),
    "v10": (*FIELD, {"units": "m s-1", "standard_name": "northward_wind", "valid_range": [-99.0, 99.0]}),
}
GLOBE = WINDS | {"lat": (*LAT[:2], [-60.0, 0, 60], LAT[3]), "lon": (*LON[:2], [0.0, 120, 240], LON[3])}
RELIEF = {
    "lat": LAT,
    "lon": LON,
    "z": ("i2", ("lat", "lon"), np.ones((3, 3)), {"units": "m", "positive": "up", "scale_factor": 0.5}),
}
DENSITIES = {
    "time": TIME,
    "station": ("i4", ("station",), [1, 2], {}),
    "frequency": (
        "f4",
        ("frequency",),
        [0.1, 0.2],
        {"units": "s-1", "standard_name": "sea_surface_wave_frequency"},
    ),
    "direction": (
        "f4",
        ("direction",),
        [0, 90, 180, 270],
        {"units": "degree", "standard_name": "sea_surface_wave_from_direction"},
    ),
    "longitude": ("f4", ("station",), [130, 131], {"units": "degrees_east", "standard_name": "longitude"}),
    "latitude": ("f4", ("station",), [30, 31], {"units": "degrees_north", "standard_name": "latitude"}),
    "efth": (
        "f4",
        ("time", "station", "frequency", "direction"),
        np.ones((3, 2, 2, 4)),
        {"units": "m2 s rad-1"},
    ),
}
STATIONS = {
    "time": TIME,
    "station_name": ("S1", ("station", "length"), [list("44014")], {}),
    "lon": ("f8", ("station",), [130.0], {"units": "degrees_east"}),
    "lat": ("f8", ("station",), [30.0], {"units": "degrees_north"}),
    "significant_height": ("f4", ("time", "station"), [[1.0], [2], [3]], {"units": "m"}),
}
BUOY_FILE = {
    "time": ("f8", ("time",), [0.0, 3600, 7200], {"units": "seconds since 2022-09-01"}),
    "longitude": ("f8", ("longitude",), [130.0], {"units": "degrees_east"}),
    "latitude": ("f8", ("latitude",), [30.0], {"units": "degrees_north"}),
    "wave_height": ("f4", ("time", "latitude", "longitude"), np.ones((3, 1, 1)), {"units": "m"}),
}
IN_SITU = {
    "TIME": ("f8", ("TIME",), [0.0, 0.1, 0.2], {"units": "days since 1950-01-01T00:00:00Z"}),
    "LONGITUDE": ("f4", ("TIME",), [130.0, 130, 130], {"units": "degrees_east"}),
    "LATITUDE": ("f4", ("TIME",), [30.0, 30, 30], {"units": "degrees_north"}),
    "VHM0": ("f4", ("TIME", "DEPTH"), np.ones((3, 2)), {"units": "m"}),
    "VHM0_QC": ("i1", ("TIME", "DEPTH"), np.ones((3, 2)), {}),
    "TIME_QC": ("i1", ("TIME",), [1, 1, 4], {}),
}
CDIP = {
    "waveTime": ("i4", ("waveTime",), [0, 1800, 3600], {"units": "seconds since 1970-01-01 00:00:00 UTC"}),
    "waveHs": ("f4", ("waveTime",), [1.0, 2, 3], {"units": "meter"}),
    "waveFlagPrimary": ("i1", ("waveTime",), [1, 1, 4], {}),
    "metaDeployLatitude": ("f4", (), 30.0, {"units": "degrees_north"}),
    "metaDeployLongitude": ("f4", (), 130.0, {"units": "degrees_east"}),
}
ALTIMETER = {
    "time": ("f8", ("time",), [0.0, 1, 2], {"units": "seconds since 2000-01-01"}),
    "longitude": ("i4", ("time",), [130, 130, 130], {"units": "degrees_east"}),
    "latitude": ("i4", ("time",), [30, 31, 32], {"units": "degrees_north"}),
    "VAVH": ("i2", ("time",), [1000, 2000, 3000], {"units": "m", "scale_factor": 0.001}),
    "validation_flag": ("i1", ("time",), [0, 0, 1], {}),
}
FACES = {
    "mesh": (
        "i4",
        (),
        0,
        {
            "cf_role": "mesh_topology",
            "node_coordinates": "node_lon node_lat",
            "face_node_connectivity": "face_nodes",
            "face_dimension": "face",
            "topology_dimension": 2,
        },
    ),
    "node_lon": (
        "f8",
        ("node",),
        [0.0, 90, 180, 270, 0, 0],
        {"units": "degrees_east", "standard_name": "longitude"},
    ),
    "node_lat": (
        "f8",
        ("node",),
        [0.0, 0, 0, 0, 90, -90],
        {"units": "degrees_north", "standard_name": "latitude"},
    ),
    "face_nodes": (
        "i4",
        ("face", "three"),
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]],
        {"start_index": 0, "cf_role": "face_node_connectivity"},
    ),
    "time": TIME,
    "height": ("f4", ("time", "face"), np.ones((3, 8)), {"units": "m", "mesh": "mesh", "location": "face"}),
}
FILES = {
    "winds": (WINDS, read_forcing),
    "start": (GLOBE, read_start),
    "comparison": (WINDS, read_comparison),
    "relief": (RELIEF, lambda path: read_relief(path, BOX)),
    "densities": (DENSITIES, read_density),
    "stations": (STATIONS, read_stations),
    "buoy": (BUOY_FILE, read_buoy),
    "in_situ": (IN_SITU, read_buoy),
    "cdip": (CDIP, read_buoy),
    "altimeter": (ALTIMETER, read_altimeter),
    "faces": (FACES, read_faces),
}


ATTRIBUTES = [
    1,
    2.5,
    np.array([1, 2]),
    np.array([1.5, 2.5]),
    "",
    "x",
    "\u00e9",
    "hours since",
    "days since 0000-00-00",
    "degrees_north",
    "-",
    "1e999",
    np.array([], "i4"),
    "time",
    "noleap",
    "seconds since 99999-01-01",
]


def mutated_file(variables, generator):
    variables = copy.deepcopy(variables)
    name = generator.choice([*variables])
    kind, dimensions, values, attributes = variables[name]
    choice = generator.randrange(9)
    if choice < 4:
        keys = [
            *attributes,
            "units",
            "standard_name",
            "calendar",
            "positive",
            "_FillValue",
            "scale_factor",
            "valid_min",
            "missing_value",
            "coordinates",
            "axis",
            "bounds",
            "_Unsigned",
            "start_index",
            "long_name",
            "add_offset",
        ]
        attributes[generator.choice(keys)] = generator.choice(ATTRIBUTES)
    elif choice == 4 and attributes:
        del attributes[generator.choice([*attributes])]
    elif choice == 5:  # characters
        values = np.full(np.shape(values), b"x")
        kind = "S1"
    elif choice == 6 and dimensions:  # a scalar, or fewer dimensions
        axis = generator.randrange(len(dimensions))
        values = np.take(values, 0, axis)
        dimensions = dimensions[:axis] + dimensions[axis + 1 :]
    elif choice == 7 and kind != "S1":
        values = np.array(values, float)
        values.ravel()[: generator.choice((1, values.size))] = generator.choice(
            (np.nan, 1e30, -1e30, 0, np.inf)
        )
        kind = "f8"
    else:
        del variables[name]
        return variables
    variables[name] = kind, dimensions, values, attributes
    return variables


def write(path, variables):
    with Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        for name, (kind, dimensions, values, attributes) in variables.items():
            for dimension, size in zip(dimensions, np.shape(values), strict=True):
                if dimension not in file.dimensions:
                    file.createDimension(dimension, size)
            variable = file.createVariable(name, kind, dimensions)
            variable.set_auto_maskandscale(False)
            for key, value in attributes.items():
                try:
                    variable.setncattr(key, value)
                except Exception:
                    continue
            variable[...] = values


@pytest.mark.parametrize("name", FILES)
def test_netcdf_files(tmp_path, name):
    variables, read = FILES[name]
    path, generator = tmp_path / f"{name}.nc", random.Random(SEED)
    write(path, variables)
    read(path)
    failures = []
    for _ in range(N):
        try:
            write(path, mutated_file(variables, generator))
        except Exception:
            continue
        failures += failure_of(read, path)
    assert not failures, "\n".join(map(str, failures))
