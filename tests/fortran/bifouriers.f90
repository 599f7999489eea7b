! Every procedure of waves on a plane in Fortran, with stat and errmsg where something is wrong
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
    if (modulo(n_ranks, w) == 0) call share(n_ranks / w, w)
  end do
  call make_mistakes()
  if (rank == 0) print "(a)", "all waves work"
  call MPI_Finalize()

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    write (error_unit, "(a, i0, 2a)") "rank ", rank, " does not have: ", what
    error stop 9
  end subroutine

  !> Of psi = sin(k x + l y), on all ranks: vorticity -(k**2 + l**2) psi, and wind -dpsi/dy, dpsi/dx.
  subroutine solve_poisson()
    type(halcyon_bifourier) :: plane
    complex(real64), allocatable :: waves(:), psi(:), slope(:)
    real(real64), allocatable :: vorticity(:), u(:), v(:), phase(:)
    real(real64) :: k, l
    integer(int64), allocatable :: points(:)

    call plane%create(sizes, lengths, truncation, shape="rectangle", comm=MPI_COMM_WORLD%MPI_VAL)
    points = plane%points() - 1
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

  !> Ranks that share a transform have the bits of one.
  subroutine share(v, w)
    integer, intent(in) :: v, w
    type(halcyon_bifourier) :: alone, shared
    type(halcyon_statistics) :: statistics
    complex(real64), allocatable :: everything(:, :), back(:, :), other(:, :), mine(:, :)
    real(real64), allocatable :: values(:, :), here(:, :)
    integer, allocatable :: places(:)
    integer(int64), allocatable :: points(:)
    integer :: i

    call alone%create(sizes, lengths, truncation, group=2)
    call expect(alone%n_points() == 36 * 30, "all points")
    allocate (values(alone%n_points(), n_fields), everything(alone%n_coefficients(), n_fields))
    values = reshape([(sin(1.3_real64 * i), i = 1, size(values))], shape(values))
    call alone%analysis(values, everything)
    call alone%synthesis(everything, values)
    back = everything
    other = everything
    call alone%analysis(values, back)

    call shared%create(sizes, lengths, truncation, shape="ellipse", comm=MPI_COMM_WORLD%MPI_VAL, sets=[v, w], &
                       groups=2, ahead=1, method="isend_irecv", algorithm="ring-2", progress="poll")
    points = shared%points()
    places = places_of(alone, shared)
    call expect(size(points) == shared%n_points() .and. size(places) == shared%n_coefficients(), "sizes of a share")
    allocate (here(size(points), n_fields), mine(size(places), n_fields))
    call shared%synthesis(everything(places, :), here)
    call expect(all(here == values(points, :)), "values like those of one rank")
    call shared%analysis(here, mine)
    call expect(all(mine == back(places, :)), "coefficients like those of one rank")
    call shared%x_derivative(everything(places, :), mine)
    call alone%x_derivative(everything, other)
    call expect(all(mine == other(places, :)), "derivatives along x")
    call shared%y_derivative(everything(places, :), mine)
    call alone%y_derivative(everything, other)
    call expect(all(mine == other(places, :)), "derivatives along y")
    call shared%laplacian(everything(places, :), mine)
    call alone%laplacian(everything, other)
    call expect(all(mine == other(places, :)), "Laplacians")
    call shared%inverse_laplacian(everything(places, :), mine)
    call alone%inverse_laplacian(everything, other)
    call expect(all(mine == other(places, :)), "fields of Laplacians")
    statistics = shared%statistics()
    call expect((statistics%sent_bytes > 0) .eqv. (n_ranks > 1), "bytes")
    call shared%free()
    call alone%free()
  end subroutine

  !> Where the waves of a share stand among all.
  function places_of(alone, shared) result(places)
    type(halcyon_bifourier), intent(in) :: alone, shared
    integer, allocatable :: places(:), m(:), n(:)
    integer :: place(0:11, -8:8), i

    m = alone%m()
    n = alone%n()
    place = 0
    do i = 1, size(m)
      place(m(i), n(i)) = i
    end do
    m = shared%m()
    n = shared%n()
    places = [(place(m(i), n(i)), i = 1, size(m))]
    call expect(all(places > 0), "waves of a share")
  end function

  !> What is wrong is said, and the program goes on.
  subroutine make_mistakes()
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
    call expect(status == 2 .and. index(text, "There is no all-to-all 'star'") == 1, "an all-to-all that is none")
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
