!> Spherical harmonic transforms on Gaussian grids.
module halcyon_transforms
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halcyon_errors, only: report
  use halcyon_grids, only: halcyon_grid
  use halcyon_abi, only: abi_statistics
  use halcyon_halos, only: halcyon_statistics, statistics_of
  use halcyon_abi, abi_part => abi_transform_held, &
    c_part => halcyon_transform_share, &
    c_synthesis => halcyon_transform_synthesis, &
    c_analysis => halcyon_transform_analysis, &
    c_start_synthesis => halcyon_transform_start_synthesis, &
    c_start_analysis => halcyon_transform_start_analysis, &
    c_progress => halcyon_transform_progress, &
    c_wait => halcyon_transform_wait, &
    c_laplacian => halcyon_transform_laplacian, &
    c_inverse_laplacian => halcyon_transform_inverse_laplacian, &
    c_statistics => halcyon_transform_statistics, &
    c_tune => halcyon_transform_tune, &
    c_free => halcyon_transform_free
  use halcyon_transform_parts, only: integers, option_texts, indices_of, set_options, settings_text
  implicit none
  private
  public :: spectral_transform

  !> Exported by module halcyon as halcyon_transform.
  !> Values are real64 (point, field), coefficients F_nm complex (coefficient, field), ordered by m, then by n = m..T:
  !>   f(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} F_nm P_nm(mu) exp(i m lambda),  F_n,-m = conj(F_nm)
  !> where the mean square of each P_nm is 1, so that F_00 is the mean of f. Results have the same bits on any number
  !> of ranks. A single field may be an array of rank 1.
  type :: spectral_transform
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: n_points
    procedure :: n_coefficients
    procedure :: points
    procedure :: wavenumbers
    procedure :: degrees
    procedure :: fields
    generic :: synthesis => synthesis_one, synthesis_several
    generic :: analysis => analysis_one, analysis_several
    generic :: winds => winds_one, winds_several
    generic :: vorticity_divergence => vorticity_divergence_one, vorticity_divergence_several
    generic :: gradient => gradient_one, gradient_several
    generic :: laplacian => laplacian_one, laplacian_several
    generic :: inverse_laplacian => inverse_laplacian_one, inverse_laplacian_several
    generic :: start_synthesis => start_synthesis_one, start_synthesis_several
    generic :: start_analysis => start_analysis_one, start_analysis_several
    generic :: start_winds => start_winds_one, start_winds_several
    generic :: start_vorticity_divergence => start_vorticity_divergence_one, start_vorticity_divergence_several
    generic :: start_gradient => start_gradient_one, start_gradient_several
    procedure :: progress
    procedure :: wait => wait_for
    procedure :: tune
    procedure :: statistics
    procedure :: free
    procedure, private :: synthesis_one, synthesis_several, analysis_one, analysis_several, winds_one, &
      winds_several, vorticity_divergence_one, vorticity_divergence_several, gradient_one, gradient_several, &
      laplacian_one, laplacian_several, inverse_laplacian_one, inverse_laplacian_several
    procedure, private :: start_synthesis_one, start_synthesis_several, start_analysis_one, start_analysis_several
    procedure, private :: start_winds_one, start_winds_several, start_vorticity_divergence_one, &
      start_vorticity_divergence_several, start_gradient_one, start_gradient_several
  end type

contains

  !> A transform on one rank; or, with `comm`, on all ranks of the communicator: all procedures are then collective,
  !> except those that return counts, indices or statistics.
  !> @param radius [m] radius of the sphere @param memory [bytes] memory for cached Legendre functions
  !> @param group largest number of fields computed at once (not one of the `groups`)
  !> @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param sets [V, W]: fields are divided among V sets, wavenumbers m and rows among the W ranks of each set; default:
  !>   1 set of all ranks
  !> @param groups number of groups of fields in the pipeline, at most one per field
  !> @param ahead number of groups in flight while another group is computed; 0: exchanges block
  !> @param method "isend_irecv", ... @param algorithm "burst", "bruck", "ring-4", ...
  !> @param progress how messages progress during computation: "none", "poll", "thread"
  !> @param core core of the progress thread: "auto", "shared" (with its rank), a number such as "3", or one per rank
  !>   of a node such as "2,3"
  !> @param share_coefficients .true.: V sets share the coefficients of each field instead of dividing the fields, so
  !>   a rank has all fields of its coefficients, whole spectral columns
  subroutine create(self, grid, truncation, radius, memory, group, comm, sets, groups, ahead, method, algorithm, &
                    progress, core, share_coefficients, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    class(halcyon_grid), intent(in) :: grid
    integer, intent(in) :: truncation
    real(real64), intent(in), optional :: radius
    integer(int64), intent(in), optional :: memory
    integer, intent(in), optional :: group, comm, sets(2), groups, ahead
    character(*), intent(in), optional :: method, algorithm, progress, core
    logical, intent(in), optional :: share_coefficients
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_transform_options) :: options
    type(option_texts), target :: texts

    call set_options(options, texts, group, sets, groups, ahead, method, algorithm, progress, core)
    if (present(radius)) options%radius = radius
    if (present(memory)) options%memory = memory
    if (present(share_coefficients)) options%share_coefficients = merge(1, 0, share_coefficients)
    if (present(comm)) then
      call report(halcyon_transform_create_shared(comm, grid%handle, truncation, options, self%handle), stat, errmsg)
    else
      call report(halcyon_transform_create(grid%handle, truncation, options, self%handle), stat, errmsg)
    end if
  end subroutine

  !> The wavenumber m of each coefficient.
  function wavenumbers(self, stat, errmsg) result(m)
    class(spectral_transform), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: m(:)
    type(abi_part) :: part

    part = part_of_rank(self, stat, errmsg)
    m = integers(part%wavenumbers, part%n_coefficients)
  end function

  !> The degree n of each coefficient.
  function degrees(self, stat, errmsg) result(n)
    class(spectral_transform), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: n(:)
    type(abi_part) :: part

    part = part_of_rank(self, stat, errmsg)
    n = integers(part%degrees, part%n_coefficients)
  end function

  !> The first and the last of the n_fields fields of which this rank has coefficients: 1 and n_fields if V is 1, or
  !> if V sets share coefficients.
  function fields(self, n_fields, stat, errmsg) result(range)
    class(spectral_transform), intent(in) :: self
    integer, intent(in) :: n_fields
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: range(2)
    integer(c_int32_t) :: first, n

    first = 0
    n = 0
    call report(halcyon_transform_fields(self%handle, n_fields, first, n), stat, errmsg)
    range = [first + 1, first + n]
  end function

  !> Eastward and northward wind [m s-1] from vorticity and divergence [s-1], whose global means are ignored.
  subroutine winds_several(self, vorticity, divergence, u, v, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), contiguous, intent(in) :: vorticity(:, :), divergence(:, :)
    real(real64), contiguous, intent(inout) :: u(:, :), v(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_winds(self%handle, size(vorticity, kind=int64), vorticity, &
                                        size(divergence, kind=int64), divergence, size(u, kind=int64), u, &
                                        size(v, kind=int64), v), stat, errmsg)
  end subroutine

  subroutine winds_one(self, vorticity, divergence, u, v, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), contiguous, intent(in) :: vorticity(:), divergence(:)
    real(real64), contiguous, intent(inout) :: u(:), v(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_winds(self%handle, size(vorticity, kind=int64), vorticity, &
                                        size(divergence, kind=int64), divergence, size(u, kind=int64), u, &
                                        size(v, kind=int64), v), stat, errmsg)
  end subroutine

  !> Vorticity and divergence [s-1] from eastward and northward wind [m s-1].
  subroutine vorticity_divergence_several(self, u, v, vorticity, divergence, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    real(real64), contiguous, intent(in) :: u(:, :), v(:, :)
    complex(real64), contiguous, intent(inout) :: vorticity(:, :), divergence(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_vorticity_divergence(self%handle, size(u, kind=int64), u, size(v, kind=int64), v, &
                                                       size(vorticity, kind=int64), vorticity, &
                                                       size(divergence, kind=int64), divergence), stat, errmsg)
  end subroutine

  subroutine vorticity_divergence_one(self, u, v, vorticity, divergence, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    real(real64), contiguous, intent(in) :: u(:), v(:)
    complex(real64), contiguous, intent(inout) :: vorticity(:), divergence(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_vorticity_divergence(self%handle, size(u, kind=int64), u, size(v, kind=int64), v, &
                                                       size(vorticity, kind=int64), vorticity, &
                                                       size(divergence, kind=int64), divergence), stat, errmsg)
  end subroutine

  !> Eastward and northward derivatives, in the unit of the field per metre.
  subroutine gradient_several(self, coefficients, east, north, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:, :)
    real(real64), contiguous, intent(inout) :: east(:, :), north(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_gradient(self%handle, size(coefficients, kind=int64), coefficients, &
                                           size(east, kind=int64), east, size(north, kind=int64), north), stat, errmsg)
  end subroutine

  subroutine gradient_one(self, coefficients, east, north, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), contiguous, intent(in) :: coefficients(:)
    real(real64), contiguous, intent(inout) :: east(:), north(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_gradient(self%handle, size(coefficients, kind=int64), coefficients, &
                                           size(east, kind=int64), east, size(north, kind=int64), north), stat, errmsg)
  end subroutine

  !> As start_synthesis.
  subroutine start_winds_several(self, vorticity, divergence, u, v, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), pointer, contiguous, intent(in) :: vorticity(:, :), divergence(:, :)
    real(real64), pointer, contiguous, intent(in) :: u(:, :), v(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_start_winds(self%handle, size(vorticity, kind=int64), vorticity, &
                                              size(divergence, kind=int64), divergence, size(u, kind=int64), u, &
                                              size(v, kind=int64), v), stat, errmsg)
  end subroutine

  subroutine start_winds_one(self, vorticity, divergence, u, v, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), pointer, contiguous, intent(in) :: vorticity(:), divergence(:)
    real(real64), pointer, contiguous, intent(in) :: u(:), v(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_start_winds(self%handle, size(vorticity, kind=int64), vorticity, &
                                              size(divergence, kind=int64), divergence, size(u, kind=int64), u, &
                                              size(v, kind=int64), v), stat, errmsg)
  end subroutine

  subroutine start_vorticity_divergence_several(self, u, v, vorticity, divergence, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    real(real64), pointer, contiguous, intent(in) :: u(:, :), v(:, :)
    complex(real64), pointer, contiguous, intent(in) :: vorticity(:, :), divergence(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_start_vorticity_divergence(self%handle, size(u, kind=int64), u, &
                                                             size(v, kind=int64), v, &
                                                             size(vorticity, kind=int64), vorticity, &
                                                             size(divergence, kind=int64), divergence), stat, errmsg)
  end subroutine

  subroutine start_vorticity_divergence_one(self, u, v, vorticity, divergence, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    real(real64), pointer, contiguous, intent(in) :: u(:), v(:)
    complex(real64), pointer, contiguous, intent(in) :: vorticity(:), divergence(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_start_vorticity_divergence(self%handle, size(u, kind=int64), u, &
                                                             size(v, kind=int64), v, &
                                                             size(vorticity, kind=int64), vorticity, &
                                                             size(divergence, kind=int64), divergence), stat, errmsg)
  end subroutine

  subroutine start_gradient_several(self, coefficients, east, north, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), pointer, contiguous, intent(in) :: coefficients(:, :)
    real(real64), pointer, contiguous, intent(in) :: east(:, :), north(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_start_gradient(self%handle, size(coefficients, kind=int64), coefficients, &
                                                 size(east, kind=int64), east, &
                                                 size(north, kind=int64), north), stat, errmsg)
  end subroutine

  subroutine start_gradient_one(self, coefficients, east, north, stat, errmsg)
    class(spectral_transform), intent(inout) :: self
    complex(real64), pointer, contiguous, intent(in) :: coefficients(:)
    real(real64), pointer, contiguous, intent(in) :: east(:), north(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_transform_start_gradient(self%handle, size(coefficients, kind=int64), coefficients, &
                                                 size(east, kind=int64), east, &
                                                 size(north, kind=int64), north), stat, errmsg)
  end subroutine

  include 'halcyon_spectral_transform.inc'
end module
