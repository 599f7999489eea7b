!> Fourier transforms of a plane that is periodic in x and y.
module halcyon_bifouriers
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halcyon_abi, abi_part => abi_bifourier_held, &
    c_part => halcyon_bifourier_share, &
    c_synthesis => halcyon_bifourier_synthesis, &
    c_analysis => halcyon_bifourier_analysis, &
    c_start_synthesis => halcyon_bifourier_start_synthesis, &
    c_start_analysis => halcyon_bifourier_start_analysis, &
    c_progress => halcyon_bifourier_progress, &
    c_wait => halcyon_bifourier_wait, &
    c_laplacian => halcyon_bifourier_laplacian, &
    c_inverse_laplacian => halcyon_bifourier_inverse_laplacian, &
    c_statistics => halcyon_bifourier_statistics, &
    c_tune => halcyon_bifourier_tune, &
    c_free => halcyon_bifourier_free
  use halcyon_errors, only: c_text, report
  use halcyon_abi, only: abi_statistics
  use halcyon_halos, only: halcyon_statistics, statistics_of
  use halcyon_abi, only: abi_transform_options
  use halcyon_transform_parts, only: integers, option_texts, indices_of, set_options, settings_text
  implicit none
  private
  public :: spectral_transform

  !> Exported by module halcyon as halcyon_bifourier.
  !> Values are real64 (point, field), coefficients F_mn complex (coefficient, field), ordered by m from 0, then by
  !> n = -N(m)..N(m):
  !>   f(x, y) = sum_m sum_n F_mn exp(2 pi i (m x / Lx + n y / Ly)),  F_-m,-n = conj(F_mn)
  !> so that F_00 is the mean of f. For m = 0 both signs of n are stored, complex conjugates. Each rank has all fields
  !> at its points, and its coefficients of all fields. Results have the same bits on any number of ranks. A single
  !> field may be an array of rank 1.
  type :: spectral_transform
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: n_points
    procedure :: n_coefficients
    procedure :: points
    procedure :: m
    procedure :: n
    generic :: synthesis => synthesis_one, synthesis_several
    generic :: analysis => analysis_one, analysis_several
    generic :: x_derivative => x_derivative_one, x_derivative_several
    generic :: y_derivative => y_derivative_one, y_derivative_several
    generic :: laplacian => laplacian_one, laplacian_several
    generic :: inverse_laplacian => inverse_laplacian_one, inverse_laplacian_several
    generic :: start_synthesis => start_synthesis_one, start_synthesis_several
    generic :: start_analysis => start_analysis_one, start_analysis_several
    procedure :: progress
    procedure :: wait => wait_for
    procedure :: tune
    procedure :: statistics
    procedure :: free
    procedure, private :: synthesis_one, synthesis_several, analysis_one, analysis_several, x_derivative_one, &
      x_derivative_several, y_derivative_one, y_derivative_several, laplacian_one, laplacian_several, &
      inverse_laplacian_one, inverse_laplacian_several
    procedure, private :: start_synthesis_one, start_synthesis_several, start_analysis_one, start_analysis_several
  end type

contains

  !> A transform on one rank; or, with `comm`, on all ranks of the communicator: create, synthesis, analysis, tune and
  !> free are then collective.
  !> @param sizes numbers of points in x, at least 2 M + 1, and in y, at least 2 N + 1
  !> @param lengths [m] periods in x and y @param truncation [M, N]
  !> @param shape "ellipse" (default): wavenumbers with (m / M)**2 + (n / N)**2 <= 1; "rectangle": all
  !> @param group largest number of fields computed at once (not one of the `groups`)
  !> @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param sets [V, W], with V W ranks: W divides rows (y) and wavenumbers m, V divides x and wavenumbers n; default:
  !>   V = 1
  !> @param groups number of groups of fields in the pipeline, at most one per field
  !> @param ahead number of groups in flight while another group is computed; 0: exchanges block
  !> @param method "isend_irecv", ... @param algorithm "burst", "bruck", "ring-4", ...
  !> @param progress how messages progress during computation: "none", "poll", "thread"
  !> @param core core of the progress thread: "auto", "shared" (with its rank), a number such as "3", or one per rank
  !>   of a node such as "2,3"
  subroutine create(self, sizes, lengths, truncation, shape, group, comm, sets, groups, ahead, method, algorithm, &
                    progress, core, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    integer, intent(in) :: sizes(2), truncation(2)
    real(real64), intent(in) :: lengths(2)
    character(*), intent(in), optional :: shape, method, algorithm, progress, core
    integer, intent(in), optional :: group, comm, sets(2), groups, ahead
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: truncation_shape
    type(abi_plane) :: plane
    type(abi_transform_options) :: options
    type(option_texts), target :: texts

    plane = abi_plane(sizes(1), sizes(2), lengths(1), lengths(2))
    truncation_shape = "ellipse"
    if (present(shape)) truncation_shape = shape
    call set_options(options, texts, group, sets, groups, ahead, method, algorithm, progress, core)
    if (present(comm)) then
      call report(halcyon_bifourier_create_shared(comm, plane, truncation(1), truncation(2), &
                                                  c_text(truncation_shape), options, self%handle), stat, errmsg)
    else
      call report(halcyon_bifourier_create(plane, truncation(1), truncation(2), c_text(truncation_shape), &
                                           options, self%handle), stat, errmsg)
    end if
  end subroutine

  !> The wavenumber m in x of each coefficient.
  function m(self, stat, errmsg) result(wavenumbers)
    class(spectral_transform), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: wavenumbers(:)
    type(abi_part) :: part

    part = part_of_rank(self, stat, errmsg)
    wavenumbers = integers(part%m, part%n_coefficients)
  end function

  !> The wavenumber n in y of each coefficient, from -N(m) to N(m).
  function n(self, stat, errmsg) result(wavenumbers)
    class(spectral_transform), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: wavenumbers(:)
    type(abi_part) :: part

    part = part_of_rank(self, stat, errmsg)
    wavenumbers = integers(part%n, part%n_coefficients)
  end function

  !> Coefficients of derivatives in x, in the unit of the field per metre: i k F_mn, k = 2 pi m / Lx.
  subroutine x_derivative_several(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:, :)
    complex(real64), contiguous, intent(inout) :: derivative(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_bifourier_x_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  subroutine x_derivative_one(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:)
    complex(real64), contiguous, intent(inout) :: derivative(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_bifourier_x_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  !> Coefficients of derivatives in y, in the unit of the field per metre: i l F_mn, l = 2 pi n / Ly.
  subroutine y_derivative_several(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:, :)
    complex(real64), contiguous, intent(inout) :: derivative(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_bifourier_y_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  subroutine y_derivative_one(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:)
    complex(real64), contiguous, intent(inout) :: derivative(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_bifourier_y_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  include 'halcyon_spectral_transform.inc'
end module
