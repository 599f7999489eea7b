"""The Fortran module: all procedures, their errors, and bindings of all C functions."""

import re

import pytest

from tests.capi import toolchain

HERE = toolchain.ROOT / "tests/fortran"
STRICT = ["-std=f2008", "-Wall", "-Wextra", "-Werror"]
STRICT += ["-Wno-compare-reals"]  # results are compared bit for bit
# false positives of gfortran 12 for `list = f()`
STRICT += ["-Wno-uninitialized", "-Wno-maybe-uninitialized"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A function that compiles a Fortran file of this folder."""
    prefix = toolchain.install(tmp_path_factory.mktemp("halcyon"))
    folder = tmp_path_factory.mktemp("programs")

    def compile_program(name, folder_of_source=HERE):
        return toolchain.compile_with_pkg_config(
            prefix, "halcyon-fortran", "mpif90", folder_of_source / f"{name}.f90", folder / name, *STRICT
        )

    return compile_program


def test_every_face(program, tmp_path):
    """All I/O procedures work on 1 to 4 ranks, and files have the same bytes."""
    io_program = program("io")
    for n in (1, 2, 3, 4):
        done = toolchain.mpirun(n, io_program, tmp_path / f"{n}.nc")
        assert done.stdout == "all procedures work, version 0.1.0\n"
    alone = (tmp_path / "1.nc").read_bytes()
    assert [n for n in (2, 3, 4) if (tmp_path / f"{n}.nc").read_bytes() != alone] == []


def test_every_face_of_halos(program, tmp_path):
    """All procedures of decompositions and halos work on 1 to 4 ranks."""
    from halcyon import mesh

    mesh.write_mpas(str(tmp_path / "mesh.nc"), mesh.uniform(2, tolerance=1e-2))
    halos_program = program("halos")
    for n in (1, 2, 3, 4):
        assert toolchain.mpirun(n, halos_program, tmp_path / "mesh.nc").stdout == "all halos work\n"


@pytest.mark.parametrize(
    "name, output",
    [
        ("transforms", "all transforms work\n"),
        ("bifouriers", "all waves work\n"),
        ("advections", "all advection works\n"),
        ("solvers", "all solvers work\n"),
    ],
)
def test_every_face_of_transforms(program, name, output):
    """All procedures of transforms on the sphere and on planes, advection and GCR work on 1 to 4 ranks."""
    transforms_program = program(name)
    for n in (1, 2, 3, 4):
        assert toolchain.mpirun(n, transforms_program).stdout == output


def test_mistakes_stop_all_ranks_with_one_message(program, tmp_path):
    (tmp_path / "damaged.nc").write_bytes(b"CDF\x02" + bytes(20))
    mistakes = program("mistakes")
    for kind, code, text in (
        ("folder", 3, "nowhere/a.nc: cannot create it: "),
        ("size", 1, "size.nc: heat needs 1 numbers, not 2."),
        ("damage", 2, "damaged.nc"),
    ):
        done = toolchain.mpirun(2, mistakes, tmp_path, kind, check=False)
        errors = [line for line in done.stderr.splitlines() if line.startswith("halcyon: ")]
        assert (done.returncode, len(errors), done.stdout) == (code, 1, ""), done.stderr
        assert text in errors[0]


def test_arrays_without_target_are_refused_by_the_compiler(program, tmp_path):
    text = (HERE / "mistakes.f90").read_text()
    (tmp_path / "careless.f90").write_text(text.replace("real(real32), target ::", "real(real32) ::"))
    with pytest.raises(AssertionError, match=r"no specific function for the generic .halcyon_array"):
        program("careless", tmp_path)


def test_all_functions_of_c_are_bound():
    """The generated Fortran module binds each function that the C headers declare."""
    folder = toolchain.ROOT / "cpp/halcyon/capi"
    headers = sorted(folder.glob("halcyon/*.h"))
    module = toolchain.run([toolchain.ROOT / "fortran/generate_abi", *headers]).stdout
    declared = re.findall(r"(halcyon_\w+)\(", toolchain.declarations(folder))
    assert declared
    assert [name for name in declared if not re.search(rf"\b{name}\b", module)] == []
    built = toolchain.RELEASE / "fortran/halcyon_abi.f90"
    assert not built.exists() or built.read_text() == module, "build the preset release again"
