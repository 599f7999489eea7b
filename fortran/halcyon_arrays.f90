!> Arrays of a model, each with the name of its variable: arguments of writers, readers and halos.
module halcyon_arrays
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_loc, c_null_char, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halcyon_abi, only: abi_array
  implicit none
  private
  public :: abi_of, halcyon_array, halcyon_named_array

  !> Types of the values of a variable
  integer, parameter, public :: halcyon_int32 = 0, halcyon_int64 = 1, halcyon_float32 = 2, halcyon_float64 = 3
  integer, parameter :: max_name_length = 256  ! of netCDF

  type :: halcyon_named_array
    private
    character(kind=c_char) :: name(max_name_length + 1) = c_null_char
    integer(c_int) :: type = halcyon_float64
    type(c_ptr) :: data
    integer(c_int64_t) :: count = 0
  end type

  !> halcyon_array(name, values): values are an array of int32, int64, real32 or real64 with 1 to 3 dimensions. The
  !> array is not copied: it must be a contiguous target, and exist until it has been written or read.
  interface halcyon_array
    procedure int32_1, int32_2, int32_3
    procedure int64_1, int64_2, int64_3
    procedure real32_1, real32_2, real32_3
    procedure real64_1, real64_2, real64_3
  end interface

contains

  !> The C structs of arrays; they point to the arrays, which must exist as long as the structs.
  function abi_of(arrays) result(list)
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    type(abi_array) :: list(size(arrays))
    integer :: i

    do i = 1, size(arrays)
      list(i) = abi_array(c_loc(arrays(i)%name), arrays(i)%type, arrays(i)%data, arrays(i)%count)
    end do
  end function

  function named_array(name, type, data, count) result(array)
    character(*), intent(in) :: name
    integer, intent(in) :: type
    type(c_ptr), intent(in) :: data
    integer(int64), intent(in) :: count
    type(halcyon_named_array) :: array
    integer :: i

    do i = 1, min(len_trim(name), max_name_length)
      array%name(i) = name(i:i)
    end do
    array%type = type
    array%data = data
    array%count = count
  end function

  function int32_1(name, values) result(array)
    character(*), intent(in) :: name
    integer(int32), pointer, contiguous, intent(in) :: values(:)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_int32, c_loc(values), size(values, kind=int64))
  end function

  function int32_2(name, values) result(array)
    character(*), intent(in) :: name
    integer(int32), pointer, contiguous, intent(in) :: values(:, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_int32, c_loc(values), size(values, kind=int64))
  end function

  function int32_3(name, values) result(array)
    character(*), intent(in) :: name
    integer(int32), pointer, contiguous, intent(in) :: values(:, :, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_int32, c_loc(values), size(values, kind=int64))
  end function

  function int64_1(name, values) result(array)
    character(*), intent(in) :: name
    integer(int64), pointer, contiguous, intent(in) :: values(:)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_int64, c_loc(values), size(values, kind=int64))
  end function

  function int64_2(name, values) result(array)
    character(*), intent(in) :: name
    integer(int64), pointer, contiguous, intent(in) :: values(:, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_int64, c_loc(values), size(values, kind=int64))
  end function

  function int64_3(name, values) result(array)
    character(*), intent(in) :: name
    integer(int64), pointer, contiguous, intent(in) :: values(:, :, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_int64, c_loc(values), size(values, kind=int64))
  end function

  function real32_1(name, values) result(array)
    character(*), intent(in) :: name
    real(real32), pointer, contiguous, intent(in) :: values(:)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_float32, c_loc(values), size(values, kind=int64))
  end function

  function real32_2(name, values) result(array)
    character(*), intent(in) :: name
    real(real32), pointer, contiguous, intent(in) :: values(:, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_float32, c_loc(values), size(values, kind=int64))
  end function

  function real32_3(name, values) result(array)
    character(*), intent(in) :: name
    real(real32), pointer, contiguous, intent(in) :: values(:, :, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_float32, c_loc(values), size(values, kind=int64))
  end function

  function real64_1(name, values) result(array)
    character(*), intent(in) :: name
    real(real64), pointer, contiguous, intent(in) :: values(:)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_float64, c_loc(values), size(values, kind=int64))
  end function

  function real64_2(name, values) result(array)
    character(*), intent(in) :: name
    real(real64), pointer, contiguous, intent(in) :: values(:, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_float64, c_loc(values), size(values, kind=int64))
  end function

  function real64_3(name, values) result(array)
    character(*), intent(in) :: name
    real(real64), pointer, contiguous, intent(in) :: values(:, :, :)
    type(halcyon_named_array) :: array

    array = named_array(name, halcyon_float64, c_loc(values), size(values, kind=int64))
  end function
end module
