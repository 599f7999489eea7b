!> The adjacency of a mesh, and the partition of its cells by METIS.
module halcyon_topologies
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int32_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halcyon_errors, only: c_text, report
  use halcyon_abi
  implicit none
  private
  public :: halcyon_topology, offsets_of

  !> Locations of fields: the items to which values and ids belong
  integer, parameter, public :: halcyon_cell = 0, halcyon_edge = 1, halcyon_vertex = 2

  !> Neighbours, edges and vertices of the cells of any mesh. A list per cell is given as a table (maximum, n_cells),
  !> with 0 for "no neighbour", or as offsets (n_cells + 1), of which the first is 1, and values: the list of cell i
  !> is values(offsets(i):offsets(i + 1) - 1).
  type :: halcyon_topology
    type(c_ptr) :: handle = c_null_ptr
  contains
    generic :: create => create_table, create_lists
    generic :: share => share_table, share_lists
    procedure :: read => read_file
    procedure :: n_cells
    procedure :: lists
    procedure :: partition
    procedure :: free
    procedure, private :: create_table, create_lists, share_table, share_lists
  end type

contains

  !> @param cells_on_cell neighbours; each of two neighbours lists the other
  subroutine create_lists(self, offsets, cells_on_cell, stat, errmsg)
    class(halcyon_topology), intent(inout) :: self
    integer, intent(in) :: offsets(:), cells_on_cell(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_topology_create(size(offsets) - 1, offsets - 1, size(cells_on_cell, kind=int64), &
                                        cells_on_cell - 1, self%handle), stat, errmsg)
  end subroutine

  subroutine create_table(self, cells_on_cell, stat, errmsg)
    class(halcyon_topology), intent(inout) :: self
    integer, intent(in) :: cells_on_cell(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%create(offsets_of(shape(cells_on_cell)), [cells_on_cell], stat, errmsg)
  end subroutine

  !> Adds the edges or vertices of each cell.
  !> @param location halcyon_edge or halcyon_vertex
  subroutine share_lists(self, location, offsets, on_cell, stat, errmsg)
    class(halcyon_topology), intent(inout) :: self
    integer, intent(in) :: location, offsets(:), on_cell(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_topology_share(self%handle, location, max(0, maxval(on_cell)), offsets - 1, &
                                       size(on_cell, kind=int64), on_cell - 1), stat, errmsg)
  end subroutine

  subroutine share_table(self, location, on_cell, stat, errmsg)
    class(halcyon_topology), intent(inout) :: self
    integer, intent(in) :: location, on_cell(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%share(location, offsets_of(shape(on_cell)), [on_cell], stat, errmsg)
  end subroutine

  !> The offsets of the columns of a table with a given shape.
  pure function offsets_of(table_shape) result(offsets)
    integer, intent(in) :: table_shape(2)
    integer :: offsets(table_shape(2) + 1)
    integer :: i

    offsets = [(1 + i * table_shape(1), i = 0, table_shape(2))]
  end function

  !> Reads the topology of a mesh file in MPAS format, with edges and vertices. Not collective.
  subroutine read_file(self, path, stat, errmsg)
    class(halcyon_topology), intent(inout) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_topology_read(c_text(path), self%handle), stat, errmsg)
  end subroutine

  function n_cells(self, stat, errmsg) result(n)
    class(halcyon_topology), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: n

    n = 0
    call report(halcyon_topology_n_cells(self%handle, n), stat, errmsg)
  end function

  !> The neighbours, edges or vertices of each cell, without "no neighbour".
  subroutine lists(self, location, offsets, values, stat, errmsg)
    class(halcyon_topology), intent(in) :: self
    integer, intent(in) :: location
    integer, allocatable, intent(out) :: offsets(:), values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: first_offset, first_value
    integer(c_int32_t), pointer :: c_values(:)
    integer(c_int32_t) :: n
    integer(c_int) :: status

    n = 0
    status = halcyon_topology_n_cells(self%handle, n)
    if (status == 0) status = halcyon_topology_lists(self%handle, location, first_offset, first_value)
    if (status == 0) then
      call c_f_pointer(first_offset, c_values, [n + 1])
      offsets = c_values + 1
      call c_f_pointer(first_value, c_values, [offsets(n + 1) - 1])
      values = c_values + 1
    end if
    call report(status, stat, errmsg)
  end subroutine

  !> The rank of each cell, from 0: parts of nearly equal size with few cut edges, by METIS.
  !> @param method "kway" or "recursive" @param seed random seed of METIS @param contiguous whether each part must
  !> be connected @param ranks_per_node for a partition in two levels: among nodes of this size, then within each
  function partition(self, n_ranks, method, seed, contiguous, ranks_per_node, stat, errmsg) result(owners)
    class(halcyon_topology), intent(in) :: self
    integer, intent(in) :: n_ranks
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: seed, ranks_per_node
    logical, intent(in), optional :: contiguous
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: owners(:)
    character(:), allocatable, target :: c_method
    type(abi_partition_options) :: options
    integer(c_int32_t) :: n
    integer(c_int) :: status

    call halcyon_partition_options_default(options)
    if (present(method)) then
      c_method = c_text(method)
      options%method = c_loc(c_method)
    end if
    if (present(seed)) options%seed = seed
    if (present(contiguous)) options%contiguous = merge(1, 0, contiguous)
    if (present(ranks_per_node)) options%ranks_per_node = ranks_per_node
    n = 0
    status = halcyon_topology_n_cells(self%handle, n)
    allocate (owners(n), source=0)
    if (status == 0) status = halcyon_partition(self%handle, n_ranks, options, owners)
    call report(status, stat, errmsg)
  end function

  subroutine free(self)
    class(halcyon_topology), intent(inout) :: self

    call halcyon_topology_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
