!> A netCDF file that all ranks write together; each writes the items with its global ids.
module halcyon_writers
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halcyon_abi
  use halcyon_arrays, only: abi_of, halcyon_named_array
  use halcyon_errors, only: c_text, report, text_of
  use halcyon_placements, only: halcyon_io_ranks, halcyon_placement
  use halcyon_schemas, only: halcyon_schema
  implicit none
  private
  public :: halcyon_writer

  !> Record number of variables without a record dimension; records count from 1.
  integer, parameter, public :: halcyon_no_record = 0

  type :: halcyon_writer
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: continue => continue_part
    generic :: write => write_one, write_several
    generic :: write_root => write_root_one, write_root_several
    procedure :: sync
    procedure :: close => close_file
    procedure :: wait => wait_for
    procedure :: waited
    procedure :: free
    procedure, private :: write_one, write_several, write_root_one, write_root_several
  end type

contains

  !> Collective. Creates `path.part`, which is renamed to `path` when it is closed and complete.
  !> @param n_records expected number of records, whose space is reserved
  !> @param compression level 1 to 9, for a netCDF-4 file; default: a classic file
  subroutine create(self, ranks, path, schema, n_records, compression, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    class(halcyon_io_ranks), intent(in) :: ranks
    character(*), intent(in) :: path
    class(halcyon_schema), intent(in) :: schema
    integer, intent(in) :: n_records
    integer, intent(in), optional :: compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_writer_create(ranks%handle, c_text(path), schema%handle, level_of(compression), &
                                      int(n_records, int64), self%handle), stat, errmsg)
  end subroutine

  integer function level_of(compression)
    integer, intent(in), optional :: compression

    level_of = 0
    if (present(compression)) level_of = compression
  end function

  !> Collective. Continues `path.part` after a sync. @param progress the line returned by `sync`
  subroutine continue_part(self, ranks, path, schema, n_records, progress, compression, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    class(halcyon_io_ranks), intent(in) :: ranks
    character(*), intent(in) :: path, progress
    class(halcyon_schema), intent(in) :: schema
    integer, intent(in) :: n_records
    integer, intent(in), optional :: compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_writer_continue(ranks%handle, c_text(path), schema%handle, level_of(compression), &
                                        int(n_records, int64), c_text(progress), self%handle), stat, errmsg)
  end subroutine

  !> Collective. Writes variables on the same items together.
  !> @param record 1, 2, ... or halcyon_no_record @param arrays values of this rank's items, which are the last
  !> dimension, in the order of the placement's ids
  subroutine write_several(self, record, placement, arrays, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    integer, intent(in) :: record
    class(halcyon_placement), intent(in) :: placement
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_writer_write(self%handle, record - 1_int64, placement%handle, size(arrays), &
                                     abi_of(arrays)), stat, errmsg)
  end subroutine

  subroutine write_one(self, record, placement, array, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    integer, intent(in) :: record
    class(halcyon_placement), intent(in) :: placement
    type(halcyon_named_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%write(record, placement, [array], stat, errmsg)
  end subroutine

  !> Collective. Writes complete variables, or one record of each variable, from the arrays on rank 0.
  subroutine write_root_several(self, record, arrays, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    integer, intent(in) :: record
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_writer_write_root(self%handle, record - 1_int64, size(arrays), abi_of(arrays)), &
                stat, errmsg)
  end subroutine

  subroutine write_root_one(self, record, array, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    integer, intent(in) :: record
    type(halcyon_named_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%write_root(record, [array], stat, errmsg)
  end subroutine

  !> Collective. Flushes the file to disk.
  !> @param progress a line of text from which the file can be continued, to be stored in the model's restart file
  subroutine sync(self, progress, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    character(:), allocatable, intent(out), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: line
    integer(c_int) :: status

    status = halcyon_writer_sync(self%handle, line)
    if (status == 0 .and. present(progress)) progress = text_of(line)
    call report(status, stat, errmsg)
  end subroutine

  !> Collective. Checks that everything was written and renames the file; with background, asynchronously.
  subroutine close_file(self, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_writer_close(self%handle), stat, errmsg)
  end subroutine

  !> Collective. Waits until background writing is complete.
  subroutine wait_for(self, stat, errmsg)
    class(halcyon_writer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_writer_wait(self%handle), stat, errmsg)
  end subroutine

  !> Time for which this rank waited for space in the buffer [s].
  function waited(self, stat, errmsg) result(seconds)
    class(halcyon_writer), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double) :: seconds

    seconds = 0
    call report(halcyon_writer_waited(self%handle, seconds), stat, errmsg)
  end function

  !> Collective. A file that was not closed remains as `path.part`.
  subroutine free(self)
    class(halcyon_writer), intent(inout) :: self

    call halcyon_writer_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
