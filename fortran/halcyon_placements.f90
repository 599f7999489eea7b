!> I/O ranks, and positions of local items in files.
module halcyon_placements
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use halcyon_abi
  use halcyon_errors, only: c_text, report, text_of
  implicit none
  private
  public :: halcyon_io_ranks, halcyon_placement

  !> The I/O ranks of a communicator.
  type :: halcyon_io_ranks
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_ranks
    procedure :: description
    procedure :: free => free_ranks
  end type

  !> The positions of this rank's items in a file that is ordered by global id.
  type :: halcyon_placement
    type(c_ptr) :: handle = c_null_ptr
  contains
    generic :: create => create_int32, create_int64
    procedure, private :: create_int32, create_int64
    procedure :: is_partition
    procedure :: free => free_placement
  end type

contains

  !> Collective. @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param bytes size of one write, from which the layout "auto" chooses
  !> @param layout and further options: see halcyon_io_options in halcyon/io.h; each has a default
  subroutine create_ranks(self, comm, bytes, layout, ranks, group_size, most_ranks, most_requests, piece, &
                          buffer, background, hints, stat, errmsg)
    class(halcyon_io_ranks), intent(inout) :: self
    integer, intent(in) :: comm
    integer(int64), intent(in), optional :: bytes, piece, buffer
    character(*), intent(in), optional :: layout, hints
    integer, intent(in), optional :: ranks, group_size, most_ranks, most_requests
    logical, intent(in), optional :: background
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: c_layout, c_hints
    type(abi_io_options) :: options
    integer(int64) :: write_bytes

    call halcyon_io_options_default(options)
    if (present(layout)) then
      c_layout = c_text(layout)
      options%layout = c_loc(c_layout)
    end if
    if (present(hints)) then
      c_hints = c_text(hints)
      options%hints = c_loc(c_hints)
    end if
    if (present(ranks)) options%ranks = ranks
    if (present(group_size)) options%group_size = group_size
    if (present(most_ranks)) options%most_ranks = most_ranks
    if (present(most_requests)) options%most_requests = most_requests
    if (present(piece)) options%piece = piece
    if (present(buffer)) options%buffer = buffer
    if (present(background)) options%background = merge(1, 0, background)
    write_bytes = 0
    if (present(bytes)) write_bytes = bytes
    call report(halcyon_io_ranks_create(comm, options, write_bytes, self%handle), stat, errmsg)
  end subroutine

  !> For example "box: 2 of 16 ranks write".
  function description(self, stat, errmsg) result(text)
    class(halcyon_io_ranks), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: c_description
    integer(c_int) :: status

    text = ""
    status = halcyon_io_ranks_description(self%handle, c_description)
    if (status == 0) text = text_of(c_description)
    call report(status, stat, errmsg)
  end function

  !> Collective.
  subroutine free_ranks(self)
    class(halcyon_io_ranks), intent(inout) :: self

    call halcyon_io_ranks_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Collective. @param ids global ids, 1..n_items, of this rank's items, in any order; for reading, several ranks
  !> may have the same item. @param n_items number of items of all ranks together
  subroutine create_int64(self, ranks, ids, n_items, stat, errmsg)
    class(halcyon_placement), intent(inout) :: self
    class(halcyon_io_ranks), intent(in) :: ranks
    integer(int64), intent(in) :: ids(:), n_items
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_placement_create(ranks%handle, size(ids, kind=int64), ids - 1, n_items, self%handle), &
                stat, errmsg)
  end subroutine

  subroutine create_int32(self, ranks, ids, n_items, stat, errmsg)
    class(halcyon_placement), intent(inout) :: self
    class(halcyon_io_ranks), intent(in) :: ranks
    integer(int32), intent(in) :: ids(:), n_items
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%create(ranks, int(ids, int64), int(n_items, int64), stat, errmsg)
  end subroutine

  !> True if every item belongs to exactly one rank, as required for writing.
  function is_partition(self, stat, errmsg) result(is)
    class(halcyon_placement), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: is
    integer(c_int32_t) :: flag

    flag = 0
    call report(halcyon_placement_is_partition(self%handle, flag), stat, errmsg)
    is = flag /= 0
  end function

  !> Collective.
  subroutine free_placement(self)
    class(halcyon_placement), intent(inout) :: self

    call halcyon_placement_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
