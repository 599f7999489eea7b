!> A classic netCDF file that all ranks read together; each reads the items with its global ids.
module halcyon_readers
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int32_t, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halcyon_abi
  use halcyon_arrays, only: abi_of, halcyon_named_array
  use halcyon_errors, only: c_text, report, text_of
  use halcyon_placements, only: halcyon_io_ranks, halcyon_placement
  implicit none
  private
  public :: halcyon_reader, halcyon_verified, halcyon_verify

  type :: halcyon_reader
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: open => open_file
    procedure :: n_records
    procedure :: names
    procedure :: shape => shape_of
    procedure :: text
    generic :: read => read_one, read_several
    generic :: read_all => read_all_one, read_all_several
    procedure :: close => close_file
    procedure :: free
    procedure, private :: read_one, read_several, read_all_one, read_all_several
  end type

  !> Result of halcyon_verify: `n_checked` of the `n_variables` variables have checksums, which were checked.
  type :: halcyon_verified
    character(16) :: format = ""
    integer(int64) :: bytes = 0
    integer :: n_variables = 0, n_checked = 0
    logical :: header_checked = .false.
  end type

contains

  !> Collective. Opens a file and checks its header against its size and checksum.
  subroutine open_file(self, ranks, path, stat, errmsg)
    class(halcyon_reader), intent(inout) :: self
    class(halcyon_io_ranks), intent(in) :: ranks
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_reader_open(ranks%handle, c_text(path), self%handle), stat, errmsg)
  end subroutine

  function n_records(self, stat, errmsg) result(n)
    class(halcyon_reader), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: n

    n = 0
    call report(halcyon_reader_n_records(self%handle, n), stat, errmsg)
  end function

  !> The names of all variables, in the file's order.
  function names(self, stat, errmsg) result(list)
    class(halcyon_reader), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(256), allocatable :: list(:)
    type(c_ptr) :: first
    type(c_ptr), pointer :: c_values(:)
    integer(c_int32_t) :: i, n
    integer(c_int) :: status

    n = 0
    status = halcyon_reader_names(self%handle, n, first)
    allocate (list(n))
    if (n > 0) call c_f_pointer(first, c_values, [n])
    do i = 1, n
      list(i) = text_of(c_values(i))
    end do
    call report(status, stat, errmsg)
  end function

  !> Sizes of the dimensions of a variable in Fortran's order, the fastest first, without the record dimension.
  function shape_of(self, variable, stat, errmsg) result(sizes)
    class(halcyon_reader), intent(in) :: self
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: sizes(:)
    type(c_ptr) :: first
    integer(int64), pointer :: c_values(:)
    integer(c_int32_t) :: n
    integer(c_int) :: status

    n = 0
    status = halcyon_reader_shape(self%handle, c_text(variable), n, first)
    allocate (sizes(n))
    if (n > 0) then
      call c_f_pointer(first, c_values, [n])
      sizes = c_values(n:1:-1)
    end if
    call report(status, stat, errmsg)
  end function

  !> A text attribute of a variable, or of the file if `variable` is "".
  function text(self, variable, name, stat, errmsg) result(value)
    class(halcyon_reader), intent(in) :: self
    character(*), intent(in) :: variable, name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: value
    type(c_ptr) :: c_value
    integer(c_int) :: status

    value = ""
    status = halcyon_reader_text(self%handle, c_text(variable), c_text(name), c_value)
    if (status == 0) value = text_of(c_value)
    call report(status, stat, errmsg)
  end function

  !> Collective. Reads variables on the same items together, and converts them to the types of the arrays.
  !> @param record 1, 2, ... or halcyon_no_record @param arrays receive this rank's items, in the placement's order
  subroutine read_several(self, record, placement, arrays, stat, errmsg)
    class(halcyon_reader), intent(inout) :: self
    integer, intent(in) :: record
    class(halcyon_placement), intent(in) :: placement
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_reader_read(self%handle, record - 1_int64, placement%handle, size(arrays), &
                                    abi_of(arrays)), stat, errmsg)
  end subroutine

  subroutine read_one(self, record, placement, array, stat, errmsg)
    class(halcyon_reader), intent(inout) :: self
    integer, intent(in) :: record
    class(halcyon_placement), intent(in) :: placement
    type(halcyon_named_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%read(record, placement, [array], stat, errmsg)
  end subroutine

  !> Collective. Reads complete variables, or one record of each, on all ranks.
  subroutine read_all_several(self, record, arrays, stat, errmsg)
    class(halcyon_reader), intent(inout) :: self
    integer, intent(in) :: record
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_reader_read_all(self%handle, record - 1_int64, size(arrays), abi_of(arrays)), &
                stat, errmsg)
  end subroutine

  subroutine read_all_one(self, record, array, stat, errmsg)
    class(halcyon_reader), intent(inout) :: self
    integer, intent(in) :: record
    type(halcyon_named_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%read_all(record, [array], stat, errmsg)
  end subroutine

  !> Collective.
  subroutine close_file(self, stat, errmsg)
    class(halcyon_reader), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_reader_close(self%handle), stat, errmsg)
  end subroutine

  !> Collective.
  subroutine free(self)
    class(halcyon_reader), intent(inout) :: self

    call halcyon_reader_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Checks size, header and every checksum of a file. Not collective.
  function halcyon_verify(path, stat, errmsg) result(verified)
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halcyon_verified) :: verified
    type(abi_verified) :: c_verified
    integer(c_int) :: status
    integer :: i

    status = abi_verify(c_text(path), c_verified)
    if (status == 0) then
      do i = 1, findloc(c_verified%format, c_null_char, dim=1) - 1
        verified%format(i:i) = c_verified%format(i)
      end do
      verified%bytes = c_verified%bytes
      verified%n_variables = c_verified%n_variables
      verified%n_checked = c_verified%n_checked
      verified%header_checked = c_verified%header_checked /= 0
    end if
    call report(status, stat, errmsg)
  end function
end module
