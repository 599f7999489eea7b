!> Fourier transforms of a plane that is periodic in x and y.
module halcyon_bifouriers
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halcyon_abi, abi_held => abi_bifourier_held, &
    c_share => halcyon_bifourier_share, &
    c_synthesis => halcyon_bifourier_synthesis, &
    c_analysis => halcyon_bifourier_analysis, &
    c_laplacian => halcyon_bifourier_laplacian, &
    c_inverse_laplacian => halcyon_bifourier_inverse_laplacian, &
    c_statistics => halcyon_bifourier_statistics, &
    c_tune => halcyon_bifourier_tune, &
    c_free => halcyon_bifourier_free
  use halcyon_errors, only: c_text, settle
  use halcyon_abi, only: abi_statistics
  use halcyon_halos, only: halcyon_statistics, statistics_of
  use halcyon_abi, only: abi_transform_options
  use halcyon_transform_parts, only: integers, option_texts, places_of, set_options, words_of
  implicit none
  private
  public :: spectral_transform

  !> Exported by module halcyon as halcyon_bifourier.
  !> Values are real64 (point, field), coefficients X_mn complex (coefficient, field), ordered by m from 0, then
  !> n = -N(m)..N(m):
  !>   x(x, y) = sum_m sum_n X_mn exp(2 pi i (m x / Lx + n y / Ly)),  X_-m,-n = conj(X_mn)
  !> so that X_00 is the mean of x; m = 0 has both signs of n, complex conjugates. Each rank has all fields of its
  !> points and coefficients. Same bits on any number of ranks. One field may be an array of rank 1.
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
    procedure :: tune
    procedure :: statistics
    procedure :: free
    procedure, private :: synthesis_one, synthesis_several, analysis_one, analysis_several, x_derivative_one, &
      x_derivative_several, y_derivative_one, y_derivative_several, laplacian_one, laplacian_several, &
      inverse_laplacian_one, inverse_laplacian_several
  end type

contains

  !> A transform on one rank; or, with `comm`, on all its ranks: create, synthesis, analysis and free are then
  !> collective.
  !> @param sizes points in x, at least 2 M + 1, and in y, at least 2 N + 1
  !> @param lengths [m] periods in x and y @param truncation [M, N]
  !> @param shape "ellipse" (default) keeps (m / M)**2 + (n / N)**2 <= 1, "rectangle" all
  !> @param group maximum number of fields computed together
  !> @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param sets [V, W], whose product is the number of ranks; default: 1 and all
  !> @param groups number of groups of fields, at most one per field: while one is computed, `ahead` others are
  !>   in flight (0: blocking). With 1 group the panels of all fields are in memory
  !> @param method "isend_irecv", ... @param algorithm "burst", "bruck", "ring-4", ...
  !> @param progress of messages during computation: "none", "poll", "thread"
  !> @param core cores of progress threads: "auto", "shared", or "3", or "2,3", assigned in turn to a node's ranks
  subroutine create(self, sizes, lengths, truncation, shape, group, comm, sets, groups, ahead, method, algorithm, &
                    progress, core, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    integer, intent(in) :: sizes(2), truncation(2)
    real(real64), intent(in) :: lengths(2)
    character(*), intent(in), optional :: shape, method, algorithm, progress, core
    integer, intent(in), optional :: group, comm, sets(2), groups, ahead
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: kept
    type(abi_plane) :: plane
    type(abi_transform_options) :: options
    type(option_texts), target :: texts

    plane = abi_plane(sizes(1), sizes(2), lengths(1), lengths(2))
    kept = "ellipse"
    if (present(shape)) kept = shape
    call set_options(options, texts, group, sets, groups, ahead, method, algorithm, progress, core)
    if (present(comm)) then
      call settle(halcyon_bifourier_create_shared(comm, plane, truncation(1), truncation(2), c_text(kept), options, &
                                                  self%handle), stat, errmsg)
    else
      call settle(halcyon_bifourier_create(plane, truncation(1), truncation(2), c_text(kept), options, &
                                           self%handle), stat, errmsg)
    end if
  end subroutine

  !> The wavenumber m in x of each coefficient.
  function m(self, stat, errmsg) result(waves)
    class(spectral_transform), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: waves(:)
    type(abi_held) :: held

    held = held_by(self, stat, errmsg)
    waves = integers(held%m, held%n_coefficients)
  end function

  !> The wavenumber n in y of each coefficient, from -N(m) to N(m).
  function n(self, stat, errmsg) result(waves)
    class(spectral_transform), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: waves(:)
    type(abi_held) :: held

    held = held_by(self, stat, errmsg)
    waves = integers(held%n, held%n_coefficients)
  end function

  !> Coefficients of derivatives in x [x m-1] of fields [x]: i k X_mn, k = 2 pi m / Lx.
  subroutine x_derivative_several(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:, :)
    complex(real64), contiguous, intent(inout) :: derivative(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(halcyon_bifourier_x_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  subroutine x_derivative_one(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:)
    complex(real64), contiguous, intent(inout) :: derivative(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(halcyon_bifourier_x_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  !> Coefficients of derivatives in y: i l X_mn, l = 2 pi n / Ly.
  subroutine y_derivative_several(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:, :)
    complex(real64), contiguous, intent(inout) :: derivative(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(halcyon_bifourier_y_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  subroutine y_derivative_one(self, coefficients, derivative, stat, errmsg)
    class(spectral_transform), intent(in) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:)
    complex(real64), contiguous, intent(inout) :: derivative(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(halcyon_bifourier_y_derivative(self%handle, size(coefficients, kind=int64), coefficients, &
                                               size(derivative, kind=int64), derivative), stat, errmsg)
  end subroutine

  include 'halcyon_spectral_transform.inc'
end module
