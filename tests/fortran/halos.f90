! Calls every procedure of topologies, decompositions and halos, also with errors that set stat and errmsg
program halos
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  implicit none
  integer, parameter :: n_ring = 30, n_levels = 3, n_layers = 2
  type(halcyon_topology) :: ring
  type(halcyon_decomposition) :: part
  integer :: rank, n_ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call make_ring()
  call part%create(MPI_COMM_WORLD%MPI_VAL, ring, n_layers)
  call check_decomposition()
  call check_slices()
  call check_owners()
  call exchange("isend_irecv", .false.)
  call exchange("shared", .true.)
  call exchange_by_auto()
  call read_a_mesh()
  call check_errors()
  call part%free()
  call ring%free()
  if (rank == 0) print "(a)", "all halos work"
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

  !> A ring of cells: neighbours are the previous cell, an empty entry, and the next cell; edge i precedes cell i.
  subroutine make_ring()
    integer :: table(3, n_ring), edges(2, n_ring), i
    integer, allocatable :: offsets(:), cells(:)

    do i = 1, n_ring
      table(:, i) = [modulo(i - 2, n_ring) + 1, 0, modulo(i, n_ring) + 1]
      edges(:, i) = [i, modulo(i, n_ring) + 1]
    end do
    call ring%create(table)
    call ring%free()
    call ring%create([(1 + 2 * i, i = 0, n_ring)], pack(table, table > 0))
    call ring%share(halcyon_edge, edges)
    call ring%share(halcyon_vertex, [(1 + 2 * i, i = 0, n_ring)], [edges])
    call expect(ring%n_cells() == n_ring, "the cells of the ring")
    call ring%lists(halcyon_cell, offsets, cells)
    call expect(all(offsets == [(1 + 2 * i, i = 0, n_ring)]), "offsets")
    call expect(all(cells == pack(table, table > 0)), "neighbours")
    call ring%lists(halcyon_edge, offsets, cells)
    call expect(all(cells == [edges]), "edges on cell")
  end subroutine

  subroutine check_decomposition()
    integer(int64), allocatable :: ids(:)
    integer, allocatable :: offsets(:), owners(:)
    integer :: i, n_owned

    n_owned = part%n_owned(halcyon_cell)
    ids = part%to_global(halcyon_cell)
    offsets = part%layer_offsets(halcyon_cell)
    owners = ring%partition(n_ranks)
    call expect(size(ids) == part%n_local(halcyon_cell), "ids")
    call expect(all(owners(ids(:n_owned)) == rank), "owned cells")
    call expect(all(owners(ids(n_owned + 1:)) /= rank), "halo cells of other ranks")
    call expect(count(owners == rank) == n_owned, "all owned cells")
    call expect(size(offsets) == n_layers + 1, "two layers")
    call expect(offsets(1) == n_owned + 1 .and. offsets(n_layers + 1) == size(ids) + 1, "layers")
    call expect(all(part%to_local(halcyon_cell, ids) == [(i, i = 1, size(ids))]), "local cells")
    call expect(count(part%to_local(halcyon_cell, [(i, i = 1, n_ring)]) == 0) == n_ring - size(ids), &
                "cells that are not here")
    call expect((part%n_inner() == n_owned) .eqv. (n_ranks == 1), "inner cells")
    call expect((size(part%neighbours()) > 0) .eqv. (n_ranks > 1), "neighbours")
    call expect(all(part%neighbours() /= rank), "no rank is its own neighbour")
    call expect(part%n_local(halcyon_vertex) == part%n_local(halcyon_edge), "as many vertices as edges")
  end subroutine

  !> Slices of the ring give the same decomposition.
  subroutine check_slices()
    type(halcyon_slice) :: slice
    type(halcyon_decomposition) :: sliced
    integer(int64), parameter :: n = n_ring
    integer(int64) :: block(2), i
    integer(int64), allocatable :: cells(:, :), edges(:, :)
    integer, allocatable :: owners(:)
    character(200) :: message
    integer :: status

    block = halcyon_block(n, n_ranks, rank)
    allocate (cells(3, block(2) - block(1) + 1), edges(2, block(2) - block(1) + 1))
    do i = block(1), block(2)
      cells(:, i - block(1) + 1) = [modulo(i - 2, n) + 1, 0_int64, modulo(i, n) + 1]
      edges(:, i - block(1) + 1) = [i, modulo(i, n) + 1]
    end do
    call slice%create(n, cells)
    call slice%share(halcyon_edge, n, edges)
    call slice%share(halcyon_vertex, n, [(1 + 2 * int(i), i = 0, ubound(edges, 2, int64))], [edges])
    call expect(slice%n_items(halcyon_edge) == n_ring, "edges of the ring")
    owners = ring%partition(n_ranks)
    call sliced%create(MPI_COMM_WORLD%MPI_VAL, slice, n_layers, owners=owners(block(1):block(2)))
    call expect_same(sliced)
    call sliced%free()
    call sliced%create(MPI_COMM_WORLD%MPI_VAL, slice, n_layers)
    call expect_same(sliced)
    call sliced%free()
    call slice%free()
    call slice%read(MPI_COMM_WORLD%MPI_VAL, "nowhere.nc", stat=status, errmsg=message)
    call expect(status == 2 .and. index(message, "nowhere.nc") > 0, "a file that is missing")
  end subroutine

  !> The decomposition has the items of `part`.
  subroutine expect_same(other)
    type(halcyon_decomposition), intent(in) :: other
    integer :: location

    call expect(other%n_inner() == part%n_inner(), "the same inner cells")
    do location = halcyon_cell, halcyon_vertex
      call expect(other%n_local(location) == part%n_local(location), "the same number of items")
      call expect(all(other%to_global(location) == part%to_global(location)), "the same items")
    end do
  end subroutine

  !> Round-robin owners, and options of the partition.
  subroutine check_owners()
    type(halcyon_decomposition) :: round_robin
    integer :: i

    call round_robin%create(MPI_COMM_WORLD%MPI_VAL, ring, 1, owners=[(modulo(i, n_ranks), i = 1, n_ring)])
    call expect(all(modulo(round_robin%to_global(halcyon_cell), int(n_ranks, int64)) == rank .or. &
                    is_in_halo(round_robin)), "round-robin cells")
    call round_robin%free()
    call expect(maxval(ring%partition(5, method="recursive", seed=2, contiguous=.true.)) == 4, "five parts")
    call expect(maxval(ring%partition(6, ranks_per_node=3)) == 5, "six parts on two nodes")
  end subroutine

  !> Whether each local cell is in the halo.
  function is_in_halo(decomposition) result(mask)
    type(halcyon_decomposition), intent(in) :: decomposition
    logical, allocatable :: mask(:)
    integer :: i

    mask = [(i > decomposition%n_owned(halcyon_cell), i = 1, decomposition%n_local(halcyon_cell))]
  end function

  !> Exchanges arrays of every type and rank, allocated by the program or, with node_memory, by the halo.
  subroutine exchange(method, node_memory)
    character(*), intent(in) :: method
    logical, intent(in) :: node_memory
    type(halcyon_halo) :: halo
    type(halcyon_statistics) :: statistics
    integer(int32), allocatable, target :: own_marks(:), own_table(:, :)
    real(real64), allocatable, target :: own_heat(:), own_flux(:, :)
    real(real32), allocatable, target :: own_rain(:), own_wind(:, :)
    integer(int32), pointer, contiguous :: marks(:), table(:, :)
    real(real64), pointer, contiguous :: heat(:), flux(:, :)
    real(real32), pointer, contiguous :: rain(:), wind(:, :)
    integer :: n_cells, n_edges, repeat

    n_cells = part%n_local(halcyon_cell)
    n_edges = part%n_local(halcyon_edge)
    call halo%create(part, [halcyon_field("marks", halcyon_cell, halcyon_int32), &
                            halcyon_field("table", halcyon_cell, halcyon_int32, levels=2), &
                            halcyon_field("heat", halcyon_cell, halcyon_float64), &
                            halcyon_field("flux", halcyon_vertex, halcyon_float64, 2), &
                            halcyon_field("rain", halcyon_cell, halcyon_float32), &
                            halcyon_field("wind", halcyon_edge, halcyon_float32, n_levels, layers=1)], &
                     method=method, node_memory=node_memory)
    call expect(halo%description() == method, "the method " // method)
    allocate (own_marks(n_cells), own_table(2, n_cells), own_heat(n_cells), own_flux(2, n_edges), &
              own_rain(n_cells), own_wind(n_levels, n_edges))
    if (node_memory) then
      call halo%allocate("marks", marks)
      call halo%allocate("table", table)
      call halo%allocate("heat", heat)
      call halo%allocate("flux", flux)
      call halo%allocate("rain", rain)
      call halo%allocate("wind", wind)
      call expect(all(marks == 0) .and. all(wind == 0) .and. all(flux == 0), "zeros")
      call expect(all(shape(wind) == [n_levels, n_edges]) .and. size(heat) == n_cells, "shapes")
    else
      marks => own_marks
      table => own_table
      heat => own_heat
      flux => own_flux
      rain => own_rain
      wind => own_wind
    end if
    do repeat = 1, 2
      call fill(marks, table, heat, flux, rain, wind)
      call halo%start([halcyon_array("marks", marks), halcyon_array("table", table), halcyon_array("heat", heat), &
                       halcyon_array("flux", flux), halcyon_array("rain", rain), halcyon_array("wind", wind)])
      call halo%progress()
      call halo%wait()
      call compare(marks, table, heat, flux, rain, wind)
    end do
    statistics = halo%statistics()
    call expect(statistics%n_exchanges == 2, "two exchanges")
    call expect((statistics%received_bytes > 0) .eqv. (n_ranks > 1), "bytes")
    call expect(statistics%n_sent == 2 * size(part%neighbours()), "messages sent")
    call expect(statistics%n_received == statistics%n_sent, "messages received")
    call expect(min(statistics%pack_s, statistics%transfer_s, statistics%wait_s, statistics%unpack_s) >= 0, "times")
    call halo%free()
  end subroutine

  !> Sets owned values to global ids, and the halo to -1.
  subroutine fill(marks, table, heat, flux, rain, wind)
    integer(int32), intent(out) :: marks(:), table(:, :)
    real(real64), intent(out) :: heat(:), flux(:, :)
    real(real32), intent(out) :: rain(:), wind(:, :)
    integer(int64), allocatable :: cells(:), edges(:), vertices(:)

    cells = part%to_global(halcyon_cell)
    edges = part%to_global(halcyon_edge)
    vertices = part%to_global(halcyon_vertex)
    cells(part%n_owned(halcyon_cell) + 1:) = -1
    edges(part%n_owned(halcyon_edge) + 1:) = -1
    vertices(part%n_owned(halcyon_vertex) + 1:) = -1
    marks = int(cells, int32)
    table = spread(int(cells, int32), 1, 2)
    heat = real(cells, real64)
    flux = spread(real(vertices, real64), 1, 2)
    rain = real(cells, real32)
    wind = spread(real(edges, real32), 1, n_levels)
  end subroutine

  !> All values are the global ids of their items; wind has one layer of halo.
  subroutine compare(marks, table, heat, flux, rain, wind)
    integer(int32), intent(in) :: marks(:), table(:, :)
    real(real64), intent(in) :: heat(:), flux(:, :)
    real(real32), intent(in) :: rain(:), wind(:, :)
    integer(int64), allocatable :: cells(:), edges(:)
    integer, allocatable :: layers(:)

    cells = part%to_global(halcyon_cell)
    edges = part%to_global(halcyon_edge)
    layers = part%layer_offsets(halcyon_edge)
    call expect(all(marks == cells) .and. all(table == spread(cells, 1, 2)), "marks")
    call expect(all(heat == cells) .and. all(rain == real(cells, real32)), "heat and rain")
    call expect(all(flux == spread(part%to_global(halcyon_vertex), 1, 2)), "flux")
    call expect(all(wind(:, :layers(2) - 1) == &
                    spread(real(edges(:layers(2) - 1), real32), 1, n_levels)), "wind in one layer")
    call expect(all(wind(:, layers(2):) == -1), "wind beyond one layer")
  end subroutine

  subroutine exchange_by_auto()
    type(halcyon_halo) :: halo
    real(real64), allocatable, target :: heat(:)

    allocate (heat(part%n_local(halcyon_cell)), source=-1.0_real64)
    heat(:part%n_owned(halcyon_cell)) = rank
    call halo%create(part, [halcyon_field("heat", halcyon_cell, halcyon_float64)])
    call expect(index(halo%description(), "auto: ") == 1, "the method that auto selects")
    call halo%exchange(halcyon_array("heat", heat))
    call expect(all(heat >= 0), "heat of all")
    call halo%exchange([halcyon_array("heat", heat)])
    call halo%start(halcyon_array("heat", heat))
    call halo%wait()
    call halo%wait()
    call halo%free()
  end subroutine

  subroutine read_a_mesh()
    type(halcyon_topology) :: mesh
    character(256) :: path

    call get_command_argument(1, path)
    call mesh%read(path)
    call expect(mesh%n_cells() == 162, "the cells of G2")
    call mesh%free()
  end subroutine

  !> Errors set stat and errmsg, and the program continues.
  subroutine check_errors()
    type(halcyon_topology) :: none
    type(halcyon_decomposition) :: nothing
    type(halcyon_halo) :: halo
    real(real64), allocatable, target :: heat(:), too_few(:)
    real(real32), pointer, contiguous :: float32_heat(:)
    character(200) :: text
    integer :: status

    call none%create([1, 2, 3], [2, 3], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "Cell 1 has the cell 2, but") == 1, "an unknown cell")
    call none%create([1, 2, 3], [2], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "The offsets of the cell lists run from 0 to 2, but") == 1, "a short list")
    call nothing%create(MPI_COMM_WORLD%MPI_VAL, ring, 1, owners=[0, 0], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There are 2 owners for 30 cells.") == 1, "too few owners")
    call none%read("nowhere.nc", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "nowhere.nc") > 0, "a mesh that is missing")
    call nothing%create(MPI_COMM_WORLD%MPI_VAL, ring, 0, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "A halo needs at least 1 layer, not 0.") == 1, "no layer")
    call expect(nothing%n_owned(halcyon_cell, stat=status) == 0 .and. status == 1, "no decomposition")
    call expect(size(nothing%to_global(halcyon_cell, stat=status)) == 0 .and. status == 1, "no ids")
    call halo%create(part, [halcyon_field("heat", halcyon_cell, halcyon_float64)], "post", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There is no exchange method 'post'") == 1, "an unknown method")
    call halo%create(part, [halcyon_field("heat", halcyon_cell, halcyon_float64)], "isend_irecv")
    allocate (heat(part%n_local(halcyon_cell)), too_few(part%n_local(halcyon_cell) - 1))
    call halo%start(halcyon_array("heat", too_few), stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "heat needs ") == 1, "values that are missing")
    call halo%exchange(halcyon_array("cold", heat), stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "The array cold is given") == 1, "another name")
    call halo%allocate("heat", float32_heat, stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "heat has the type float32, but float64") == 1, "another type")
    call halo%free()
  end subroutine
end program
