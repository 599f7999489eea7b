!> Errors as Fortran's own I/O has them, and texts from C.
module halcyon_errors
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_null_char, c_ptr
  use, intrinsic :: iso_fortran_env, only: output_unit
  use halcyon_abi, only: abi_version, c_strlen, halcyon_error_message, halcyon_stop
  implicit none
  private
  public :: c_text, halcyon_version, settle, text_of

contains

  !> Ends a call of the library: with `stat` its status is given back, 0 if all is well, and `errmsg` gets the
  !> text of an error; without `stat` an error stops the program with that text.
  subroutine settle(status, stat, errmsg)
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

  !> The text that a pointer of C points to.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i

    call c_f_pointer(pointer, letters, [c_strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> A text without trailing blanks, as C has it.
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
