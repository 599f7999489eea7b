!> Conversion of options, settings and index lists for the transforms of spheres and planes. Internal.
module halcyon_transform_parts
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t, c_int64_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halcyon_errors, only: c_text, text_of
  use halcyon_abi, only: abi_transform_options, abi_tried, halcyon_transform_options_default
  implicit none
  private
  public :: integers, option_texts, indices_of, set_options, set_text, settings_text

  !> Storage of the texts to which options point.
  type :: option_texts
    character(:), allocatable :: method, algorithm, progress, core
  end type

contains

  !> Sets the given options, and the others to their defaults; texts must exist as long as the options.
  subroutine set_options(options, texts, group, sets, groups, ahead, method, algorithm, progress, core)
    type(abi_transform_options), intent(out) :: options
    type(option_texts), target, intent(inout) :: texts
    integer, intent(in), optional :: group, sets(2), groups, ahead
    character(*), intent(in), optional :: method, algorithm, progress, core

    call halcyon_transform_options_default(options)
    if (present(group)) options%group = group
    if (present(sets)) options%v = sets(1)
    if (present(sets)) options%w = sets(2)
    if (present(groups)) options%groups = groups
    if (present(ahead)) options%ahead = ahead
    call set_text(method, texts%method, options%method)
    call set_text(algorithm, texts%algorithm, options%algorithm)
    call set_text(progress, texts%progress, options%progress)
    call set_text(core, texts%core, options%core)
  end subroutine

  !> Sets a C pointer to a copy of an optional text; the copy must exist as long as the pointer.
  subroutine set_text(text, copy, pointer)
    character(*), intent(in), optional :: text
    character(:), allocatable, target, intent(out) :: copy
    type(c_ptr), intent(inout) :: pointer

    if (.not. present(text)) return
    copy = c_text(text)
    pointer = c_loc(copy)
  end subroutine

  !> For example "3 groups, 2 ahead, isend_irecv, burst, poll"; "1 ahead" is omitted.
  function settings_text(tried) result(text)
    type(abi_tried), intent(in) :: tried
    character(:), allocatable :: text
    character(24) :: number

    text = "1 group, "
    write (number, "(i0)") tried%groups
    if (tried%groups > 1) text = trim(number) // " groups, "
    write (number, "(i0)") tried%ahead
    if (tried%ahead > 1) text = text // trim(number) // " ahead, "
    text = text // text_of(tried%method) // ", " // text_of(tried%algorithm) // ", " // text_of(tried%progress)
  end function

  function integers(first, n) result(values)
    type(c_ptr), intent(in) :: first
    integer(c_int64_t), intent(in) :: n
    integer, allocatable :: values(:)
    integer(c_int32_t), pointer :: c_values(:)

    call c_f_pointer(first, c_values, [n])
    values = c_values
  end function

  !> The n indices at a C pointer, converted to count from 1.
  function indices_of(first, n) result(indices)
    type(c_ptr), intent(in) :: first
    integer(c_int64_t), intent(in) :: n
    integer(int64), allocatable :: indices(:)
    integer(c_int64_t), pointer :: c_values(:)

    call c_f_pointer(first, c_values, [n])
    indices = c_values + 1
  end function
end module
