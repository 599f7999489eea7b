!> The functions of halcyon.h for waves on a plane, as they are there. Not for users.
module halcyon_bifourier_abi
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_int, c_int32_t, c_int64_t, c_ptr
  use halcyon_halo_abi, only: abi_statistics
  use halcyon_transform_abi, only: abi_transform_options, abi_tried
  implicit none
  public

  type, bind(c) :: abi_plane
    integer(c_int32_t) :: nx, ny
    real(c_double) :: length_x, length_y
  end type

  type, bind(c) :: abi_bifourier_held
    integer(c_int32_t) :: v, w
    integer(c_int64_t) :: n_points, n_coefficients
    type(c_ptr) :: points, m, n
  end type

  interface
    function halcyon_bifourier_create(plane, last_m, last_n, shape, options, bifourier) result(status) bind(c)
      import :: abi_plane, abi_transform_options, c_char, c_int, c_int32_t, c_ptr
      type(abi_plane), intent(in) :: plane
      integer(c_int32_t), value :: last_m, last_n
      character(kind=c_char), intent(in) :: shape(*)
      type(abi_transform_options), intent(in) :: options
      type(c_ptr), intent(inout) :: bifourier
      integer(c_int) :: status
    end function

    function halcyon_bifourier_create_shared(comm, plane, last_m, last_n, shape, options, bifourier) &
      result(status) bind(c)
      import :: abi_plane, abi_transform_options, c_char, c_int, c_int32_t, c_ptr
      integer(c_int32_t), value :: comm, last_m, last_n
      type(abi_plane), intent(in) :: plane
      character(kind=c_char), intent(in) :: shape(*)
      type(abi_transform_options), intent(in) :: options
      type(c_ptr), intent(inout) :: bifourier
      integer(c_int) :: status
    end function

    function halcyon_bifourier_share(bifourier, held) result(status) bind(c)
      import :: abi_bifourier_held, c_int, c_ptr
      type(c_ptr), value :: bifourier
      type(abi_bifourier_held), intent(inout) :: held
      integer(c_int) :: status
    end function

    function halcyon_bifourier_synthesis(bifourier, n_coefficients, coefficients, n_values, values) &
      result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int64_t), value :: n_coefficients, n_values
      complex(c_double_complex), intent(in) :: coefficients(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_int) :: status
    end function

    function halcyon_bifourier_analysis(bifourier, n_values, values, n_coefficients, coefficients) &
      result(status) bind(c)
      import :: c_double, c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int64_t), value :: n_values, n_coefficients
      real(c_double), intent(in) :: values(*)
      complex(c_double_complex), intent(inout) :: coefficients(*)
      integer(c_int) :: status
    end function

    function halcyon_bifourier_x_derivative(bifourier, n_coefficients, coefficients, n_derivative, derivative) &
      result(status) bind(c)
      import :: c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int64_t), value :: n_coefficients, n_derivative
      complex(c_double_complex), intent(in) :: coefficients(*)
      complex(c_double_complex), intent(inout) :: derivative(*)
      integer(c_int) :: status
    end function

    function halcyon_bifourier_y_derivative(bifourier, n_coefficients, coefficients, n_derivative, derivative) &
      result(status) bind(c)
      import :: c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int64_t), value :: n_coefficients, n_derivative
      complex(c_double_complex), intent(in) :: coefficients(*)
      complex(c_double_complex), intent(inout) :: derivative(*)
      integer(c_int) :: status
    end function

    function halcyon_bifourier_laplacian(bifourier, n_coefficients, coefficients, n_laplacian, laplacian) &
      result(status) bind(c)
      import :: c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int64_t), value :: n_coefficients, n_laplacian
      complex(c_double_complex), intent(in) :: coefficients(*)
      complex(c_double_complex), intent(inout) :: laplacian(*)
      integer(c_int) :: status
    end function

    function halcyon_bifourier_inverse_laplacian(bifourier, n_laplacian, laplacian, n_coefficients, coefficients) &
      result(status) bind(c)
      import :: c_double_complex, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int64_t), value :: n_laplacian, n_coefficients
      complex(c_double_complex), intent(in) :: laplacian(*)
      complex(c_double_complex), intent(inout) :: coefficients(*)
      integer(c_int) :: status
    end function

    function halcyon_bifourier_tune(bifourier, n_fields, repetitions, found) result(status) bind(c)
      import :: abi_tried, c_int, c_int32_t, c_ptr
      type(c_ptr), value :: bifourier
      integer(c_int32_t), value :: n_fields, repetitions
      type(abi_tried), intent(inout) :: found
      integer(c_int) :: status
    end function

    function halcyon_bifourier_statistics(bifourier, statistics) result(status) bind(c)
      import :: abi_statistics, c_int, c_ptr
      type(c_ptr), value :: bifourier
      type(abi_statistics), intent(inout) :: statistics
      integer(c_int) :: status
    end function

    subroutine halcyon_bifourier_free(bifourier) bind(c)
      import :: c_ptr
      type(c_ptr), value :: bifourier
    end subroutine
  end interface
end module
