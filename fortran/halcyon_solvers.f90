!> Linear equations A x = b over all ranks by the generalised conjugate residual method (GCR).
module halcyon_solvers
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halcyon_abi
  use halcyon_errors, only: report, text_of
  use halcyon_transform_parts, only: set_text
  implicit none
  private
  public :: halcyon_gcr, halcyon_helmholtz, halcyon_linear_map, halcyon_map, halcyon_solution

  !> Outcomes of an iteration
  integer, parameter, public :: halcyon_converged = 0, halcyon_most_iterations = 1, halcyon_stagnated = 2, &
                                halcyon_no_descent = 3, halcyon_dependent = 4, halcyon_not_finite = 5

  !> A linear map of the program, y = A x, of vectors of which each rank has the items that it owns: extend this type
  !> by data and the procedure.
  type, abstract :: halcyon_linear_map
  contains
    procedure(apply_interface), deferred :: apply
  end type

  abstract interface
    !> Computes y = A x for the items of this rank. stat: 0 on entry; another value is an error, which `solve` returns
    !> on all ranks. If the procedure communicates, all ranks call it, and it may fail on some of them only after its
    !> communication.
    subroutine apply_interface(self, x, y, stat)
      import :: halcyon_linear_map, real64
      class(halcyon_linear_map), intent(inout) :: self
      real(real64), intent(in) :: x(:)
      real(real64), intent(inout) :: y(:)
      integer, intent(inout) :: stat
    end subroutine
  end interface

  !> To which the context pointer of the C callback points.
  type :: map_pointer
    class(halcyon_linear_map), pointer :: map => null()
  end type

  !> An operator or a preconditioner: of the program, of the library, or of halcyon_helmholtz.
  type :: halcyon_map
    type(c_ptr) :: handle = c_null_ptr
    type(map_pointer), pointer, private :: of_program => null()
  contains
    procedure :: create => create_map
    procedure :: jacobi
    procedure :: zonal_line
    procedure :: apply => apply_map
    procedure :: free => free_map
  end type

  !> The Helmholtz equation (1 - L**2 del**2) x = b on the unit sphere, by second-order finite volumes on a regular
  !> longitude-latitude grid, not a Gaussian one. Rows are circles of latitude, numbered from the south; each rank has
  !> complete rows, and its vectors are (longitude, row) in the order of memory.
  type :: halcyon_helmholtz
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_helmholtz
    procedure :: rows
    procedure :: operator => helmholtz_operator
    procedure :: jacobi => helmholtz_jacobi
    procedure :: zonal_line => helmholtz_zonal_line
    procedure :: free => free_helmholtz
  end type

  !> The convergence record of a solution: outcome (halcyon_converged ...) and its explanation, true |b - A x| / |b| at
  !> the end, |r| / |b| after each iteration, with r updated, not recomputed; numbers of calls, of allreduces, of
  !> allreduces that no computation overlaps with, and of recomputations r = b - A x; time that this rank waited for
  !> allreduces [s].
  type :: halcyon_solution
    integer :: outcome = halcyon_not_finite
    character(:), allocatable :: explanation
    real(real64) :: residual = 0
    real(real64), allocatable :: residuals(:)
    integer(int64) :: n_operator_calls = 0, n_preconditioner_calls = 0, n_allreduces = 0, n_exposed = 0, n_replaced = 0
    real(real64) :: waited_s = 0
  end type

  !> A solver for vectors of n_owned items on this rank, which may be used many times.
  type :: halcyon_gcr
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_gcr
    procedure :: solve
    procedure :: free => free_gcr
  end type

contains

  !> @param n number of items of this rank @param linear_map must exist as long as the map
  subroutine create_map(self, n, linear_map, stat, errmsg)
    class(halcyon_map), intent(inout) :: self
    integer(int64), intent(in) :: n
    class(halcyon_linear_map), target, intent(in) :: linear_map
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    allocate (self%of_program)
    self%of_program%map => linear_map
    call report(halcyon_map_create(n, c_funloc(apply_of_program), c_loc(self%of_program), self%handle), stat, errmsg)
  end subroutine

  !> The C callback of maps of the program.
  function apply_of_program(context, n, x, y) result(status) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(inout) :: y(n)
    integer(c_int) :: status
    type(map_pointer), pointer :: pointer_to

    call c_f_pointer(context, pointer_to)
    status = 0
    call pointer_to%map%apply(x, y, status)
  end function

  !> Jacobi preconditioner: division by the diagonal of the operator.
  subroutine jacobi(self, diagonal, stat, errmsg)
    class(halcyon_map), intent(inout) :: self
    real(real64), contiguous, intent(in) :: diagonal(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_map_jacobi(size(diagonal, kind=int64), diagonal, self%handle), stat, errmsg)
  end subroutine

  !> Zonal line preconditioner: solves l_i y_(i-1) + d_i y_i + u_i y_(i+1) = x_i along each circle of latitude, where
  !> the first and last item are adjacent. @param lower, diagonal, upper l, d, u (item, row) of complete rows
  subroutine zonal_line(self, lower, diagonal, upper, stat, errmsg)
    class(halcyon_map), intent(inout) :: self
    real(real64), contiguous, intent(in) :: diagonal(:, :)
    real(real64), contiguous, intent(in) :: lower(:, :), upper(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: n

    n = size(diagonal, kind=int64)
    if (any(shape(lower) /= shape(diagonal)) .or. any(shape(upper) /= shape(diagonal))) n = -1
    call report(halcyon_map_zonal_line(size(diagonal, 2, kind=int64), size(diagonal, 1, kind=int64), n, lower, &
                                       diagonal, upper, self%handle), stat, errmsg)
  end subroutine

  !> y = A x; collective if the map communicates.
  subroutine apply_map(self, x, y, stat, errmsg)
    class(halcyon_map), intent(in) :: self
    real(real64), contiguous, intent(in) :: x(:)
    real(real64), contiguous, intent(inout) :: y(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_map_apply(self%handle, size(x, kind=int64), x, size(y, kind=int64), y), stat, errmsg)
  end subroutine

  subroutine free_map(self)
    class(halcyon_map), intent(inout) :: self

    call halcyon_map_free(self%handle)
    self%handle = c_null_ptr
    if (associated(self%of_program)) deallocate (self%of_program)
  end subroutine

  !> Collective. @param length_squared L**2 in squared radii
  subroutine create_helmholtz(self, comm, n_latitudes, n_longitudes, length_squared, stat, errmsg)
    class(halcyon_helmholtz), intent(inout) :: self
    integer, intent(in) :: comm
    integer(int64), intent(in) :: n_latitudes, n_longitudes
    real(real64), intent(in) :: length_squared
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_helmholtz_create(comm, n_latitudes, n_longitudes, length_squared, self%handle), stat, errmsg)
  end subroutine

  !> The first and the last row of this rank.
  function rows(self, stat, errmsg) result(range)
    class(halcyon_helmholtz), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: range(2), first, n

    first = 0
    n = 0
    call report(halcyon_helmholtz_rows(self%handle, first, n), stat, errmsg)
    range = [first + 1, first + n]
  end function

  !> The operator y = x - L**2 del**2 x, whose applications are collective. It and the preconditioners may be used
  !> after the equation is freed.
  function helmholtz_operator(self, stat, errmsg) result(map)
    class(halcyon_helmholtz), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halcyon_map) :: map

    call report(halcyon_helmholtz_operator(self%handle, map%handle), stat, errmsg)
  end function

  !> Jacobi preconditioner of this operator.
  function helmholtz_jacobi(self, stat, errmsg) result(map)
    class(halcyon_helmholtz), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halcyon_map) :: map

    call report(halcyon_helmholtz_jacobi(self%handle, map%handle), stat, errmsg)
  end function

  !> Zonal line preconditioner of this operator.
  function helmholtz_zonal_line(self, stat, errmsg) result(map)
    class(halcyon_helmholtz), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halcyon_map) :: map

    call report(halcyon_helmholtz_zonal_line(self%handle, map%handle), stat, errmsg)
  end function

  subroutine free_helmholtz(self)
    class(halcyon_helmholtz), intent(inout) :: self

    call halcyon_helmholtz_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Collective.
  !> @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param variant "classical": two operator applications and two allreduces per iteration; "fused" (default): one of
  !>   each; "pipelined": one of each, and the allreduce overlaps with operator and preconditioner
  !> @param k number of kept directions @param tolerance bound of |b - A x| / |b|
  !> @param most_iterations maximum number of iterations
  !> @param replace_every iterations between recomputations of b - A x; 0: only after drift
  !> @param radix radix of the allreduce
  subroutine create_gcr(self, comm, n_owned, variant, k, tolerance, most_iterations, replace_every, radix, stat, errmsg)
    class(halcyon_gcr), intent(inout) :: self
    integer, intent(in) :: comm
    integer(int64), intent(in) :: n_owned
    character(*), intent(in), optional :: variant
    integer, intent(in), optional :: k, most_iterations, replace_every, radix
    real(real64), intent(in), optional :: tolerance
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: variant_text
    type(abi_gcr_options) :: options

    call halcyon_gcr_options_default(options)
    call set_text(variant, variant_text, options%variant)
    if (present(k)) options%k = k
    if (present(tolerance)) options%tolerance = tolerance
    if (present(most_iterations)) options%most_iterations = most_iterations
    if (present(replace_every)) options%replace_every = replace_every
    if (present(radix)) options%radix = radix
    call report(halcyon_gcr_create(comm, n_owned, options, self%handle), stat, errmsg)
  end subroutine

  !> Collective. Solves A x = b.
  !> @param x first guess on entry; on return the solution, or the best approximation found
  !> @param preconditioner an approximate inverse of A
  !> @param solution the convergence record: an iteration that does not converge is not an error
  subroutine solve(self, a, b, x, preconditioner, solution, stat, errmsg)
    class(halcyon_gcr), intent(inout) :: self
    class(halcyon_map), intent(in) :: a
    real(real64), contiguous, intent(in) :: b(:)
    real(real64), contiguous, intent(inout) :: x(:)
    class(halcyon_map), intent(in), optional :: preconditioner
    type(halcyon_solution), intent(out), optional :: solution
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_solution) :: found
    type(c_ptr) :: m
    integer(c_int) :: status

    m = c_null_ptr
    if (present(preconditioner)) m = preconditioner%handle
    found = abi_solution(0, c_null_ptr, 0, 0, c_null_ptr, 0, 0, 0, 0, 0, 0)
    status = halcyon_gcr_solve(self%handle, a%handle, m, size(b, kind=int64), b, size(x, kind=int64), x, found)
    if (present(solution) .and. status == 0) call convert(found, solution)
    call report(status, stat, errmsg)
  end subroutine

  subroutine convert(found, solution)
    type(abi_solution), intent(in) :: found
    type(halcyon_solution), intent(out) :: solution
    real(c_double), pointer :: residuals(:)

    solution%outcome = found%outcome
    solution%explanation = text_of(found%explanation)
    solution%residual = found%residual
    call c_f_pointer(found%residuals, residuals, [found%n_iterations])
    solution%residuals = residuals
    solution%n_operator_calls = found%n_operator_calls
    solution%n_preconditioner_calls = found%n_preconditioner_calls
    solution%n_allreduces = found%n_allreduces
    solution%n_exposed = found%n_exposed
    solution%n_replaced = found%n_replaced
    solution%waited_s = found%waited_s
  end subroutine

  subroutine free_gcr(self)
    class(halcyon_gcr), intent(inout) :: self

    call halcyon_gcr_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
