!> The functions of halcyon.h for topologies, decompositions and halos, as they are there. Not for users.
module halcyon_halo_abi
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr
  use halcyon_abi, only: abi_array
  implicit none
  public

  type, bind(c) :: abi_partition_options
    type(c_ptr) :: method
    integer(c_int32_t) :: seed, contiguous, ranks_per_node
  end type

  type, bind(c) :: abi_share
    integer(c_int32_t) :: n_owned, n_local, n_layers
    type(c_ptr) :: layer_offsets, to_global
  end type

  type, bind(c) :: abi_field
    type(c_ptr) :: variable
    integer(c_int) :: location, type
    integer(c_int32_t) :: levels, layers
  end type

  type, bind(c) :: abi_statistics
    real(c_double) :: pack_s, transfer_s, wait_s, unpack_s
    integer(c_int64_t) :: n_exchanges, n_sent, n_received, sent_bytes, received_bytes
  end type

  interface
    function halcyon_topology_create(n_cells, offsets, n_values, cells_on_cell, topology) &
      result(status) bind(c)
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      integer(c_int32_t), value :: n_cells
      integer(c_int64_t), value :: n_values
      integer(c_int32_t), intent(in) :: offsets(*), cells_on_cell(*)
      type(c_ptr), intent(inout) :: topology
      integer(c_int) :: status
    end function

    function halcyon_topology_share(topology, location, n_shared, offsets, n_values, on_cell) &
      result(status) bind(c)
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int64_t), value :: n_values
      integer(c_int), value :: location
      integer(c_int32_t), value :: n_shared
      integer(c_int32_t), intent(in) :: offsets(*), on_cell(*)
      integer(c_int) :: status
    end function

    function halcyon_topology_read(path, topology) result(status) bind(c)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: topology
      integer(c_int) :: status
    end function

    function halcyon_topology_n_cells(topology, n_cells) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), intent(inout) :: n_cells
      integer(c_int) :: status
    end function

    function halcyon_topology_lists(topology, location, offsets, values) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: topology
      integer(c_int), value :: location
      type(c_ptr), intent(inout) :: offsets, values
      integer(c_int) :: status
    end function

    subroutine halcyon_topology_free(topology) bind(c)
      import :: c_ptr
      type(c_ptr), value :: topology
    end subroutine

    subroutine halcyon_partition_options_default(options) bind(c)
      import :: abi_partition_options
      type(abi_partition_options), intent(out) :: options
    end subroutine

    function halcyon_partition(topology, n_ranks, options, owners) result(status) bind(c)
      import :: abi_partition_options, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: topology
      integer(c_int32_t), value :: n_ranks
      type(abi_partition_options), intent(in) :: options
      integer(c_int32_t), intent(inout) :: owners(*)
      integer(c_int) :: status
    end function

    function halcyon_decomposition_create(comm, topology, n_owners, owners, n_layers, decomposition) &
      result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: comm, n_owners, n_layers
      type(c_ptr), value :: topology, owners
      type(c_ptr), intent(inout) :: decomposition
      integer(c_int) :: status
    end function

    function halcyon_decomposition_n_inner(decomposition, n_inner) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: decomposition
      integer(c_int32_t), intent(inout) :: n_inner
      integer(c_int) :: status
    end function

    function halcyon_decomposition_share(decomposition, location, share) result(status) bind(c)
      import :: abi_share, c_int, c_ptr
      type(c_ptr), value :: decomposition
      integer(c_int), value :: location
      type(abi_share), intent(inout) :: share
      integer(c_int) :: status
    end function

    function halcyon_decomposition_to_local(decomposition, location, n, ids, local) result(status) bind(c)
      import :: c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: decomposition
      integer(c_int), value :: location
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in) :: ids(*)
      integer(c_int32_t), intent(inout) :: local(*)
      integer(c_int) :: status
    end function

    function halcyon_decomposition_neighbours(decomposition, n, ranks) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: decomposition
      integer(c_int32_t), intent(inout) :: n
      type(c_ptr), intent(inout) :: ranks
      integer(c_int) :: status
    end function

    subroutine halcyon_decomposition_free(decomposition) bind(c)
      import :: c_ptr
      type(c_ptr), value :: decomposition
    end subroutine

    function halcyon_halo_create(decomposition, n_fields, fields, method, node_memory, halo) &
      result(status) bind(c)
      import :: abi_field, c_char, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: decomposition
      integer(c_int32_t), value :: n_fields, node_memory
      type(abi_field), intent(in) :: fields(*)
      character(kind=c_char), intent(in) :: method(*)
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: status
    end function

    function halcyon_halo_allocate(halo, n, arrays) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: halo
      integer(c_int32_t), value :: n
      type(abi_array), intent(inout) :: arrays(*)
      integer(c_int) :: status
    end function

    function halcyon_halo_start(halo, n, arrays) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: halo
      integer(c_int32_t), value :: n
      type(abi_array), intent(in) :: arrays(*)
      integer(c_int) :: status
    end function

    function halcyon_halo_progress(halo) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function

    function halcyon_halo_wait(halo) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function

    function halcyon_halo_exchange(halo, n, arrays) result(status) bind(c)
      import :: abi_array, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: halo
      integer(c_int32_t), value :: n
      type(abi_array), intent(in) :: arrays(*)
      integer(c_int) :: status
    end function

    function halcyon_halo_description(halo, description) result(status) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      type(c_ptr), intent(inout) :: description
      integer(c_int) :: status
    end function

    function halcyon_halo_statistics(halo, statistics) result(status) bind(c)
      import :: abi_statistics, c_int, c_ptr
      type(c_ptr), value :: halo
      type(abi_statistics), intent(inout) :: statistics
      integer(c_int) :: status
    end function

    subroutine halcyon_halo_free(halo) bind(c)
      import :: c_ptr
      type(c_ptr), value :: halo
    end subroutine
  end interface
end module
