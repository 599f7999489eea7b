!> The contents of a file: dimensions, variables and attributes.
module halcyon_schemas
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halcyon_abi
  use halcyon_arrays, only: halcyon_float32, halcyon_float64, halcyon_int32, halcyon_int64
  use halcyon_errors, only: c_text, report
  implicit none
  private
  public :: halcyon_schema

  type :: halcyon_schema
    type(c_ptr) :: handle = c_null_ptr
  contains
    generic :: dimension => dimension_int32, dimension_int64
    procedure :: variable
    generic :: attribute => attribute_text, attribute_int32, attribute_int64, attribute_real32, attribute_real64
    procedure :: bytes
    procedure :: free
    procedure, private :: dimension_int32, dimension_int64, attribute_number, attribute_integer
    procedure, private :: attribute_text, attribute_int32, attribute_int64, attribute_real32, attribute_real64
  end type

contains

  !> Adds a dimension. @param size 0 for the record dimension
  subroutine dimension_int64(self, name, size, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: size
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call create_if_new(self)
    call report(halcyon_schema_dimension(self%handle, c_text(name), size), stat, errmsg)
  end subroutine

  subroutine dimension_int32(self, name, size, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: size
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%dimension(name, int(size, int64), stat, errmsg)
  end subroutine

  !> Adds a variable.
  !> @param type halcyon_int32, halcyon_int64, halcyon_float32 or halcyon_float64
  !> @param dimensions names in Fortran's order, the fastest first; the record dimension can only be the last
  subroutine variable(self, name, type, dimensions, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: name, dimensions(:)
    integer, intent(in) :: type
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(len(dimensions) + 1), target :: names(size(dimensions))
    type(c_ptr) :: pointers(size(dimensions))
    integer :: i, n

    n = size(dimensions)
    do i = 1, n
      names(i) = c_text(dimensions(n + 1 - i))
      pointers(i) = c_loc(names(i))
    end do
    call create_if_new(self)
    call report(halcyon_schema_variable(self%handle, c_text(name), type, n, pointers), stat, errmsg)
  end subroutine

  !> Sets an attribute of a variable, or of the file if `variable` is "".
  subroutine attribute_text(self, variable, name, value, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name, value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call create_if_new(self)
    call report(halcyon_schema_attribute_text(self%handle, c_text(variable), c_text(name), c_text(value)), &
                stat, errmsg)
  end subroutine

  subroutine attribute_int32(self, variable, name, value, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%attribute_integer(variable, name, int(value, int64), halcyon_int32, stat, errmsg)
  end subroutine

  subroutine attribute_int64(self, variable, name, value, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%attribute_integer(variable, name, int(value, int64), halcyon_int64, stat, errmsg)
  end subroutine

  subroutine attribute_real32(self, variable, name, value, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name
    real(real32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%attribute_number(variable, name, real(value, real64), halcyon_float32, stat, errmsg)
  end subroutine

  subroutine attribute_real64(self, variable, name, value, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%attribute_number(variable, name, real(value, real64), halcyon_float64, stat, errmsg)
  end subroutine

  subroutine attribute_number(self, variable, name, value, type, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name
    real(real64), intent(in) :: value
    integer, intent(in) :: type
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call create_if_new(self)
    call report(halcyon_schema_attribute_number(self%handle, c_text(variable), c_text(name), value, type), &
                stat, errmsg)
  end subroutine

  subroutine attribute_integer(self, variable, name, value, type, stat, errmsg)
    class(halcyon_schema), intent(inout) :: self
    character(*), intent(in) :: variable, name
    integer(int64), intent(in) :: value
    integer, intent(in) :: type
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call create_if_new(self)
    call report(halcyon_schema_attribute_integer(self%handle, c_text(variable), c_text(name), value, type), &
                stat, errmsg)
  end subroutine

  !> Size [bytes] of all values for a number of records.
  function bytes(self, n_records, stat, errmsg) result(n_bytes)
    class(halcyon_schema), intent(in) :: self
    integer, intent(in) :: n_records
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: n_bytes

    n_bytes = 0
    call report(halcyon_schema_bytes(self%handle, int(n_records, int64), n_bytes), stat, errmsg)
  end function

  subroutine free(self)
    class(halcyon_schema), intent(inout) :: self

    call halcyon_schema_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Creates the schema before its first dimension, variable or attribute.
  subroutine create_if_new(self)
    class(halcyon_schema), intent(inout) :: self

    if (.not. c_associated(self%handle)) call report(halcyon_schema_create(self%handle))
  end subroutine
end module
