!> One rank's part of a mesh, with cells ordered inner, boundary, halo layer 1, halo layer 2, ...
module halcyon_decompositions
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use halcyon_errors, only: report
  use halcyon_abi
  use halcyon_abi, only: halcyon_decomposition_create_sliced
  use halcyon_slices, only: halcyon_slice
  use halcyon_topologies, only: halcyon_topology
  implicit none
  private
  public :: halcyon_decomposition

  !> Cells 1 to n_inner() are inner cells: they have no neighbour in the halo, so they can be computed during the
  !> exchange. Boundary cells follow up to n_owned(halcyon_cell), halo cells up to n_local(halcyon_cell).
  type :: halcyon_decomposition
    type(c_ptr) :: handle = c_null_ptr
  contains
    generic :: create => create_whole, create_sliced
    procedure :: n_inner
    procedure :: n_owned
    procedure :: n_local
    procedure :: layer_offsets
    procedure :: to_global
    generic :: to_local => to_local_int32, to_local_int64
    procedure :: neighbours
    procedure :: free
    procedure, private :: create_whole, create_sliced, to_local_int32, to_local_int64
  end type

contains

  !> Collective. Creates the decomposition from a mesh that every rank stores completely.
  !> @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param n_layers number of halo layers, 1 or more @param owners the rank of each cell of the mesh, from 0, the
  !> same on all ranks; default: `partition` of the topology
  subroutine create_whole(self, comm, topology, n_layers, owners, stat, errmsg)
    class(halcyon_decomposition), intent(inout) :: self
    integer, intent(in) :: comm, n_layers
    class(halcyon_topology), intent(in) :: topology
    integer, target, contiguous, intent(in), optional :: owners(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: first
    integer :: n

    call c_list_of(owners, n, first)
    call report(halcyon_decomposition_create(comm, topology%handle, n, first, n_layers, self%handle), stat, errmsg)
  end subroutine

  !> Collective. Creates the decomposition from one slice of the mesh per rank; memory and work are proportional to
  !> the slice and this rank's part. @param owners the rank of each cell of this rank's slice; default, on all
  !> ranks: partition by METIS
  subroutine create_sliced(self, comm, slice, n_layers, owners, stat, errmsg)
    class(halcyon_decomposition), intent(inout) :: self
    integer, intent(in) :: comm, n_layers
    class(halcyon_slice), intent(in) :: slice
    integer, target, contiguous, intent(in), optional :: owners(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: first
    integer :: n

    call c_list_of(owners, n, first)
    call report(halcyon_decomposition_create_sliced(comm, slice%handle, n, first, n_layers, self%handle), stat, &
                errmsg)
  end subroutine

  !> The length of an optional list and a C pointer to its first item; 0 and NULL if it is absent.
  subroutine c_list_of(list, n, first)
    integer, target, contiguous, intent(in), optional :: list(:)
    integer, intent(out) :: n
    type(c_ptr), intent(out) :: first

    n = 0
    first = c_null_ptr
    if (.not. present(list)) return
    n = size(list)
    if (n > 0) first = c_loc(list)
  end subroutine

  !> Number of inner cells.
  function n_inner(self, stat, errmsg) result(n)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: n

    n = 0
    call report(halcyon_decomposition_n_inner(self%handle, n), stat, errmsg)
  end function

  !> Number of items that this rank owns. @param location halcyon_cell, halcyon_edge or halcyon_vertex
  function n_owned(self, location, stat, errmsg) result(n)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_share) :: share
    integer :: n

    call get_share(self, location, share, stat, errmsg)
    n = share%n_owned
  end function

  !> Number of local items, including the halo.
  function n_local(self, location, stat, errmsg) result(n)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_share) :: share
    integer :: n

    call get_share(self, location, share, stat, errmsg)
    n = share%n_local
  end function

  !> (n_layers + 1): halo layer l has the items layer_offsets(l) to layer_offsets(l + 1) - 1.
  function layer_offsets(self, location, stat, errmsg) result(offsets)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: offsets(:)
    type(abi_share) :: share
    integer(c_int32_t), pointer :: c_values(:)

    call get_share(self, location, share, stat, errmsg)
    allocate (offsets(share%n_layers + 1))
    if (size(offsets) == 0) return
    call c_f_pointer(share%layer_offsets, c_values, [size(offsets)])
    offsets = c_values + 1
  end function

  !> The global id, from 1, of each local item.
  function to_global(self, location, stat, errmsg) result(ids)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: ids(:)
    type(abi_share) :: share
    integer(c_int64_t), pointer :: c_values(:)

    call get_share(self, location, share, stat, errmsg)
    allocate (ids(share%n_local))
    if (size(ids) == 0) return
    call c_f_pointer(share%to_global, c_values, [size(ids)])
    ids = c_values + 1
  end function

  !> Local indices of global ids, 0 for items that are not on this rank. One call with all ids is
  !> faster than several calls.
  function to_local_int64(self, location, ids, stat, errmsg) result(local)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    integer(int64), intent(in) :: ids(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: local(size(ids))

    local = -1
    call report(halcyon_decomposition_to_local(self%handle, location, size(ids, kind=int64), ids - 1, local), &
                stat, errmsg)
    local = local + 1
  end function

  function to_local_int32(self, location, ids, stat, errmsg) result(local)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    integer(int32), intent(in) :: ids(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: local(size(ids))

    local = self%to_local(location, int(ids, int64), stat, errmsg)
  end function

  !> The neighbour ranks of this rank, ascending, from 0 as in MPI.
  function neighbours(self, stat, errmsg) result(ranks)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: ranks(:)
    type(c_ptr) :: first
    integer(c_int32_t), pointer :: c_values(:)
    integer(c_int32_t) :: n

    n = 0
    call report(halcyon_decomposition_neighbours(self%handle, n, first), stat, errmsg)
    allocate (ranks(n))
    if (n == 0) return
    call c_f_pointer(first, c_values, [n])
    ranks = c_values
  end function

  !> The items of this rank at a location, in C.
  subroutine get_share(self, location, share, stat, errmsg)
    class(halcyon_decomposition), intent(in) :: self
    integer, intent(in) :: location
    type(abi_share), intent(out) :: share
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    share = abi_share(0, 0, -1, c_null_ptr, c_null_ptr)
    call report(halcyon_decomposition_share(self%handle, location, share), stat, errmsg)
  end subroutine

  !> Collective.
  subroutine free(self)
    class(halcyon_decomposition), intent(inout) :: self

    call halcyon_decomposition_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
