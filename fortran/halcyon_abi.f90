!> The functions of halcyon.h that the module calls, as they are there. Not for users.
module halcyon_abi
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
  implicit none
  public

  type, bind(c) :: abi_io_options
    type(c_ptr) :: layout
    integer(c_int32_t) :: ranks, group_size, most_ranks, most_requests, background
    integer(c_int64_t) :: piece, buffer
    type(c_ptr) :: hints
  end type

  !> halcyon_values and halcyon_target
  type, bind(c) :: abi_array
    type(c_ptr) :: variable
    integer(c_int) :: type
    type(c_ptr) :: data
    integer(c_int64_t) :: count
  end type

  type, bind(c) :: abi_verified
    character(kind=c_char) :: format(16)
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: n_variables, n_checked, header_checked
  end type

  interface
    function halcyon_error_message() result(text) bind(c)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    subroutine halcyon_stop(status) bind(c)
      import :: c_int32_t
      integer(c_int32_t), value :: status
    end subroutine

    function abi_version() result(text) bind(c, name="halcyon_version")
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function c_strlen(text) result(n) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: n
    end function

    subroutine halcyon_io_options_default(options) bind(c)
      import :: abi_io_options
      type(abi_io_options), intent(out) :: options
    end subroutine

    function halcyon_io_ranks_create(comm, options, bytes, ranks) result(status) bind(c)
      import :: abi_io_options, c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int32_t), value :: comm
      type(abi_io_options), intent(in) :: options
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: ranks
      integer(c_int) :: status
    end function

    function halcyon_io_ranks_description(ranks, description) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: ranks
      type(c_ptr), intent(inout) :: description
      integer(c_int) :: status
    end function

    subroutine halcyon_io_ranks_free(ranks) bind(c)
      import :: c_ptr
      type(c_ptr), value :: ranks
    end subroutine

    function halcyon_placement_create(ranks, n_ids, ids, n_items, placement) result(status) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: ranks
      integer(c_int64_t), value :: n_ids, n_items
      integer(c_int64_t), intent(in) :: ids(*)
      type(c_ptr), intent(inout) :: placement
      integer(c_int) :: status
    end function

    function halcyon_placement_is_partition(placement, is_partition) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: placement
      integer(c_int32_t), intent(inout) :: is_partition
      integer(c_int) :: status
    end function

    subroutine halcyon_placement_free(placement) bind(c)
      import :: c_ptr
      type(c_ptr), value :: placement
    end subroutine

    function halcyon_schema_create(schema) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: schema
      integer(c_int) :: status
    end function

    function halcyon_schema_dimension(schema, name, size) result(status) bind(c)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schema
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: status
    end function

    function halcyon_schema_variable(schema, name, type, n_dimensions, dimensions) result(status) bind(c)
      import :: c_char, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: schema
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int32_t), value :: n_dimensions
      type(c_ptr), intent(in) :: dimensions(*)
      integer(c_int) :: status
    end function

    function halcyon_schema_attribute_text(schema, variable, name, text) result(status) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: schema
      character(kind=c_char), intent(in) :: variable(*), name(*), text(*)
      integer(c_int) :: status
    end function

    function halcyon_schema_attribute_number(schema, variable, name, number, type) result(status) bind(c)
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: schema
      character(kind=c_char), intent(in) :: variable(*), name(*)
      real(c_double), value :: number
      integer(c_int), value :: type
      integer(c_int) :: status
    end function

    function halcyon_schema_bytes(schema, n_records, bytes) result(status) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schema
      integer(c_int64_t), value :: n_records
      integer(c_int64_t), intent(inout) :: bytes
      integer(c_int) :: status
    end function

    subroutine halcyon_schema_free(schema) bind(c)
      import :: c_ptr
      type(c_ptr), value :: schema
    end subroutine

    function halcyon_writer_create(ranks, path, schema, compression, n_records, writer) &
      result(status) bind(c)
      import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: ranks, schema
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t), value :: compression
      integer(c_int64_t), value :: n_records
      type(c_ptr), intent(inout) :: writer
      integer(c_int) :: status
    end function

    function halcyon_writer_continue(ranks, path, schema, compression, n_records, progress, writer) &
      result(status) bind(c)
      import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: ranks, schema
      character(kind=c_char), intent(in) :: path(*), progress(*)
      integer(c_int32_t), value :: compression
      integer(c_int64_t), value :: n_records
      type(c_ptr), intent(inout) :: writer
      integer(c_int) :: status
    end function

    function halcyon_writer_write(writer, record, placement, n, values) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: writer, placement
      integer(c_int64_t), value :: record
      integer(c_int32_t), value :: n
      type(abi_array), intent(in) :: values(*)
      integer(c_int) :: status
    end function

    function halcyon_writer_write_root(writer, record, n, values) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), value :: record
      integer(c_int32_t), value :: n
      type(abi_array), intent(in) :: values(*)
      integer(c_int) :: status
    end function

    function halcyon_writer_sync(writer, progress) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      type(c_ptr), intent(inout) :: progress
      integer(c_int) :: status
    end function

    function halcyon_writer_close(writer) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function

    function halcyon_writer_wait(writer) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function

    function halcyon_writer_waited(writer, waited_s) result(status) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: writer
      real(c_double), intent(inout) :: waited_s
      integer(c_int) :: status
    end function

    subroutine halcyon_writer_free(writer) bind(c)
      import :: c_ptr
      type(c_ptr), value :: writer
    end subroutine

    function halcyon_reader_open(ranks, path, reader) result(status) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: ranks
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: reader
      integer(c_int) :: status
    end function

    function halcyon_reader_n_records(reader, n_records) result(status) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(inout) :: n_records
      integer(c_int) :: status
    end function

    function halcyon_reader_names(reader, n, names) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int32_t), intent(inout) :: n
      type(c_ptr), intent(inout) :: names
      integer(c_int) :: status
    end function

    function halcyon_reader_shape(reader, variable, n, sizes) result(status) bind(c)
      import :: c_char, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int32_t), intent(inout) :: n
      type(c_ptr), intent(inout) :: sizes
      integer(c_int) :: status
    end function

    function halcyon_reader_text(reader, variable, name, text) result(status) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: variable(*), name(*)
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: status
    end function

    function halcyon_reader_read(reader, record, placement, n, targets) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: reader, placement
      integer(c_int64_t), value :: record
      integer(c_int32_t), value :: n
      type(abi_array), intent(in) :: targets(*)
      integer(c_int) :: status
    end function

    function halcyon_reader_read_all(reader, record, n, targets) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: record
      integer(c_int32_t), value :: n
      type(abi_array), intent(in) :: targets(*)
      integer(c_int) :: status
    end function

    function halcyon_reader_close(reader) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function

    subroutine halcyon_reader_free(reader) bind(c)
      import :: c_ptr
      type(c_ptr), value :: reader
    end subroutine

    function abi_verify(path, verified) result(status) bind(c, name="halcyon_verify")
      import :: abi_verified, c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      type(abi_verified), intent(inout) :: verified
      integer(c_int) :: status
    end function
  end interface
end module
