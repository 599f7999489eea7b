! Calls every I/O procedure with arrays of every type and rank, also with errors that set stat and errmsg.
! Usage: io FILE
program io
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  implicit none
  integer, parameter :: n_cells = 11, n_levels = 2, n_bins = 3
  type(halcyon_io_ranks) :: ranks
  type(halcyon_placement) :: on_cells
  type(halcyon_schema) :: schema
  integer(int32), allocatable, target :: numbers(:)
  integer(int64), allocatable, target :: ids(:), levels(:, :)
  real(real32), allocatable, target :: spectra(:, :, :)
  real(real64), allocatable, target :: heat(:, :)
  character(256) :: path
  integer :: n_owned, rank, n_ranks, thread_level

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, thread_level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call get_command_argument(1, path)
  call ranks%create(MPI_COMM_WORLD%MPI_VAL, bytes=1000_int64, layout="groups", group_size=2, &
                    hints="romio_cb_write=disable", background=.true.)
  call expect(thread_level == MPI_THREAD_MULTIPLE, "threads of MPI")
  call expect(index(ranks%description(), "groups: ") == 1, "the description of groups")
  call make_fields()
  call on_cells%create(ranks, ids, int(n_cells, int64))
  call expect(on_cells%is_partition(), "a partition")
  call make_schema()
  call write_and_resume()
  call read_back()
  call verify()
  call check_errors()
  call schema%free()
  call on_cells%free()
  call ranks%free()
  if (rank == 0) print "(a)", "all procedures work, version " // halcyon_version()
  call MPI_Finalize()

contains

  !> Ends the program with an error, unless the condition holds on this rank.
  subroutine expect(condition, label)
    logical, intent(in) :: condition
    character(*), intent(in) :: label

    if (condition) return
    write (error_unit, "(a, i0, 2a)") "rank ", rank, " failed: ", label
    error stop 9
  end subroutine

  !> Cells are distributed round-robin; each value encodes its cell, level and bin.
  subroutine make_fields()
    integer :: i, level, bin

    ids = [(int(i, int64), i = rank + 1, n_cells, n_ranks)]
    n_owned = size(ids)
    numbers = int(ids, int32) * 3
    allocate (levels(n_levels, n_owned), heat(n_levels, n_owned), spectra(n_bins, n_levels, n_owned))
    do level = 1, n_levels
      levels(level, :) = ids + 100 * level
      heat(level, :) = ids / 3.0_real64 + level
      do bin = 1, n_bins
        spectra(bin, level, :) = real(ids + 100 * level + 1000 * bin, real32)
      end do
    end do
  end subroutine

  subroutine make_schema()
    call schema%dimension("time", 0)
    call schema%dimension("cell", int(n_cells, int64))
    call schema%dimension("level", n_levels)
    call schema%dimension("bin", n_bins)
    call schema%variable("numbers", halcyon_int32, ["cell"])
    call schema%variable("levels", halcyon_int64, ["level", "cell "])
    call schema%variable("spectra", halcyon_float32, ["bin  ", "level", "cell ", "time "])
    call schema%variable("heat", halcyon_float64, ["level", "cell ", "time "])
    call schema%attribute("heat", "units", "J")
    call schema%attribute("heat", "missing", 1e30_real64)
    call schema%attribute("heat", "scale", 0.5_real32)
    call schema%attribute("numbers", "factor", 3)
    call schema%attribute("numbers", "most", 33_int64)
    call schema%attribute("", "title", "I/O from Fortran")
    call expect(schema%bytes(2) == n_cells * (4 + 8 * n_levels + 2 * n_levels * (4 * n_bins + 8)), "bytes")
  end subroutine

  subroutine write_and_resume()
    type(halcyon_writer) :: writer
    character(:), allocatable :: progress

    call writer%create(ranks, path, schema, 2)
    call writer%write(halcyon_no_record, on_cells, [halcyon_array("numbers", numbers), &
                                                    halcyon_array("levels", levels)])
    call writer%write(1, on_cells, [halcyon_array("spectra", spectra), halcyon_array("heat", heat)])
    call writer%sync(progress)
    call writer%wait()
    call writer%free()
    call MPI_Barrier(MPI_COMM_WORLD)
    heat = -heat
    call writer%continue(ranks, path, schema, 2, progress)
    call writer%write(2, on_cells, [halcyon_array("spectra", spectra), halcyon_array("heat", heat)])
    call writer%close()
    call writer%wait()
    call expect(writer%waited() >= 0, "time waited")
    call writer%free()
  end subroutine

  subroutine read_back()
    type(halcyon_reader) :: reader
    integer(int64), target :: all_numbers(n_cells)
    real(real64), target :: found_heat(n_levels, n_owned), found_spectra(n_bins, n_levels, n_owned)
    integer :: i

    call reader%open(ranks, path)
    call expect(all(reader%names() == ["numbers", "levels ", "spectra", "heat   "]), "names")
    call expect(reader%n_records() == 2, "two records")
    call expect(all(reader%shape("spectra") == [n_bins, n_levels, n_cells]), "a shape")
    call expect(reader%text("heat", "units") == "J", "units")
    call expect(reader%text("", "title") == "I/O from Fortran", "a title")
    call reader%read(2, on_cells, [halcyon_array("heat", found_heat), halcyon_array("spectra", found_spectra)])
    call expect(all(found_heat == heat), "heat of the second record")
    call reader%read(1, on_cells, halcyon_array("heat", found_heat))
    call expect(all(found_heat == -heat), "heat of the first record")
    call expect(all(found_spectra == spectra), "spectra as doubles")
    call reader%read_all(halcyon_no_record, halcyon_array("numbers", all_numbers))
    call expect(all(all_numbers == [(3 * i, i = 1, n_cells)]), "all numbers")
    call reader%close()
    call reader%free()
  end subroutine

  subroutine verify()
    type(halcyon_verified) :: verified

    call MPI_Barrier(MPI_COMM_WORLD)
    verified = halcyon_verify(path)
    call expect(verified%format == "CDF-5", "the format")
    call expect(verified%n_checked == 4 .and. verified%n_variables == 4, "four checksums")
    call expect(verified%header_checked .and. verified%bytes > 0, "a header")
  end subroutine

  !> Errors set stat and errmsg on all ranks, and the program continues.
  subroutine check_errors()
    type(halcyon_reader) :: reader
    type(halcyon_writer) :: writer
    type(halcyon_io_ranks) :: other_ranks
    type(halcyon_placement) :: placement
    real(real64), target :: too_few(n_levels, n_owned - merge(1, 0, rank == 0))
    character(200) :: text
    character(:), allocatable :: units
    integer :: status

    text = "untouched"
    call other_ranks%create(MPI_COMM_WORLD%MPI_VAL, stat=status, errmsg=text)
    call expect(status == 0 .and. text == "untouched", "success")
    call other_ranks%create(MPI_COMM_WORLD%MPI_VAL, layout="circle", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "io.layout is 'circle'") == 1, "a layout that is refused")
    call placement%create(ranks, [n_cells + 1], n_cells, stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "The global id 11 ") == 1, "an id that is refused")
    call reader%open(ranks, "nowhere/a.nc", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "nowhere/a.nc") > 0, "a file that is missing")
    call writer%create(other_ranks, "nowhere/a.nc", schema, 1, stat=status, errmsg=text)
    call expect(status == 3 .and. index(text, "nowhere/a.nc: cannot create it") > 0, "a folder that is missing")
    call reader%open(ranks, path)
    units = reader%text("heat", "color", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "no text attribute heat:color") > 0, "an attribute that is missing")
    call reader%read(1, on_cells, halcyon_array("heat", too_few), stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "heat has ") > 0, "numbers that are missing on one rank")
    call reader%close()
    call reader%free()
    call other_ranks%free()
  end subroutine
end program
