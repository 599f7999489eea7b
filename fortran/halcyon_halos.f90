!> The halo exchange of a group of fields, with one message per neighbour.
module halcyon_halos
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halcyon_abi, only: abi_array
  use halcyon_arrays, only: abi_of, halcyon_float32, halcyon_float64, halcyon_int32, halcyon_named_array
  use halcyon_decompositions, only: halcyon_decomposition
  use halcyon_errors, only: c_text, report, text_of
  use halcyon_abi
  implicit none
  private
  public :: halcyon_field, halcyon_halo, halcyon_statistics, statistics_of

  integer, parameter :: max_name_length = 64

  !> A field of a group, such as halcyon_field("wind", halcyon_edge, halcyon_float32, levels=30). Its array is
  !> (levels, n_local), or (n_local) with one level. layers: number of halo layers to exchange, 0 for all.
  type :: halcyon_field
    character(max_name_length) :: name = ""
    integer :: location = 0, type = halcyon_float64, levels = 1, layers = 0
  end type

  !> Accumulated time, messages and bytes of the exchanges on this rank.
  type :: halcyon_statistics
    real(c_double) :: pack_s = 0, transfer_s = 0, wait_s = 0, unpack_s = 0
    integer(int64) :: n_exchanges = 0, n_sent = 0, n_received = 0  ! n_sent, n_received: numbers of messages
    integer(int64) :: sent_bytes = 0, received_bytes = 0
  end type

  type :: halcyon_halo
    type(c_ptr) :: handle = c_null_ptr
    type(halcyon_field), allocatable, private :: fields(:)
  contains
    procedure :: create
    generic :: allocate => int32_1, int32_2, real32_1, real32_2, real64_1, real64_2
    generic :: start => start_one, start_several
    generic :: exchange => exchange_one, exchange_several
    procedure :: progress
    procedure :: wait => wait_for
    procedure :: description
    procedure :: statistics
    procedure :: free
    procedure, private :: int32_1, int32_2, real32_1, real32_2, real64_1, real64_2
    procedure, private :: start_one, start_several, exchange_one, exchange_several
  end type

contains

  !> Collective. @param method "isend_irecv", "shared", ...; the default "auto" measures all of them
  !> @param node_memory whether the fields are allocated by `allocate`, which "auto" takes into account
  subroutine create(self, part, fields, method, node_memory, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    class(halcyon_decomposition), intent(in) :: part
    type(halcyon_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: method
    logical, intent(in), optional :: node_memory
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(max_name_length + 1), target :: names(size(fields))
    type(abi_field) :: list(size(fields))
    character(:), allocatable :: method_name
    integer :: i, in_node_memory

    do i = 1, size(fields)
      names(i) = c_text(fields(i)%name)
      list(i) = abi_field(c_loc(names(i)), fields(i)%location, fields(i)%type, fields(i)%levels, &
                          fields(i)%layers)
    end do
    self%fields = fields
    method_name = "auto"
    if (present(method)) method_name = method
    in_node_memory = 0
    if (present(node_memory)) in_node_memory = merge(1, 0, node_memory)
    call report(halcyon_halo_create(part%handle, size(fields), list, c_text(method_name), in_node_memory, &
                                    self%handle), stat, errmsg)
  end subroutine

  !> Starts an exchange on all ranks: owned values are sent, halo values are received until `wait`. Until then
  !> owned values may be read but not written, and halo values may be neither read nor written.
  !> @param arrays halcyon_array(name, values) for each field, in the order of the group
  subroutine start_several(self, arrays, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_halo_start(self%handle, size(arrays), abi_of(arrays)), stat, errmsg)
  end subroutine

  subroutine start_one(self, array, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    type(halcyon_named_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%start([array], stat, errmsg)
  end subroutine

  !> Lets MPI make progress with the exchange in flight, to be called during a computation: many MPI libraries
  !> move messages only inside MPI calls.
  subroutine progress(self, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_halo_progress(self%handle), stat, errmsg)
  end subroutine

  !> Returns when all halo values have arrived; immediately if no exchange was started.
  subroutine wait_for(self, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_halo_wait(self%handle), stat, errmsg)
  end subroutine

  !> Starts an exchange and waits for it.
  subroutine exchange_several(self, arrays, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    type(halcyon_named_array), target, intent(in) :: arrays(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_halo_exchange(self%handle, size(arrays), abi_of(arrays)), stat, errmsg)
  end subroutine

  subroutine exchange_one(self, array, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    type(halcyon_named_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%exchange([array], stat, errmsg)
  end subroutine

  !> "isend_irecv", or "auto: shared (shared 43.0, neighbor 130.2, ... us, ...)"
  function description(self, stat, errmsg) result(text)
    class(halcyon_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: c_description
    integer(c_int) :: status

    text = ""
    status = halcyon_halo_description(self%handle, c_description)
    if (status == 0) text = text_of(c_description)
    call report(status, stat, errmsg)
  end function

  function statistics(self, stat, errmsg) result(totals)
    class(halcyon_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halcyon_statistics) :: totals
    type(abi_statistics) :: c_totals

    c_totals = abi_statistics(0, 0, 0, 0, 0, 0, 0, 0, 0)
    call report(halcyon_halo_statistics(self%handle, c_totals), stat, errmsg)
    totals = statistics_of(c_totals)
  end function

  !> Converts statistics from C.
  pure function statistics_of(c_totals) result(totals)
    type(abi_statistics), intent(in) :: c_totals
    type(halcyon_statistics) :: totals

    totals = halcyon_statistics(c_totals%pack_s, c_totals%transfer_s, c_totals%wait_s, c_totals%unpack_s, &
                                c_totals%n_exchanges, c_totals%n_sent, c_totals%n_received, c_totals%sent_bytes, &
                               c_totals%received_bytes)
  end function

  !> Collective. Waits for an exchange in flight, and releases memory of `allocate`.
  subroutine free(self)
    class(halcyon_halo), intent(inout) :: self

    call halcyon_halo_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Collective. `call halo%allocate(name, values)` allocates a field of the group, initialised with zeros, which
  !> exists until the halo is freed. With the method "shared" the memory is shared within the node, and values are
  !> sent without packing. values: a contiguous pointer of the field's type, (n_local) or (levels, n_local).
  subroutine allocate_memory(self, name, type, memory, count, stat, errmsg)
    class(halcyon_halo), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: type
    type(c_ptr), intent(out) :: memory
    integer(int64), intent(out) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: c_name
    type(abi_array) :: arrays(1)

    c_name = c_text(name)
    arrays = abi_array(c_loc(c_name), type, c_null_ptr, 0)
    call report(halcyon_halo_allocate(self%handle, 1, arrays), stat, errmsg)
    memory = arrays(1)%data
    count = arrays(1)%count
  end subroutine

  !> The shape (levels, n_local) of a field with `count` values.
  function shape_of(self, name, count) result(sizes)
    class(halcyon_halo), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: count
    integer(int64) :: sizes(2)
    integer :: i

    sizes = 0
    do i = 1, size(self%fields)
      if (self%fields(i)%name == name) sizes = [int(self%fields(i)%levels, int64), count / self%fields(i)%levels]
    end do
  end function

  subroutine int32_1(self, name, values, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), pointer, contiguous, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(int64) :: count

    call allocate_memory(self, name, halcyon_int32, memory, count, stat, errmsg)
    call c_f_pointer(memory, values, [count])
  end subroutine

  subroutine int32_2(self, name, values, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), pointer, contiguous, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(int64) :: count

    call allocate_memory(self, name, halcyon_int32, memory, count, stat, errmsg)
    call c_f_pointer(memory, values, shape_of(self, name, count))
  end subroutine

  subroutine real32_1(self, name, values, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    character(*), intent(in) :: name
    real(real32), pointer, contiguous, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(int64) :: count

    call allocate_memory(self, name, halcyon_float32, memory, count, stat, errmsg)
    call c_f_pointer(memory, values, [count])
  end subroutine

  subroutine real32_2(self, name, values, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    character(*), intent(in) :: name
    real(real32), pointer, contiguous, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(int64) :: count

    call allocate_memory(self, name, halcyon_float32, memory, count, stat, errmsg)
    call c_f_pointer(memory, values, shape_of(self, name, count))
  end subroutine

  subroutine real64_1(self, name, values, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), pointer, contiguous, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(int64) :: count

    call allocate_memory(self, name, halcyon_float64, memory, count, stat, errmsg)
    call c_f_pointer(memory, values, [count])
  end subroutine

  subroutine real64_2(self, name, values, stat, errmsg)
    class(halcyon_halo), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), pointer, contiguous, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(int64) :: count

    call allocate_memory(self, name, halcyon_float64, memory, count, stat, errmsg)
    call c_f_pointer(memory, values, shape_of(self, name, count))
  end subroutine
end module
