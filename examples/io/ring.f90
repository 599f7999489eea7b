! Writes temperatures on a ring of cells, and reads them with a halo, on all ranks: ring FILE
program ring
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none
  integer, parameter :: n_cells = 40, n_levels = 3, n_records = 2
  type(halcyon_io_ranks) :: ranks
  integer, allocatable :: cells(:)  ! global ids: owned cells, then the halo cells on either side
  integer :: n_owned, rank, n_ranks
  character(256) :: path
  real(real32) :: largest

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  path = "ring.nc"
  if (command_argument_count() > 0) call get_command_argument(1, path)
  call find_cells()
  call ranks%create(MPI_COMM_WORLD%MPI_VAL)
  call write_ring()
  call MPI_Reduce(largest_difference(), largest, 1, MPI_REAL, MPI_MAX, 0, MPI_COMM_WORLD)
  call ranks%free()
  if (rank == 0) print "(a, f0.1, a)", "neighbours differ by ", largest, " K at most"
  call MPI_Finalize()

contains

  subroutine find_cells()
    integer :: n_before, last, i  ! n_before: number of cells of lower ranks

    n_before = n_cells * rank / n_ranks
    last = n_cells * (rank + 1) / n_ranks
    n_owned = last - n_before
    cells = [(i, i = n_before + 1, last), modulo(n_before - 1, n_cells) + 1, modulo(last, n_cells) + 1]
  end subroutine

  function schema_of_ring() result(schema)
    type(halcyon_schema) :: schema

    call schema%dimension("time", 0)
    call schema%dimension("cell", n_cells)
    call schema%dimension("level", n_levels)
    call schema%variable("time", halcyon_float64, ["time"])
    call schema%attribute("time", "units", "hours since 2000-01-01")
    call schema%variable("temperature", halcyon_float32, ["level", "cell ", "time "])
    call schema%attribute("temperature", "units", "K")
    call schema%attribute("", "title", "a ring")
  end function

  subroutine write_ring()
    type(halcyon_schema) :: schema
    type(halcyon_placement) :: owned
    type(halcyon_writer) :: writer
    real(real32), target :: temperature(n_levels, n_owned)
    real(real64), target :: hours(1)
    integer :: record, level

    schema = schema_of_ring()
    call owned%create(ranks, cells(:n_owned), n_cells)
    call writer%create(ranks, path, schema, n_records)
    do record = 1, n_records
      hours = 6.0_real64 * (record - 1)
      do level = 1, n_levels
        temperature(level, :) = 300 + (record - 1) - 6.5 * (level - 1) + 0.5 * modulo(cells(:n_owned) - 1, 8)
      end do
      call writer%write_root(record, halcyon_array("time", hours))
      call writer%write(record, owned, halcyon_array("temperature", temperature))
    end do
    call writer%close()
    call writer%free()
    call owned%free()
    call schema%free()
  end subroutine

  !> The largest difference between this rank's cells and their neighbours, in the last record.
  function largest_difference() result(largest)
    type(halcyon_placement) :: with_halo
    type(halcyon_reader) :: reader
    real(real32), target :: temperature(n_levels, n_owned + 2)
    real(real32) :: largest
    integer :: i, order(n_owned + 2)  ! positions of the cells along the ring

    call with_halo%create(ranks, cells, n_cells)
    call reader%open(ranks, path)
    call reader%read(n_records, with_halo, halcyon_array("temperature", temperature))
    call reader%close()
    call reader%free()
    call with_halo%free()
    order = [n_owned + 1, (i, i = 1, n_owned), n_owned + 2]
    largest = maxval(abs(temperature(:, order(2:)) - temperature(:, order(:n_owned + 1))))
  end function
end program
