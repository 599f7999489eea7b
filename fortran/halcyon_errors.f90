!> Errors in the manner of Fortran's I/O, and conversion of C texts.
module halcyon_errors
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_null_char, c_ptr
  use, intrinsic :: iso_fortran_env, only: output_unit
  use halcyon_abi, only: abi_version, c_strlen, halcyon_error_message, halcyon_stop
  implicit none
  private
  public :: c_text, halcyon_version, report, text_of

contains

  !> Reports the status of a library call: `stat` returns the status, 0 for success, and `errmsg` the text of an
  !> error; without `stat` an error stops the program with that text.
  subroutine report(status, stat, errmsg)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (status /= 0 .and. present(errmsg)) errmsg = text_of(halcyon_error_message())
    if (present(stat)) then
      stat = status
    else if (status /= 0) then
      flush (output_unit)
      call halcyon_stop(status)
    end if
  end subroutine

  !> The text at a C pointer.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  !> A text without trailing blanks, terminated by a null character.
  pure function c_text(text)
    character(*), intent(in) :: text
    character(len_trim(text) + 1, c_char) :: c_text

    c_text = trim(text) // c_null_char
  end function

  !> "0.1.0"
  function halcyon_version() result(text)
    character(:), allocatable :: text

    text = text_of(abi_version())
  end function
end module
