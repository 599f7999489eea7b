!> The functions of halcyon.h for Gaussian grids and spherical harmonics, as they are there. Not for users.
module halcyon_transform_abi
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr
  use halcyon_halo_abi, only: abi_statistics
  implicit none
  public

  type, bind(c) :: abi_rows
    integer(c_int32_t) :: n_rows
    integer(c_int64_t) :: n_points
    type(c_ptr) :: row_lengths, sines, cosines, weights
  end type

  type, bind(c) :: abi_transform_options
    real(c_double) :: radius
    integer(c_int64_t) :: memory
    integer(c_int32_t) :: group, v, w, groups, ahead
    type(c_ptr) :: method, algorithm, progress, core
  end type

  type, bind(c) :: abi_tried
    integer(c_int32_t) :: groups, ahead
    type(c_ptr) :: method, algorithm, progress
    real(c_double) :: seconds
  end type

  type, bind(c) :: abi_transform_held
    integer(c_int32_t) :: v, w
    integer(c_int64_t) :: n_points, n_coefficients
    type(c_ptr) :: points, wavenumbers, degrees
  end type

  interface
    function halcyon_grid_create(n_rows, row_lengths, grid) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: n_rows
      integer(c_int32_t), intent(in) :: row_lengths(*)
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function

    function halcyon_grid_full(n_rows, n_longitudes, grid) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: n_rows, n_longitudes
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function

    function halcyon_grid_reduced(n_rows, truncation, points_per_wave, grid) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: n_rows, truncation, points_per_wave
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function

    function halcyon_grid_octahedral(n, grid) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: n
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function

    function halcyon_grid_rows(grid, rows) result(status) bind(c)
      import :: abi_rows, c_int, c_ptr
      type(c_ptr), value :: grid
      type(abi_rows), intent(inout) :: rows
      integer(c_int) :: status
    end function

    subroutine halcyon_grid_free(grid) bind(c)
      import :: c_ptr
      type(c_ptr), value :: grid
    end subroutine

    subroutine halcyon_transform_options_default(options) bind(c)
      import :: abi_transform_options
      type(abi_transform_options), intent(out) :: options
    end subroutine

    function halcyon_transform_create(grid, truncation, options, transform) result(status) bind(c)
      import :: abi_transform_options, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: grid
      integer(c_int32_t), value :: truncation
      type(abi_transform_options), intent(in) :: options
      type(c_ptr), intent(inout) :: transform
      integer(c_int) :: status
    end function

    function halcyon_transform_create_shared(comm, grid, truncation, options, transform) &
      result(status) bind(c)
      import :: abi_transform_options, c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: comm, truncation
      type(c_ptr), value :: grid
      type(abi_transform_options), intent(in) :: options
      type(c_ptr), intent(inout) :: transform
      integer(c_int) :: status
    end function

    function halcyon_transform_share(transform, held) result(status) bind(c)
      import :: abi_transform_held, c_int, c_ptr
      type(c_ptr), value :: transform
      type(abi_transform_held), intent(inout) :: held
      integer(c_int) :: status
    end function

    function halcyon_transform_fields(transform, n_fields, first, n) result(status) bind(c)
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int32_t), value :: n_fields
      integer(c_int32_t), intent(inout) :: first, n
      integer(c_int) :: status
    end function

    function halcyon_transform_synthesis(transform, n_coefficients, coefficients, n_values, values) &
      result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_coefficients, n_values
      complex(c_double_complex), intent(in) :: coefficients(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_analysis(transform, n_values, values, n_coefficients, coefficients) &
      result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_values, n_coefficients
      real(c_double), intent(in) :: values(*)
      complex(c_double_complex), intent(inout) :: coefficients(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_winds(transform, n_vorticity, vorticity, n_divergence, divergence, n_u, u, n_v, v) &
      result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_vorticity, n_divergence, n_u, n_v
      complex(c_double_complex), intent(in) :: vorticity(*), divergence(*)
      real(c_double), intent(inout) :: u(*), v(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_vorticity_divergence(transform, n_u, u, n_v, v, n_vorticity, vorticity, &
                                                    n_divergence, divergence) result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_u, n_v, n_vorticity, n_divergence
      real(c_double), intent(in) :: u(*), v(*)
      complex(c_double_complex), intent(inout) :: vorticity(*), divergence(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_gradient(transform, n_coefficients, coefficients, n_east, east, n_north, north) &
      result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_coefficients, n_east, n_north
      complex(c_double_complex), intent(in) :: coefficients(*)
      real(c_double), intent(inout) :: east(*), north(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_laplacian(transform, n_coefficients, coefficients, n_laplacian, laplacian) &
      result(status) bind(c)
      import :: c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_coefficients, n_laplacian
      complex(c_double_complex), intent(in) :: coefficients(*)
      complex(c_double_complex), intent(inout) :: laplacian(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_inverse_laplacian(transform, n_laplacian, laplacian, n_coefficients, coefficients) &
      result(status) bind(c)
      import :: c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: n_laplacian, n_coefficients
      complex(c_double_complex), intent(in) :: laplacian(*)
      complex(c_double_complex), intent(inout) :: coefficients(*)
      integer(c_int) :: status
    end function

    function halcyon_transform_tune(transform, n_fields, repetitions, found) result(status) bind(c)
      import :: abi_tried, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int32_t), value :: n_fields, repetitions
      type(abi_tried), intent(inout) :: found
      integer(c_int) :: status
    end function

    function halcyon_transform_statistics(transform, statistics) result(status) bind(c)
      import :: abi_statistics, c_int, c_ptr
      type(c_ptr), value :: transform
      type(abi_statistics), intent(inout) :: statistics
      integer(c_int) :: status
    end function

    subroutine halcyon_transform_free(transform) bind(c)
      import :: c_ptr
      type(c_ptr), value :: transform
    end subroutine
  end interface
end module
