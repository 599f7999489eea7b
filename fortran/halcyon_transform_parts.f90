!> Options and lists that transforms of spheres and planes share. Internal.
module halcyon_transform_parts
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int32_t, c_int64_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halcyon_errors, only: c_text, text_of
  use halcyon_abi, only: abi_transform_options, abi_tried, halcyon_transform_options_default
  implicit none
  private
  public :: integers, option_texts, places_of, set_options, words_of

  !> Storage of the texts of options.
  type :: option_texts
    character(:), allocatable :: method, algorithm, progress, core
  end type

contains

  !> The defaults and the given options; texts must exist as long as the options.
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
    call take(method, texts%method, options%method)
    call take(algorithm, texts%algorithm, options%algorithm)
    call take(progress, texts%progress, options%progress)
    call take(core, texts%core, options%core)
  end subroutine

  !> The C pointer of an optional text; `kept` must outlive it.
  subroutine take(text, kept, pointer)
    character(*), intent(in), optional :: text
    character(:), allocatable, target, intent(out) :: kept
    type(c_ptr), intent(inout) :: pointer

    if (.not. present(text)) return
    kept = c_text(text)
    pointer = c_loc(kept)
  end subroutine

  !> For example "3 groups, 2 ahead, isend_irecv, burst, poll"; "1 ahead" is omitted.
  function words_of(tried) result(words)
    type(abi_tried), intent(in) :: tried
    character(:), allocatable :: words
    character(24) :: number

    words = "1 group, "
    write (number, "(i0)") tried%groups
    if (tried%groups > 1) words = trim(number) // " groups, "
    write (number, "(i0)") tried%ahead
    if (tried%ahead > 1) words = words // trim(number) // " ahead, "
    words = words // text_of(tried%method) // ", " // text_of(tried%algorithm) // ", " // text_of(tried%progress)
  end function

  function integers(first, n) result(values)
    type(c_ptr), intent(in) :: first
    integer(c_int64_t), intent(in) :: n
    integer, allocatable :: values(:)
    integer(c_int32_t), pointer :: found(:)

    call c_f_pointer(first, found, [n])
    values = found
  end function

  !> Converts indices to count from 1.
  function places_of(first, n) result(places)
    type(c_ptr), intent(in) :: first
    integer(c_int64_t), intent(in) :: n
    integer(int64), allocatable :: places(:)
    integer(c_int64_t), pointer :: found(:)

    call c_f_pointer(first, found, [n])
    places = found + 1
  end function
end module
