!> The functions of halcyon.h for slices, as they are there. Not for users.
module halcyon_slice_abi
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int32_t, c_int64_t, c_ptr
  implicit none
  public

  interface
    function abi_block(n_items, n_ranks, rank, first, end) result(status) bind(c, name="halcyon_block")
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int64_t), value :: n_items
      integer(c_int32_t), value :: n_ranks, rank
      integer(c_int64_t), intent(inout) :: first, end
      integer(c_int) :: status
    end function

    function halcyon_slice_create(n_cells, n_block, offsets, n_values, cells_on_cell, slice) &
      result(status) bind(c)
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int64_t), value :: n_cells, n_values
      integer(c_int32_t), value :: n_block
      integer(c_int32_t), intent(in) :: offsets(*)
      integer(c_int64_t), intent(in) :: cells_on_cell(*)
      type(c_ptr), intent(inout) :: slice
      integer(c_int) :: status
    end function

    function halcyon_slice_share(slice, location, n_shared, offsets, n_values, on_cell) &
      result(status) bind(c)
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: slice
      integer(c_int), value :: location
      integer(c_int64_t), value :: n_shared, n_values
      integer(c_int32_t), intent(in) :: offsets(*)
      integer(c_int64_t), intent(in) :: on_cell(*)
      integer(c_int) :: status
    end function

    function halcyon_slice_read(comm, path, slice) result(status) bind(c)
      import :: c_char, c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: comm
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: slice
      integer(c_int) :: status
    end function

    function halcyon_slice_n_items(slice, location, n_items) result(status) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: slice
      integer(c_int), value :: location
      integer(c_int64_t), intent(inout) :: n_items
      integer(c_int) :: status
    end function

    subroutine halcyon_slice_free(slice) bind(c)
      import :: c_ptr
      type(c_ptr), value :: slice
    end subroutine

    function halcyon_decomposition_create_sliced(comm, slice, n_owners, owners, n_layers, decomposition) &
      result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: comm, n_owners, n_layers
      type(c_ptr), value :: slice, owners
      type(c_ptr), intent(inout) :: decomposition
      integer(c_int) :: status
    end function
  end interface
end module
