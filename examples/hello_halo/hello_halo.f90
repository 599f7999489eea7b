! Halo exchange of a small model with Halcyon: hello_halo [MESH]
!
! Two fields on the cells of a longitude-latitude grid, or of a mesh file in the MPAS format, hold global ids.
! Every rank sums over the neighbours of its cells; the inner cells overlap with the halo exchange.
program hello_halo
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: n_longitudes = 24, n_latitudes = 12, n_levels = 10, n_halo_layers = 1
  type(halcyon_topology) :: topology
  type(halcyon_decomposition) :: part
  type(halcyon_halo) :: halo
  real(real64), pointer, contiguous :: heat(:)
  real(real32), pointer, contiguous :: wind(:, :)
  real(real64), allocatable :: sums(:)
  integer(int64), allocatable :: ids(:)
  integer, allocatable :: offsets(:), neighbours(:)  ! of owned cell i: neighbours(offsets(i):offsets(i + 1) - 1)
  integer :: n_inner, n_owned, n_local, rank, n_ranks, level, i
  integer(int64) :: counts(3), all_counts(3)  ! halo cells, wrong values, sum over neighbours
  character(256) :: path

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)

  ! Decompose the mesh, partitioned by METIS.
  if (command_argument_count() > 0) then
    call get_command_argument(1, path)
    call topology%read(path)
  else
    call topology%create(grid())
  end if
  call part%create(MPI_COMM_WORLD%MPI_VAL, topology, n_halo_layers)
  n_inner = part%n_inner()
  n_owned = part%n_owned(halcyon_cell)
  n_local = part%n_local(halcyon_cell)
  ids = part%to_global(halcyon_cell)

  ! Renumber the arrays of the model.
  call find_neighbours()

  ! Group the fields that are exchanged together.
  call halo%create(part, [halcyon_field("heat", halcyon_cell, halcyon_float64), &
                          halcyon_field("wind", halcyon_cell, halcyon_float32, levels=n_levels)], &
                   node_memory=.true.)
  call halo%allocate("heat", heat)
  call halo%allocate("wind", wind)
  heat(:n_owned) = heat_of(ids(:n_owned))
  do level = 1, n_levels
    wind(level, :n_owned) = wind_of(ids(:n_owned), level)
  end do

  ! Exchange, overlapped with computation.
  allocate (sums(n_owned))
  call halo%start([halcyon_array("heat", heat), halcyon_array("wind", wind)])
  call add_neighbours(1, n_inner)
  call halo%wait()
  call add_neighbours(n_inner + 1, n_owned)

  ! Check that every value equals the value on its owner.
  counts = [int(n_local - n_owned, int64), count(abs(heat - heat_of(ids)) > 0, kind=int64), int(sum(sums), int64)]
  do level = 1, n_levels
    counts(2) = counts(2) + count(abs(wind(level, :) - wind_of(ids, level)) > 0)
  end do
  call MPI_Reduce(counts, all_counts, 3, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print "(5(i0, a), i0)", topology%n_cells(), " cells on ", n_ranks, " ranks, ", all_counts(1), &
    " in halos, ", all_counts(2), " values wrong, neighbours add up to ", all_counts(3)

  call halo%free()
  call part%free()
  call topology%free()
  call MPI_Finalize()

contains

  !> The cells east, north, west and south of each cell.
  function grid() result(cells_on_cell)
    integer :: cells_on_cell(4, n_longitudes * n_latitudes)
    integer :: i, j

    do j = 1, n_latitudes
      do i = 1, n_longitudes
        cells_on_cell(:, cell_at(i, j)) = &
          [cell_at(i + 1, j), cell_at(i, j + 1), cell_at(i - 1, j), cell_at(i, j - 1)]
      end do
    end do
  end function

  integer function cell_at(longitude, latitude)
    integer, intent(in) :: longitude, latitude

    cell_at = 0  ! no cell beyond the poles
    if (latitude >= 1 .and. latitude <= n_latitudes) &
      cell_at = (latitude - 1) * n_longitudes + modulo(longitude - 1, n_longitudes) + 1
  end function

  !> The neighbours of the owned cells, as local indices.
  subroutine find_neighbours()
    integer, allocatable :: all_offsets(:), cells_on_cell(:)
    integer :: k

    call topology%lists(halcyon_cell, all_offsets, cells_on_cell)
    allocate (offsets(n_owned + 1), source=1)
    do i = 1, n_owned
      offsets(i + 1) = offsets(i) + all_offsets(ids(i) + 1) - all_offsets(ids(i))
    end do
    neighbours = part%to_local(halcyon_cell, &
      [((cells_on_cell(k), k = all_offsets(ids(i)), all_offsets(ids(i) + 1) - 1), i = 1, n_owned)])
  end subroutine

  !> sums(i): sum of heat over the neighbours of cell i, for cells first to last.
  subroutine add_neighbours(first, last)
    integer, intent(in) :: first, last
    integer :: i

    do i = first, last
      sums(i) = sum(heat(neighbours(offsets(i):offsets(i + 1) - 1)))
    end do
  end subroutine

  !> Values that depend on the global id, so that received values can be checked.
  elemental real(real64) function heat_of(id)
    integer(int64), intent(in) :: id

    heat_of = real(id - 1, real64)
  end function

  elemental real(real32) function wind_of(id, level)
    integer(int64), intent(in) :: id
    integer, intent(in) :: level

    wind_of = real(id - 1, real32) + 0.01_real32 * real(level - 1, real32)
  end function
end program
