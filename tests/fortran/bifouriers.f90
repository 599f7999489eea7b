! Calls every procedure of halcyon_bifourier, also with errors that set stat and errmsg
program bifouriers
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  integer, parameter :: sizes(2) = [36, 30], truncation(2) = [11, 8], n_fields = 3
  real(real64), parameter :: lengths(2) = [3e6_real64, 2e6_real64], two_pi = 8 * atan(1.0_real64)
  integer :: rank, n_ranks, w

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call solve_poisson()
  do w = 1, n_ranks
    if (modulo(n_ranks, w) == 0) call compare_with_one_rank(n_ranks / w, w)
  end do
  call check_errors()
  if (rank == 0) print "(a)", "all waves work"
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

  !> psi = sin(k x + l y) has the vorticity -(k**2 + l**2) psi and the wind (-dpsi/dy, dpsi/dx).
  subroutine solve_poisson()
    type(halcyon_bifourier) :: plane
    complex(real64), allocatable :: waves(:), psi(:), slope(:)
    real(real64), allocatable :: vorticity(:), u(:), v(:), phase(:)
    real(real64) :: k, l
    integer(int64), allocatable :: points(:)

    call plane%create(sizes, lengths, truncation, shape="rectangle", comm=MPI_COMM_WORLD%MPI_VAL)
    points = plane%points() - 1  ! from 0: x + nx y
    phase = two_pi * (3 * modulo(points, 36_int64) / 36.0_real64 - 5 * (points / 36) / 30.0_real64)
    k = two_pi * 3 / lengths(1)
    l = -two_pi * 5 / lengths(2)
    vorticity = -(k**2 + l**2) * sin(phase)
    u = vorticity
    v = vorticity
    allocate (waves(plane%n_coefficients()), psi(plane%n_coefficients()), slope(plane%n_coefficients()))
    call plane%analysis(vorticity, waves)
    call plane%inverse_laplacian(waves, psi)
    call expect(maxval(abs(psi - merge((0, -0.5_real64), (0, 0) * 1.0_real64, plane%m() == 3 .and. plane%n() == -5))) &
                < 1e-14, "one wave")
    call plane%x_derivative(psi, slope)
    call plane%synthesis(slope, v)
    call plane%y_derivative(-psi, slope)
    call plane%synthesis(slope, u)
    call expect(maxval(abs(u + l * cos(phase))) < 1e-18, "wind along x")
    call expect(maxval(abs(v - k * cos(phase))) < 1e-18, "wind along y")
    call plane%laplacian(psi, slope)
    call expect(maxval(abs(slope - waves)) < 1e-24, "vorticity")
    call plane%free()
  end subroutine

  !> A transform on all ranks, in n_v_sets sets of n_w_ranks ranks, has the same bits as on one rank.
  subroutine compare_with_one_rank(n_v_sets, n_w_ranks)
    integer, intent(in) :: n_v_sets, n_w_ranks
    type(halcyon_bifourier) :: alone, shared
    type(halcyon_statistics) :: statistics
    complex(real64), allocatable :: all_coefficients(:, :), back(:, :), other(:, :)
    real(real64), allocatable, target :: values(:, :), here(:, :)
    complex(real64), allocatable, target :: own(:, :), mine(:, :)
    integer, allocatable :: indices(:)
    integer(int64), allocatable :: points(:)
    integer :: i

    call alone%create(sizes, lengths, truncation, group=2)
    call expect(alone%n_points() == 36 * 30, "all points")
    allocate (values(alone%n_points(), n_fields), all_coefficients(alone%n_coefficients(), n_fields))
    values = reshape([(sin(1.3_real64 * i), i = 1, size(values))], shape(values))
    call alone%analysis(values, all_coefficients)
    call alone%synthesis(all_coefficients, values)
    back = all_coefficients
    other = all_coefficients
    call alone%analysis(values, back)

    call shared%create(sizes, lengths, truncation, shape="ellipse", comm=MPI_COMM_WORLD%MPI_VAL, sets=[n_v_sets, n_w_ranks], &
                       groups=2, ahead=1, method="isend_irecv", algorithm="ring-2", progress="poll")
    points = shared%points()
    indices = indices_of(alone, shared)
    call expect(size(points) == shared%n_points() .and. size(indices) == shared%n_coefficients(), "sizes of a share")
    allocate (here(size(points), n_fields), mine(size(indices), n_fields))
    call shared%synthesis(all_coefficients(indices, :), here)
    call expect(all(here == values(points, :)), "values like those of one rank")
    call shared%analysis(here, mine)
    call expect(all(mine == back(indices, :)), "coefficients like those of one rank")
    own = all_coefficients(indices, :)
    here = 0
    call shared%start_synthesis(own, here)
    call shared%progress()
    call shared%wait()
    call expect(all(here == values(points, :)), "values of a started synthesis")
    own = 0
    call shared%start_analysis(here, own)
    call shared%wait()
    call expect(all(own == back(indices, :)), "coefficients of a started analysis")
    here(:, 1) = 7
    call shared%start_analysis(here(:, 1), own(:, 1))
    call shared%wait()
    call shared%start_synthesis(own(:, 1), here(:, 1))
    call shared%wait()
    call expect(all(abs(here(:, 1) - 7) < 1e-13), "a constant")
    call shared%x_derivative(all_coefficients(indices, :), mine)
    call alone%x_derivative(all_coefficients, other)
    call expect(all(mine == other(indices, :)), "derivatives along x")
    call shared%y_derivative(all_coefficients(indices, :), mine)
    call alone%y_derivative(all_coefficients, other)
    call expect(all(mine == other(indices, :)), "derivatives along y")
    call shared%laplacian(all_coefficients(indices, :), mine)
    call alone%laplacian(all_coefficients, other)
    call expect(all(mine == other(indices, :)), "Laplacians")
    call shared%inverse_laplacian(all_coefficients(indices, :), mine)
    call alone%inverse_laplacian(all_coefficients, other)
    call expect(all(mine == other(indices, :)), "fields of Laplacians")
    statistics = shared%statistics()
    call expect((statistics%sent_bytes > 0) .eqv. (n_ranks > 1), "bytes")
    call shared%free()
    call alone%free()
  end subroutine

  !> Indices of this rank's waves among all waves.
  function indices_of(alone, shared) result(indices)
    type(halcyon_bifourier), intent(in) :: alone, shared
    integer, allocatable :: indices(:), m(:), n(:)
    integer :: index_of(0:11, -8:8), i

    m = alone%m()
    n = alone%n()
    index_of = 0
    do i = 1, size(m)
      index_of(m(i), n(i)) = i
    end do
    m = shared%m()
    n = shared%n()
    indices = [(index_of(m(i), n(i)), i = 1, size(m))]
    call expect(all(indices > 0), "waves of a share")
  end function

  !> Errors set stat and errmsg, and the program continues.
  subroutine check_errors()
    type(halcyon_bifourier) :: nothing, plane
    complex(real64) :: waves(12 * 17), too_few(3)
    real(real64) :: values(36 * 30)
    character(200) :: text
    integer :: status

    call nothing%create(sizes, lengths, [18, 8], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "A plane of 36 x 30 values cannot hold the truncation 18 x 8.") == 1, &
                "a truncation that is too large")
    call nothing%create(sizes, -lengths, truncation, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "Give more than 0 m.") > 0, "lengths")
    call nothing%create(sizes, lengths, truncation, shape="circle", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "is 'circle'. Use ellipse or rectangle.") > 0, "a shape")
    call nothing%create(sizes, lengths, truncation, comm=MPI_COMM_WORLD%MPI_VAL, sets=[5, 7], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "5 x 7 sets are not the") == 1, "sets that are not the ranks")
    call nothing%create(sizes, lengths, truncation, comm=MPI_COMM_WORLD%MPI_VAL, algorithm="star", stat=status, &
                        errmsg=text)
    call expect(status == 2 .and. index(text, "There is no all-to-all 'star'") == 1, "an unknown all-to-all")
    call expect(nothing%n_points(stat=status) == 0 .and. status == 1, "no waves")
    call expect(size(nothing%m(stat=status)) == 0 .and. status == 1, "no m")
    call plane%create(sizes, lengths, truncation, shape="rectangle")
    waves = 0
    too_few = 0
    values = 0
    call plane%synthesis(too_few, values, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There are 1080 values and 3 coefficients.") == 1, "few coefficients")
    call plane%laplacian(waves, too_few, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There are 204 and 3 coefficients.") == 1, "few of a Laplacian")
    call plane%free()
  end subroutine
end program
