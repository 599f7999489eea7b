"""Abbreviations of options, values and variables that other models use, for errors with "Did you mean ...?".

The sources are WAM and ECMWF, WAVEWATCH III (namelists, switches, output parameters), SWAN (commands and
output quantities), MPAS (namelists) and MPI. Keys are in lower case, without the prefix `config_` of MPAS.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_DIRECTION = ("mean_direction",)
_STEP = ("time.step",)
_SOURCE_STEP = ("time.source_step",)
_FREQUENCIES = ("mesh.spectrum.frequencies", "workload.bins")
_DIRECTIONS = ("mesh.spectrum.directions",)
_RANKS = ("ranks", "workload.ranks", "io.ranks")

ABBREVIATIONS: dict[str, tuple[str, ...]] = {  # the Halcyon names that each abbreviation may mean
    # variables of the wave model
    **dict.fromkeys(("hs", "hm0", "swh", "hsig", "hsign", "vhm0"), ("significant_height",)),
    **dict.fromkeys(("hmax", "cmax", "hcmax"), ("expected_maximum_height",)),
    **dict.fromkeys(("tp", "rtp", "tps", "pp1d", "fp", "fpeak", "vtpk"), ("peak_period",)),
    **dict.fromkeys(("tm", "mwp", "tm10", "tm_10", "tmm10", "t0m1", "te", "vtm10"), ("mean_period",)),
    **dict.fromkeys(("t01", "tm01", "tm1", "mp1"), ("mean_period_01",)),
    **dict.fromkeys(("t02", "tm02", "tz", "tm2", "mp2", "vtm02"), ("mean_period_02",)),
    **dict.fromkeys(("dir", "mwd", "thetam", "dm", "vmdr"), _DIRECTION),
    **dict.fromkeys(("dp", "pdir", "thp", "vped"), ("peak_direction",)),
    **dict.fromkeys(("spr", "dspr", "wdw", "sigma_theta"), ("spreading",)),
    **dict.fromkeys(("uss", "ussx"), ("eastward_stokes_drift",)),
    **dict.fromkeys(("ussy",), ("northward_stokes_drift",)),
    **dict.fromkeys(("cge", "transp", "fe"), ("eastward_energy_flux",)),
    **dict.fromkeys(("shww", "hsea"), ("wind_sea_height",)),
    **dict.fromkeys(("mpww",), ("wind_sea_period",)),
    **dict.fromkeys(("mdww",), ("wind_sea_direction",)),
    **dict.fromkeys(("shts", "hswell"), ("swell_height",)),
    **dict.fromkeys(("mpts",), ("swell_period",)),
    **dict.fromkeys(("mdts",), ("swell_direction",)),
    **dict.fromkeys(("phs", "phs1"), ("swell_1_height",)),
    **dict.fromkeys(("ust", "ustar", "u_star", "friv"), ("friction_velocity",)),
    **dict.fromkeys(("z0", "rough"), ("roughness_length",)),
    **dict.fromkeys(("taw", "taux", "tau"), ("eastward_stress",)),
    **dict.fromkeys(("u10", "u10m", "wnd", "uwnd", "10u"), ("eastward_wind", "forcing.wind")),
    **dict.fromkeys(("v10", "v10m", "vwnd", "10v"), ("northward_wind",)),
    **dict.fromkeys(("cur", "ucur", "vel"), ("eastward_current", "forcing.current")),
    **dict.fromkeys(("vcur",), ("northward_current",)),
    **dict.fromkeys(("wlv", "watlev", "lev", "zeta", "ssh"), ("water_level", "forcing.water_level")),
    **dict.fromkeys(("ice", "ci", "siconc", "aice"), ("ice_fraction", "forcing.ice")),
    **dict.fromkeys(("dpt", "dep", "bathy", "bathymetry"), ("depth", "mesh.depth")),
    **dict.fromkeys(("ef", "efth", "spc", "spec"), ("action", "output.spectra")),
    # variables of the atmosphere
    **dict.fromkeys(("vo", "vor", "relvort"), ("vorticity",)),
    **dict.fromkeys(("theta", "pt"), ("potential_temperature",)),
    **dict.fromkeys(("ps", "psfc", "sp"), ("surface_pressure",)),
    **dict.fromkeys(("gh", "z", "zg"), ("height", "geopotential_height")),
    **dict.fromkeys(("t", "temp"), ("temperature",)),
    # the wave spectrum and the time steps
    **dict.fromkeys(("nk", "nf", "nfreq", "nfre", "msc", "mfre"), _FREQUENCIES),
    **dict.fromkeys(("nth", "ntheta", "ndir", "nang", "mdc", "mang"), _DIRECTIONS),
    **dict.fromkeys(("fr1", "freq1", "fmin", "flow", "f1"), ("mesh.spectrum.first_frequency",)),
    **dict.fromkeys(("xfr", "fratio", "co"), ("mesh.spectrum.ratio",)),
    **dict.fromkeys(
        ("dt", "dtg", "dtmax", "dtxy", "dtcfl", "deltat", "time_step", "timestep", "idelpro"), _STEP
    ),
    **dict.fromkeys(("dts", "dtmin", "idelt", "dt_source", "source_dt"), _SOURCE_STEP),
    **dict.fromkeys(("tstart", "tbeg", "start_time", "begtc"), ("time.start",)),
    **dict.fromkeys(("tend", "tstop", "stop_time", "endtc"), ("time.end",)),
    **dict.fromkeys(
        ("depmin", "dmin", "zlim", "min_depth", "hmin"), ("equations.least_depth", "mesh.depth.minimum")
    ),
    **dict.fromkeys(("cice", "cicen", "cice0"), ("equations.ice_threshold",)),
    **dict.fromkeys(("irefra", "flcth"), ("equations.refraction",)),
    **dict.fromkeys(("pr1", "fo", "first_order"), ("upwind",)),
    **dict.fromkeys(("pr2", "pr3", "uq", "uno"), ("second_order",)),
    # the source terms and physics sets of the wave model
    **dict.fromkeys(("st1", "wam", "wamc3", "wam_cycle3", "wam_cycle_3", "cycle3", "komen"), ("wam3",)),
    **dict.fromkeys(("st3", "wamc4", "wam_cycle4", "wam_cycle_4", "cycle4", "bja", "janssen"), ("wam4",)),
    **dict.fromkeys(("st4", "ardhuin", "ard10"), ("ard",)),
    **dict.fromkeys(("bydb", "babanin", "zieger", "donelan"), ("st6",)),
    **dict.fromkeys(("betamx", "beta_max"), ("physics.betamax",)),
    **dict.fromkeys(("zalp", "zalpha"), ("physics.z_alpha",)),
    **dict.fromkeys(("alpha0", "alpha_charnock"), ("physics.charnock",)),
    **dict.fromkeys(("bj", "gamma", "gamma_bj", "bjgam"), ("physics.breaker_index",)),
    **dict.fromkeys(("snl4", "nl1", "dia", "lamdnl4", "nlprop"), ("physics.transfer", "physics.lambda")),
    **dict.fromkeys(("bt1", "jonswap", "fric", "sbt1", "cfjon"), ("physics.friction",)),
    **dict.fromkeys(("db1", "surf", "brea"), ("physics.breaking",)),
    **dict.fromkeys(("ln1", "slin", "cavaleri"), ("physics.linear_growth",)),
    **dict.fromkeys(("sds", "sdsc2", "cds", "sdsc1"), ("physics.whitecapping",)),
    **dict.fromkeys(("sdsbr", "br"), ("physics.saturation_threshold",)),
    **dict.fromkeys(("tauwshelter", "s_u"), ("physics.sheltering",)),
    **dict.fromkeys(("swellf", "swellf1"), ("physics.swell_damping",)),
    # the atmosphere
    **dict.fromkeys(("nlev", "nlevs", "nz", "nvertlevels", "klev", "nflevg"), ("levels.count",)),
    **dict.fromkeys(("ztop", "ptop", "model_top"), ("levels.top",)),
    **dict.fromkeys(("trunc", "nsmax", "tl", "tco"), ("mesh.truncation",)),
    **dict.fromkeys(("glevel", "grid_level"), ("mesh.level",)),
    **dict.fromkeys(("apvm", "apvm_upwinding"), ("equations.anticipation",)),
    **dict.fromkeys(("coef_3rd_order", "upwind_coefficient"), ("equations.upwinding",)),
    **dict.fromkeys(("epssm", "off_centering"), ("equations.off_centring",)),
    **dict.fromkeys(("smdiv", "divdamp"), ("equations.divergence_damping",)),
    **dict.fromkeys(("visc4", "visc4_2dsmag", "del4", "nu"), ("equations.hyperdiffusion",)),
    **dict.fromkeys(("visc2", "del2"), ("equations.diffusion",)),
    **dict.fromkeys(("zd", "xnutr", "rayleigh"), ("equations.sponge",)),
    **dict.fromkeys(("sw", "swe", "swm"), ("shallow_water",)),
    **dict.fromkeys(("nh", "nonhyd"), ("nonhydrostatic",)),
    **dict.fromkeys(("hydro", "pe"), ("hydrostatic", "primitive")),
    **dict.fromkeys(("hs94", "heldsuarez"), ("held_suarez",)),
    **dict.fromkeys(("jw06", "umjs14", "dcmip16", "jablonowski"), ("baroclinic_wave",)),
    **dict.fromkeys(("tc1", "w1", "williamson1"), ("cosine_bell",)),
    **dict.fromkeys(("tc2", "w2", "williamson2"), ("solid_rotation",)),
    **dict.fromkeys(("tc5", "w5", "williamson5"), ("mountain",)),
    **dict.fromkeys(("tc6", "w6", "williamson6", "rh4"), ("rossby_haurwitz",)),
    **dict.fromkeys(("galewsky",), ("barotropic_jet",)),
    **dict.fromkeys(("rk", "rk3", "rk4"), ("runge_kutta",)),
    **dict.fromkeys(("si", "sisl"), ("semi_implicit",)),
    # output and restart
    **dict.fromkeys(("output_interval", "dtout", "ideltout"), ("output.interval",)),
    **dict.fromkeys(("points", "buoys", "point_output"), ("output.stations",)),
    **dict.fromkeys(("restart_interval", "dtrst", "idelres"), ("restart.interval",)),
    **dict.fromkeys(("outdir", "out_dir"), ("output.folder",)),
    # MPI and networks
    **dict.fromkeys(("np", "nprocs", "nproc", "npes", "n_ranks", "ntasks"), _RANKS),
    **dict.fromkeys(("isend", "irecv", "p2p", "point_to_point", "nonblocking"), ("isend_irecv",)),
    **dict.fromkeys(("send_init", "recv_init", "startall"), ("persistent",)),
    **dict.fromkeys(("neighbor_alltoallv", "mpi_neighbor_alltoallv"), ("neighbor",)),
    **dict.fromkeys(("ineighbor_alltoallv", "mpi_ineighbor_alltoallv"), ("ineighbor",)),
    **dict.fromkeys(("shm", "shmem", "win_allocate_shared"), ("shared",)),
    **dict.fromkeys(("rma", "mpi_put", "one_sided"), ("put",)),
    **dict.fromkeys(("a2a", "mpi_alltoall", "mpi_alltoallv"), ("alltoall", "alltoallv")),
    **dict.fromkeys(("mpi_allreduce",), ("allreduce",)),
    **dict.fromkeys(("pairwise",), ("ring",)),
    **dict.fromkeys(("fattree", "clos", "xgft"), ("fat_tree",)),
    **dict.fromkeys(("dfly",), ("dragonfly",)),
    **dict.fromkeys(("dmodk", "d_mod"), ("d_mod_k",)),
    **dict.fromkeys(("lat",), ("output.stations.latitude",)),
    **dict.fromkeys(("lon", "lng"), ("output.stations.longitude",)),
    **dict.fromkeys(("alpha",), ("links.latency", "machine.links.latency")),
    **dict.fromkeys(("bw",), ("links.bandwidth", "machine.links.bandwidth")),
    **dict.fromkeys(("mtu",), ("packet_bytes", "machine.packet_bytes")),
    **dict.fromkeys(("eager_limit", "rndv_threshold"), ("eager_bytes", "machine.eager_bytes")),
    **dict.fromkeys(("ppn",), ("ranks_per_node", "machine.ranks_per_node")),
    **dict.fromkeys(("rb", "bisection"), ("recursive",)),
}


def meanings(word: str) -> tuple[str, ...]:
    """The names that an abbreviation may mean; for options the dotted name."""
    return ABBREVIATIONS.get(word.lower().replace("-", "_").removeprefix("config_"), ())


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The known name that `word` abbreviates, or else the most similar one; None if none is similar. `word`
    may be a dotted name whose last part is abbreviated, such as time.dt."""
    names = {name.lower(): name for name in known}
    for meaning in dict.fromkeys((*meanings(word), *meanings(word.rpartition(".")[2]))):
        name = names.get(meaning) or names.get(meaning.rpartition(".")[2])
        if name is not None:
            return name
    similar = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return names[similar[0]] if similar else None
