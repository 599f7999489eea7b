! Calls every procedure of grids and transforms, also with errors that set stat and errmsg
program transforms
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  integer, parameter :: truncation = 21, n_fields = 3
  real(real64), parameter :: radius = 6371220
  type(halcyon_grid) :: grid
  integer :: rank, n_ranks, w, thread_level

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, thread_level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call check_grids()
  call grid%full(32)
  call check_solid_body_rotation()
  do w = 1, n_ranks
    if (modulo(n_ranks, w) == 0) call compare_with_one_rank(n_ranks / w, w)
    if (modulo(n_ranks, w) == 0) call solve_in_whole_columns(n_ranks / w, w)
  end do
  call check_errors()
  call grid%free()
  if (rank == 0) print "(a)", "all transforms work"
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

  subroutine check_grids()
    type(halcyon_grid) :: small

    call small%octahedral(2)
    call expect(all(small%row_lengths() == [20, 24, 24, 20]), "rows of an octahedral grid")
    call expect(small%n_points() == 88, "points of an octahedral grid")
    call expect(abs(sum(small%weights()) - 2) < 1e-14, "weights")
    call expect(all(abs(small%sines()**2 + small%cosines()**2 - 1) < 1e-14), "latitudes")
    call small%free()
    call small%reduced(32, truncation)
    call expect(maxval(small%row_lengths()) == 48, "a linear grid")
    call small%free()
    call small%reduced(32, truncation, points_per_wave=3)
    call expect(maxval(small%row_lengths()) == 64, "a quadratic grid")
    call small%free()
    call small%create([20, 24, 20])
    call small%free()
    call small%full(4, 12)
    call expect(all(small%row_lengths() == 12), "a full grid")
    call small%free()
  end subroutine

  !> u = w a cos(latitude) has the vorticity 2 w sin(latitude), where P_10 = sqrt(3) sin(latitude); the wind is the
  !> gradient of the stream function, rotated by 90 degrees.
  subroutine check_solid_body_rotation()
    type(halcyon_transform) :: transform
    complex(real64), allocatable :: vorticity(:), divergence(:), psi(:)
    real(real64), allocatable :: u(:), v(:), east(:), north(:), exact(:), cosines(:)
    integer :: row

    call transform%create(grid, truncation, radius=radius, memory=0_int64, group=2)
    call expect(transform%n_points() == 32 * 64, "all points")
    call expect(transform%n_coefficients() == 22 * 23 / 2, "all coefficients")
    allocate (vorticity(transform%n_coefficients()), source=(0, 0) * 1.0_real64)
    allocate (u(transform%n_points()), source=0.0_real64)
    divergence = vorticity
    psi = vorticity
    v = u
    east = u
    north = u
    cosines = grid%cosines()
    exact = [(spread(1e-5_real64 * radius * cosines(row), 1, 64), row = 1, 32)]
    vorticity(2) = 2e-5_real64 / sqrt(3.0_real64)
    call transform%winds(vorticity, divergence, u, v)
    call expect(maxval(abs(u - exact)) < 1e-11, "solid-body rotation")
    call expect(maxval(abs(v)) < 1e-30, "no wind along meridians")
    psi(2) = -radius**2 / 2 * vorticity(2)
    call transform%gradient(psi, east, north)
    call expect(maxval(abs(u + north)) < 1e-11, "a gradient")
    call transform%laplacian(psi, divergence)
    call expect(maxval(abs(divergence - vorticity)) < 1e-20, "the Laplacian of a stream function is its vorticity")
    call transform%inverse_laplacian(vorticity, divergence)
    call expect(maxval(abs(divergence - psi)) < 1e-15 * radius**2, "the inverse Laplacian of vorticity is its stream function")
    call transform%vorticity_divergence(u, v, psi, divergence)
    call expect(maxval(abs(psi - vorticity)) < 1e-18, "vorticity of the wind")
    call transform%synthesis(vorticity, u)
    call transform%analysis(u, psi)
    call expect(maxval(abs(psi - vorticity)) < 1e-19, "a round trip")
    call transform%free()
  end subroutine

  !> A transform on all ranks, in n_v_sets sets of n_w_ranks ranks, has the same bits as on one rank.
  subroutine compare_with_one_rank(n_v_sets, n_w_ranks)
    integer, intent(in) :: n_v_sets, n_w_ranks
    type(halcyon_transform) :: alone, shared
    type(halcyon_statistics) :: statistics
    complex(real64), allocatable :: all_coefficients(:, :), back(:, :), other(:, :), mine(:, :), mine_too(:, :)
    real(real64), allocatable :: values(:, :), winds(:, :, :), here(:, :), here_too(:, :)
    integer, allocatable :: m(:), n(:)
    integer(int64), allocatable :: points(:)
    character(:), allocatable :: fastest
    real(real64) :: seconds
    integer :: range(2), i

    call alone%create(grid, truncation)
    allocate (values(alone%n_points(), n_fields), winds(alone%n_points(), n_fields, 2))
    allocate (all_coefficients(alone%n_coefficients(), n_fields))
    values = reshape([(sin(1.3_real64 * i), i = 1, size(values))], shape(values))
    other = all_coefficients
    call alone%analysis(values, all_coefficients)
    call alone%synthesis(all_coefficients, values)
    back = all_coefficients
    call alone%analysis(values, back)
    other = (0.3_real64, 0) * all_coefficients
    call alone%winds(all_coefficients, other, winds(:, :, 1), winds(:, :, 2))

    call shared%create(grid, truncation, comm=MPI_COMM_WORLD%MPI_VAL, sets=[n_v_sets, n_w_ranks], &
                       groups=2, ahead=1, method="isend_irecv", algorithm="ring-2", progress="thread", core="shared")
    points = shared%points()
    m = shared%wavenumbers()
    n = shared%degrees()
    range = shared%fields(n_fields)
    call expect(size(points) == shared%n_points() .and. size(m) == shared%n_coefficients(), "sizes of a share")
    call expect(all(m >= 0) .and. all(m <= n) .and. all(n <= truncation), "waves of a share")
    allocate (here(size(points), n_fields), mine(size(m), range(2) - range(1) + 1))
    here_too = here
    mine_too = mine
    call shared%synthesis(own_part(all_coefficients, m, n, range), here)
    call expect(all(here == values(points, :)), "values like those of one rank")
    call shared%analysis(here, mine)
    call expect(all(mine == own_part(back, m, n, range)), "coefficients like those of one rank")
    call shared%winds(own_part(all_coefficients, m, n, range), own_part(other, m, n, range), here, here_too)
    call expect(all(here == winds(points, :, 1)) .and. all(here_too == winds(points, :, 2)), "winds")
    call shared%vorticity_divergence(here, here_too, mine, mine_too)
    call alone%vorticity_divergence(winds(:, :, 1), winds(:, :, 2), all_coefficients, other)
    call expect(all(mine == own_part(all_coefficients, m, n, range)), "vorticity")
    call expect(all(mine_too == own_part(other, m, n, range)), "divergence")
    call shared%gradient(mine, here, here_too)
    call alone%gradient(all_coefficients, winds(:, :, 1), winds(:, :, 2))
    call expect(all(here == winds(points, :, 1)) .and. all(here_too == winds(points, :, 2)), "gradients")
    call shared%laplacian(own_part(all_coefficients, m, n, range), mine)
    call alone%laplacian(all_coefficients, other)
    call expect(all(mine == own_part(other, m, n, range)), "Laplacians")
    call shared%inverse_laplacian(own_part(other, m, n, range), mine)
    call alone%inverse_laplacian(other, all_coefficients)
    call expect(all(mine == own_part(all_coefficients, m, n, range)), "inverse Laplacians")
    if (n_v_sets == 1) then
      call shared%tune(n_fields, repetitions=1, found=fastest, seconds=seconds)
      call expect(index(fastest, " group") == 2 .and. ((seconds > 0) .eqv. (n_ranks > 1)), "the fastest settings")
    end if
    call shared%analysis(values(points, :), mine)
    call expect(all(mine == own_part(back, m, n, range)), "the same bits after tuning")
    statistics = shared%statistics()
    call expect((statistics%sent_bytes > 0) .eqv. (n_ranks > 1), "bytes")
    call shared%free()
    call alone%free()
  end subroutine

  !> Starts and completes each call on whole spectral columns, with work in between: the results have the bits of one
  !> rank. A solver that couples the levels of each coefficient needs no messages.
  subroutine solve_in_whole_columns(n_v_sets, n_w_ranks)
    integer, intent(in) :: n_v_sets, n_w_ranks
    integer, parameter :: n_levels = 5
    type(halcyon_transform) :: alone, shared
    complex(real64), allocatable, target :: everything(:, :), again(:, :), column(:, :), other(:, :)
    real(real64), allocatable, target :: values(:, :), winds(:, :, :), here(:, :), u(:, :), v(:, :)
    integer, allocatable :: m(:), n(:)
    integer(int64), allocatable :: points(:)
    integer :: i, status
    character(200) :: text

    call alone%create(grid, truncation)
    allocate (values(alone%n_points(), n_levels), winds(alone%n_points(), n_levels, 2))
    allocate (everything(alone%n_coefficients(), n_levels), again(alone%n_coefficients(), n_levels))
    values = reshape([(sin(1.3_real64 * i), i = 1, size(values))], shape(values))
    call shared%create(grid, truncation, comm=MPI_COMM_WORLD%MPI_VAL, sets=[n_v_sets, n_w_ranks], groups=2, &
                       share_coefficients=.true.)
    points = shared%points()
    m = shared%wavenumbers()
    n = shared%degrees()
    call expect(all(shared%fields(n_levels) == [1, n_levels]), "all levels")
    allocate (column(size(m), n_levels))
    here = values(points, :)
    u = here
    v = here
    call shared%start_analysis(here, column)
    call shared%analysis(u, column, stat=status, errmsg=text)
    call expect(status == 1 .and. index(text, "A started call of this transform is in flight.") == 1, "in flight")
    call alone%analysis(values, everything)  ! while messages are in flight
    call shared%progress()
    call shared%wait()
    call shared%wait()  ! nothing is in flight
    call expect(all(column == own_part(everything, m, n, [1, n_levels])), "coefficients of whole columns")

    call solve(everything, alone%degrees())
    call solve(column, n)
    other = 2 * column
    call shared%start_synthesis(column, here)
    call alone%synthesis(everything, values)
    call shared%wait()
    call expect(all(here == values(points, :)), "values after a solution in columns")
    call shared%start_winds(column, other, u, v)
    call alone%winds(everything, 2 * everything, winds(:, :, 1), winds(:, :, 2))
    call shared%wait()
    call expect(all(u == winds(points, :, 1)) .and. all(v == winds(points, :, 2)), "started winds")
    call shared%start_vorticity_divergence(u, v, column, other)
    call alone%vorticity_divergence(winds(:, :, 1), winds(:, :, 2), again, everything)
    call shared%wait()
    call expect(all(other == own_part(everything, m, n, [1, n_levels])), "started divergence")
    call shared%start_gradient(other, u, v)
    call alone%gradient(everything, winds(:, :, 1), winds(:, :, 2))
    call shared%wait()
    call expect(all(u == winds(points, :, 1)) .and. all(v == winds(points, :, 2)), "started gradient")
    call shared%laplacian(other, column)
    call alone%laplacian(everything, again)
    call expect(all(column == own_part(again, m, n, [1, n_levels])), "Laplacian of whole columns")
    here = 7  ! of one field
    call shared%start_analysis(here(:, 1), column(:, 1))
    call shared%start_synthesis(column(:, 1), here(:, 1), stat=status)
    call expect(status == 1, "one call at a time")
    call shared%free()  ! completes the call
    call expect(count(abs(column(:, 1) - 7) < 1e-12) == count(m == 0 .and. n == 0), "a constant")
    call alone%free()
  end subroutine

  !> x <- (1 + n (n + 1) B)**-1 x for the levels of each coefficient, with B = 0.01 on and above the diagonal, as in
  !> semi-implicit steps.
  subroutine solve(x, n)
    complex(real64), intent(inout) :: x(:, :)
    integer, intent(in) :: n(:)
    integer :: i, level

    do i = 1, size(x, 1)
      associate (b => 0.01_real64 * n(i) * (n(i) + 1))
        do level = size(x, 2), 1, -1
          x(i, level) = (x(i, level) - b * sum(x(i, level + 1:))) / (1 + b)
        end do
      end associate
    end do
  end subroutine

  !> This rank's coefficients (m, n) of its fields, from all coefficients.
  function own_part(all_coefficients, m, n, range) result(part)
    complex(real64), intent(in) :: all_coefficients(:, :)
    integer, intent(in) :: m(:), n(:), range(2)
    complex(real64) :: part(size(m), range(2) - range(1) + 1)

    part = all_coefficients(m * (truncation + 1) - (m * m - m) / 2 + n - m + 1, range(1):range(2))
  end function

  !> Errors set stat and errmsg, and the program continues.
  subroutine check_errors()
    type(halcyon_grid) :: none
    type(halcyon_transform) :: nothing, transform
    complex(real64) :: coefficients(22 * 23 / 2), too_few(3)
    real(real64) :: values(32 * 64)
    character(200) :: text
    integer :: status

    call none%create([20, 24, 22], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "Rows 0 and 2 of the Gaussian grid have 20 and 22") == 1, "rows")
    call nothing%create(grid, 40, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "cannot hold T40") > 0, "a truncation that is too large")
    call nothing%create(grid, truncation, comm=MPI_COMM_WORLD%MPI_VAL, sets=[5, 7], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "5 x 7 sets are not the") == 1, "sets that are not the ranks")
    call nothing%create(grid, truncation, comm=MPI_COMM_WORLD%MPI_VAL, method="post", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There is no exchange method 'post'") == 1, "an unknown method")
    call nothing%create(grid, truncation, comm=MPI_COMM_WORLD%MPI_VAL, core="warm", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There is no core 'warm'") == 1, "an unknown core")
    call expect(nothing%n_points(stat=status) == 0 .and. status == 1, "no transform")
    call expect(size(nothing%degrees(stat=status)) == 0 .and. status == 1, "no degrees")
    call expect(size(none%sines(stat=status)) == 0 .and. status == 1, "no latitudes")
    call transform%create(grid, truncation)
    coefficients = 0
    too_few = 0
    values = 0
    call transform%synthesis(too_few, values, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There are 2048 values and 3 coefficients.") == 1, "few coefficients")
    call transform%winds(coefficients, coefficients, values, values(:0), stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There are 0 values and 253 coefficients.") == 1, "no values")
    call transform%tune(1, 1, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "A transform on one rank exchanges no messages.") == 1, "nothing to tune")
    call transform%free()
  end subroutine
end program
