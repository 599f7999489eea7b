! Calls every procedure of advection, also with errors that set stat and errmsg
program advections
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  integer, parameter :: n_levels = 2
  real(real64), parameter :: degree = acos(-1.0_real64) / 180, radius = 6371220, day = 86400, dt = 14400
  type(halcyon_grid) :: grid
  integer :: rank, n_ranks, px

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call grid%octahedral(24)
  do px = 1, n_ranks
    if (modulo(n_ranks, px) == 0) call compare_with_one_rank(px, n_ranks / px, "wide")
    if (modulo(n_ranks, px) == 0) call compare_with_one_rank(px, n_ranks / px, "on_demand")
  end do
  call check_departures()
  call check_errors()
  call grid%free()
  if (rank == 0) print "(a)", "all advection works"
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

  !> A wind (level, point), and two fields.
  subroutine make_fields(advection, u, v, heat, dust)
    type(halcyon_advection), intent(in) :: advection
    real(real64), allocatable, intent(out) :: u(:, :), v(:, :), heat(:, :), dust(:, :)
    real(real64), allocatable :: latitudes(:), longitudes(:)

    latitudes = advection%latitudes() * degree
    longitudes = advection%longitudes() * degree
    allocate (u(n_levels, size(latitudes)))
    u(1, :) = 40 * cos(latitudes)
    u(2, :) = 20 * sin(latitudes)
    v = 10 * u
    v(1, :) = 10 * cos(longitudes)
    v(2, :) = 20 * sin(2 * longitudes)
    heat = 280 + u * v
    dust = heat
    dust(1, :) = max(0.0_real64, cos(latitudes) * cos(longitudes))
    dust(2, :) = cos(latitudes)**2 * sin(longitudes)
  end subroutine

  !> Advection on px x py ranks has the same bits as on one rank.
  subroutine compare_with_one_rank(px, py, halo)
    integer, intent(in) :: px, py
    character(*), intent(in) :: halo
    type(halcyon_advection) :: alone, advection
    type(halcyon_advection_costs) :: costs
    real(real64), allocatable :: all_u(:, :), all_v(:, :), u(:, :), v(:, :)
    real(real64), allocatable, target :: all_heat(:, :), all_dust(:, :), heat(:, :), dust(:, :)
    integer(int64), allocatable :: points(:)
    character(:), allocatable :: fastest
    real(real64) :: seconds
    integer :: width

    width = halcyon_width_for(grid, wind=50.0_real64, step=dt, radius=radius)
    call expect(width == halcyon_width_for(grid, 50.0_real64, dt) .and. width > 3, "a width")
    call alone%create(MPI_COMM_SELF%MPI_VAL, grid, levels=n_levels, fields=2, width=width)
    call make_fields(alone, all_u, all_v, all_heat, all_dust)

    call advection%create(MPI_COMM_WORLD%MPI_VAL, grid, levels=n_levels, fields=2, ranks=[px, py], halo=halo, &
                          width=width, interpolation="quasi_cubic", monotone=.false., groups=2, method="persistent", &
                          progress="poll", core="auto", radius=radius)
    call make_fields(advection, u, v, heat, dust)
    points = advection%points()
    call expect(size(points) == advection%n_points() .and. size(heat, 2) == size(points), "sizes of a share")
    call expect(all(heat == all_heat(:, points)), "fields like those of one rank")
    call alone%step(all_u, all_v, dt, [halcyon_array("heat", all_heat), halcyon_array("dust", all_dust)])
    call advection%step(u, v, dt, [halcyon_array("heat", heat), halcyon_array("dust", dust)], iterations=3)
    call expect(all(heat == all_heat(:, points)) .and. all(dust == all_dust(:, points)), "a step")

    call alone%advance([halcyon_array("heat", all_heat), halcyon_array("dust", all_dust)])
    call advection%start([halcyon_array("heat", heat), halcyon_array("dust", dust)])
    if (halo == "wide") call advection%find_departures(u, v, dt)
    call advection%progress()
    call advection%wait()
    call expect(all(heat == all_heat(:, points)) .and. all(dust == all_dust(:, points)), "start and wait")

    call advection%tune(repetitions=1, found=fastest, seconds=seconds)
    call expect(index(fastest, " group") == 2 .and. ((seconds > 0) .eqv. (n_ranks > 1)), "the fastest settings")
    call alone%advance([halcyon_array("heat", all_heat), halcyon_array("dust", all_dust)])
    call advection%advance([halcyon_array("heat", heat), halcyon_array("dust", dust)])
    call expect(all(heat == all_heat(:, points)) .and. all(dust == all_dust(:, points)), "an advance after tuning")
    costs = advection%costs()
    call expect(costs%interpolate_s > 0 .and. ((costs%received_bytes > 0) .eqv. (n_ranks > 1)), "costs")
    call expect(costs%received_bytes == 8 * 2 * n_levels * costs%n_halo, "bytes")
    call advection%free()
    call alone%free()
  end subroutine

  !> Zonal flow moves points eastward along the equator; given departure points are kept.
  subroutine check_departures()
    type(halcyon_advection) :: advection
    real(real64), allocatable :: u(:, :), v(:, :), north(:, :), east(:, :), latitudes(:), longitudes(:)
    real(real64), allocatable, target :: field(:, :)

    call advection%create(MPI_COMM_WORLD%MPI_VAL, grid, halo="on_demand")
    latitudes = advection%latitudes()
    longitudes = advection%longitudes()
    allocate (u(1, size(latitudes)), source=0.0_real64)
    v = u
    north = u
    east = u
    call advection%find_departures(u, v, day, iterations=0)
    call advection%departures(north, east)
    call expect(all(abs(north(1, :) - latitudes) < 1e-12), "no wind")
    north(1, :) = latitudes
    east(1, :) = longitudes + 180
    call advection%set_departures(north, east)
    field = v
    field(1, :) = longitudes
    where (longitudes < 180) field(1, :) = longitudes + 360
    field(1, :) = cos(field(1, :) * degree)
    call advection%advance(halcyon_array("field", field))
    call expect(all(abs(field(1, :) + cos(longitudes * degree)) < 1e-2), "the other side of the globe")
    call advection%start(halcyon_array("field", field))
    call advection%wait()
    call expect(all(abs(field(1, :) - cos(longitudes * degree)) < 2e-2), "and back")
    call advection%step(u, v, day, halcyon_array("field", field))
    call advection%free()
  end subroutine

  !> Errors set stat and errmsg, and the program continues.
  subroutine check_errors()
    type(halcyon_advection) :: advection, nothing
    real(real64), allocatable, target :: field(:, :), few(:, :)
    character(200) :: text
    integer :: status

    call nothing%create(MPI_COMM_WORLD%MPI_VAL, grid, halo="thin", stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There is no halo 'thin'.") == 1, "an unknown halo")
    call nothing%create(MPI_COMM_WORLD%MPI_VAL, grid, ranks=[5, 7], stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "The grid is divided among 35 ranks") == 1, "ranks")
    call expect(nothing%n_points(stat=status) == 0 .and. status == 1, "no advection")
    call expect(size(nothing%latitudes(stat=status)) == 0 .and. status == 1, "no latitudes")
    call expect(halcyon_width_for(grid, -1.0_real64, day, stat=status) == 0 .and. status == 2, "a negative wind")
    call advection%create(MPI_COMM_WORLD%MPI_VAL, grid)
    allocate (field(1, advection%n_points()), source=100.0_real64)
    allocate (few(1, 2), source=0.0_real64)
    call advection%advance(halcyon_array("field", field), stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "There are no departure points yet") == 1, "no departure points")
    call advection%find_departures(field, field, day, stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "which a halo of width 3 does not hold") > 0, "a strong wind")
    call advection%start(halcyon_array("field", few), stat=status, errmsg=text)
    call expect(status == 2 .and. index(text, "Fields of 2 values were given to a rank that owns ") == 1, "few values")
    call advection%wait(stat=status)
    call expect(status == 0, "nothing is in flight")
    call advection%free()
  end subroutine
end program
