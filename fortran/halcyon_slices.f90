!> One rank's slice of a mesh that no rank stores completely: a block of cells with consecutive global ids.
module halcyon_slices
  use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halcyon_errors, only: c_text, report
  use halcyon_abi
  use halcyon_topologies, only: offsets_of
  implicit none
  private
  public :: halcyon_block, halcyon_slice

  !> The slice of rank r has the cells halcyon_block(n_cells, n_ranks, r). Lists are as in halcyon_topology, but for
  !> these cells only, with global ids (int64).
  type :: halcyon_slice
    type(c_ptr) :: handle = c_null_ptr
  contains
    generic :: create => create_table, create_lists
    generic :: share => share_table, share_lists
    procedure :: read => read_file
    procedure :: n_items
    procedure :: free
    procedure, private :: create_table, create_lists, share_table, share_lists
  end type

contains

  !> The first and the last item of a rank if items are divided into contiguous blocks of nearly equal length.
  function halcyon_block(n_items, n_ranks, rank, stat, errmsg) result(bounds)
    integer(int64), intent(in) :: n_items
    integer, intent(in) :: n_ranks, rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: bounds(2)

    bounds = 0
    call report(abi_block(n_items, n_ranks, rank, bounds(1), bounds(2)), stat, errmsg)
    bounds(1) = bounds(1) + 1
  end function

  !> @param n_cells number of cells of the whole mesh @param cells_on_cell neighbours; each of two
  !> neighbours lists the other
  subroutine create_lists(self, n_cells, offsets, cells_on_cell, stat, errmsg)
    class(halcyon_slice), intent(inout) :: self
    integer(int64), intent(in) :: n_cells, cells_on_cell(:)
    integer, intent(in) :: offsets(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_slice_create(n_cells, size(offsets) - 1, offsets - 1, size(cells_on_cell, kind=int64), &
                                     cells_on_cell - 1, self%handle), stat, errmsg)
  end subroutine

  subroutine create_table(self, n_cells, cells_on_cell, stat, errmsg)
    class(halcyon_slice), intent(inout) :: self
    integer(int64), intent(in) :: n_cells, cells_on_cell(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%create(n_cells, offsets_of(shape(cells_on_cell)), [cells_on_cell], stat, errmsg)
  end subroutine

  !> Adds the edges or vertices of each cell. @param n_shared number of edges or vertices of the whole mesh
  subroutine share_lists(self, location, n_shared, offsets, on_cell, stat, errmsg)
    class(halcyon_slice), intent(inout) :: self
    integer, intent(in) :: location, offsets(:)
    integer(int64), intent(in) :: n_shared, on_cell(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_slice_share(self%handle, location, n_shared, offsets - 1, size(on_cell, kind=int64), &
                                    on_cell - 1), stat, errmsg)
  end subroutine

  subroutine share_table(self, location, n_shared, on_cell, stat, errmsg)
    class(halcyon_slice), intent(inout) :: self
    integer, intent(in) :: location
    integer(int64), intent(in) :: n_shared, on_cell(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%share(location, n_shared, offsets_of(shape(on_cell)), [on_cell], stat, errmsg)
  end subroutine

  !> Collective. Each rank reads its block of a mesh file as written by Halcyon, with edges and vertices.
  subroutine read_file(self, comm, path, stat, errmsg)
    class(halcyon_slice), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_slice_read(comm, c_text(path), self%handle), stat, errmsg)
  end subroutine

  !> Number of cells, edges or vertices of the whole mesh.
  function n_items(self, location, stat, errmsg) result(n)
    class(halcyon_slice), intent(in) :: self
    integer, intent(in) :: location
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: n

    n = 0
    call report(halcyon_slice_n_items(self%handle, location, n), stat, errmsg)
  end function

  subroutine free(self)
    class(halcyon_slice), intent(inout) :: self

    call halcyon_slice_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
