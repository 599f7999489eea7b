! Calls every procedure of GCR and its maps, also with errors that set stat and errmsg
module periodic_laplace
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none

  !> y_i = (d_i + 2) x_i - x_(i-1) - x_(i+1) on a ring of items, of which each rank has a block
  type, extends(halcyon_linear_map) :: ring_operator
    real(real64), allocatable :: d(:)
    integer :: n_calls = 0, failing_call = -1
  contains
    procedure :: apply => apply_ring
  end type

contains

  subroutine apply_ring(self, x, y, stat)
    class(ring_operator), intent(inout) :: self
    real(real64), intent(in) :: x(:)
    real(real64), intent(inout) :: y(:)
    integer, intent(inout) :: stat
    real(real64) :: before, after
    integer :: n, rank, n_ranks, west, east

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
    n = size(x)
    west = modulo(rank - 1, n_ranks)
    east = modulo(rank + 1, n_ranks)
    call MPI_Sendrecv(x(n), 1, MPI_DOUBLE_PRECISION, east, 0, before, 1, MPI_DOUBLE_PRECISION, west, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(x(1), 1, MPI_DOUBLE_PRECISION, west, 1, after, 1, MPI_DOUBLE_PRECISION, east, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    y = (self%d + 2) * x - [before, x(:n - 1)] - [x(2:), after]
    self%n_calls = self%n_calls + 1
    if (self%n_calls == self%failing_call) stat = 42
  end subroutine
end module

program solvers
  use periodic_laplace
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  implicit none
  integer :: rank, n_ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call solve_with_own_operator()
  call solve_helmholtz()
  call check_errors()
  if (rank == 0) print "(a)", "all solvers work"
  call MPI_Finalize()

contains

  !> Ends the program with an error, unless the condition holds on this rank.
  subroutine expect(condition, label)
    logical, intent(in) :: condition
    character(*), intent(in) :: label

    if (condition) return
    write (error_unit, "(a, i0, 2a)") "rank ", rank, " failed: ", label
    error stop 9
  end subroutine

  !> 12 items on any number of ranks up to 4; an error of one rank is an error of all, and the solver can be used again.
  subroutine solve_with_own_operator()
    integer, parameter :: n_items = 12
    type(ring_operator), target :: ring
    type(halcyon_map) :: a, jacobi
    type(halcyon_gcr) :: gcr
    type(halcyon_solution) :: solution
    real(real64), allocatable :: x(:), b(:), exact(:), y(:)
    character(200) :: text
    integer :: i, n, first, status

    n = n_items / n_ranks
    first = n * rank
    ring%d = [(1 + 0.5_real64 * sin(real(first + i, real64)), i = 1, n)]
    exact = [(cos(0.3_real64 * (first + i)), i = 1, n)]
    b = 0 * exact
    y = b
    call a%create(int(n, int64), ring)
    call jacobi%jacobi(ring%d + 2)
    call a%apply(exact, b)
    call jacobi%apply(b, y)
    call expect(all(y == b / (ring%d + 2)), "a Jacobi preconditioner")
    call gcr%create(MPI_COMM_WORLD%MPI_VAL, int(n, int64), variant="classical", k=4, tolerance=1e-12_real64, &
                    most_iterations=50, replace_every=10, radix=2)
    x = 0 * b
    ring%n_calls = 0
    call gcr%solve(a, b, x, preconditioner=jacobi, solution=solution)
    call expect(solution%outcome == halcyon_converged .and. maxval(abs(x - exact)) < 1e-11, "a solution")
    call expect(solution%explanation == "The tolerance is reached.", "an explanation")
    call expect(solution%n_operator_calls == ring%n_calls .and. solution%n_preconditioner_calls > 0, "numbers of calls")
    call expect(size(solution%residuals) > 3 .and. solution%residual < 1e-12, "the convergence record")
    call expect(solution%n_allreduces >= solution%n_exposed .and. solution%waited_s >= 0, "allreduces")
    call expect(solution%n_replaced >= 1, "replacements")

    if (rank == n_ranks - 1) ring%failing_call = ring%n_calls + 2
    x = 0
    call gcr%solve(a, b, x, stat=status, errmsg=text)
    call expect(status == 3 .and. index(text, "The operator returned status 42 on rank ") == 1, "an error of one rank")
    x = 0
    call gcr%solve(a, b, x)
    call expect(maxval(abs(x - exact)) < 1e-11, "a solution after an error")
    call gcr%free()
    call jacobi%free()
    call a%free()
  end subroutine

  !> The solution is a spherical harmonic of degree 5, so that b is 1 + 30 L**2 times it.
  subroutine solve_helmholtz()
    integer(int64), parameter :: n_latitudes = 32, n_longitudes = 64
    real(real64), parameter :: pi = acos(-1.0_real64), length_squared = 0.01_real64
    type(halcyon_helmholtz) :: equation
    type(halcyon_map) :: a, line, jacobi
    type(halcyon_gcr) :: gcr
    type(halcyon_solution) :: by_line, by_jacobi
    real(real64), allocatable :: exact(:, :), x(:), b(:)
    real(real64) :: latitude
    integer(int64) :: rows(2), row, i

    call equation%create(MPI_COMM_WORLD%MPI_VAL, n_latitudes, n_longitudes, length_squared)
    rows = equation%rows()
    allocate (exact(n_longitudes, rows(1):rows(2)))
    do row = rows(1), rows(2)
      latitude = pi * ((row - 0.5_real64) / n_latitudes - 0.5_real64)
      exact(:, row) = [(cos(latitude)**4 * sin(latitude) * cos(4 * 2 * pi * (i - 0.5_real64) / n_longitudes), &
                        i = 1, n_longitudes)]
    end do
    a = equation%operator()
    line = equation%zonal_line()
    jacobi = equation%jacobi()
    call equation%free()  ! its maps do not need it
    b = (1 + 30 * length_squared) * [exact]
    x = 0 * b
    call gcr%create(MPI_COMM_WORLD%MPI_VAL, size(b, kind=int64))
    call gcr%solve(a, b, x, preconditioner=line, solution=by_line)
    call expect(maxval(abs(x - [exact])) < 2e-3, "the Helmholtz equation")
    x = 0
    call gcr%solve(a, b, x, preconditioner=jacobi, solution=by_jacobi)
    call expect(maxval(abs(x - [exact])) < 2e-3, "the Helmholtz equation by Jacobi")
    call expect(size(by_line%residuals) < size(by_jacobi%residuals), "the better preconditioner")
    call jacobi%free()
    call line%free()
    call a%free()
    call gcr%free()
  end subroutine

  !> Errors set stat and errmsg, and the program continues.
  subroutine check_errors()
    type(halcyon_gcr) :: gcr, nothing
    type(halcyon_map) :: map
    type(halcyon_helmholtz) :: equation
    type(halcyon_solution) :: solution
    real(real64) :: x(3), b(3), rows(3, 2)
    character(200) :: text
    integer :: status

    call nothing%create(MPI_COMM_WORLD%MPI_VAL, 3_int64, variant="fast", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "The variant of GCR is 'fast'") == 1, "an unknown variant")
    call nothing%create(MPI_COMM_WORLD%MPI_VAL, -1_int64, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "n_owned is -1.") == 1, "a negative size")
    call equation%create(MPI_COMM_WORLD%MPI_VAL, 2_int64, 8_int64, 1.0_real64, stat=status)
    call expect(status == 2, "few rows")
    call expect(all(equation%rows(stat=status) == [1, 0]) .and. status == 1, "no rows")
    call map%jacobi([1.0_real64, 0.0_real64], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "The diagonal of the Jacobi preconditioner is 0") == 1, "a zero")
    rows = 1
    call map%zonal_line(rows, rows(:, :1), rows, stat=status)
    call expect(status == 1, "shapes")
    call map%zonal_line(rows, 4 * rows, rows)
    b = 1
    x = 0
    call gcr%create(MPI_COMM_WORLD%MPI_VAL, 3_int64)
    call gcr%solve(map, b, x, solution=solution, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "The operator has 6 items, but the solver has 3 items") == 1, "sizes")
    call map%free()
    call gcr%solve(map, b, x, stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "NULL is given for a.") == 1, "no operator")
    call gcr%free()
  end subroutine
end program
