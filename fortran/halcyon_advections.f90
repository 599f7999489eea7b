!> Semi-Lagrangian advection on Gaussian grids.
module halcyon_advections
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halcyon_abi
  use halcyon_arrays, only: abi_of, halcyon_named_array
  use halcyon_errors, only: c_text, report
  use halcyon_grids, only: halcyon_grid
  use halcyon_transform_parts, only: indices_of, set_text, settings_text
  implicit none
  private
  public :: halcyon_advection, halcyon_advection_costs, halcyon_width_for

  !> Accumulated time on this rank [s]: of departure points and plans, of starts and waits of exchanges, of
  !> interpolation. With the current plan: number of columns in the halo, of ranks that this rank exchanges with, and
  !> bytes that it receives per advance.
  type :: halcyon_advection_costs
    real(c_double) :: plan_s = 0, start_s = 0, wait_s = 0, interpolate_s = 0
    integer(int64) :: n_halo = 0, n_neighbours = 0, received_bytes = 0
  end type

  !> Advection of a group of fields at the grid points of this rank. Fields, winds and departure points are real64
  !> (level, point). Fields are given as halcyon_array(name, values), several as a list. Results have the same bits on
  !> any number of ranks, and for all options but interpolation, monotone and radius.
  type :: halcyon_advection
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: n_points
    procedure :: points
    procedure :: latitudes
    procedure :: longitudes
    procedure :: find_departures
    procedure :: set_departures
    procedure :: departures
    generic :: advance => advance_one, advance_several
    generic :: step => step_one, step_several
    generic :: start => start_one, start_several
    procedure :: progress => progress_messages
    procedure :: wait => wait_for
    procedure :: tune
    procedure :: costs
    procedure :: free
    procedure, private :: advance_one, advance_several, step_one, step_several, start_one, start_several
  end type

contains

  !> Collective.
  !> @param comm the handle of a communicator: `comm%MPI_VAL` with mpi_f08, `comm` with mpi
  !> @param levels number of levels @param fields number of fields that are advected together
  !> @param ranks [px, py]: py bands of rows with balanced numbers of points, each cut into px parts; default: one band
  !>   per rank
  !> @param halo "wide" (default): planned once, sufficient for winds of width - 2 grid points per step; "on_demand":
  !>   in each step every rank requests the columns that it needs
  !> @param width width of a wide halo, in grid points (halcyon_width_for)
  !> @param interpolation "linear" (4 points), "quasi_cubic" (12, default) or "cubic" (16)
  !> @param monotone limits results to the range of the four values around the departure point
  !> @param groups number of groups of levels; one is exchanged while another is interpolated
  !> @param method "isend_irecv", ... @param progress "none", "poll", "thread" @param core as in halcyon_transform
  !> @param radius [m] radius of the sphere
  subroutine create(self, comm, grid, levels, fields, ranks, halo, width, interpolation, monotone, groups, method, &
                    progress, core, radius, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    integer, intent(in) :: comm
    class(halcyon_grid), intent(in) :: grid
    integer, intent(in), optional :: levels, fields, ranks(2), width, groups
    character(*), intent(in), optional :: halo, interpolation, method, progress, core
    logical, intent(in), optional :: monotone
    real(real64), intent(in), optional :: radius
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: texts_halo, texts_interpolation, texts_method, texts_progress, texts_core
    type(abi_advection_options) :: options

    call halcyon_advection_options_default(options)
    if (present(levels)) options%levels = levels
    if (present(fields)) options%fields = fields
    if (present(ranks)) options%px = ranks(1)
    if (present(ranks)) options%py = ranks(2)
    if (present(width)) options%width = width
    if (present(monotone)) options%monotone = merge(1, 0, monotone)
    if (present(groups)) options%groups = groups
    if (present(radius)) options%radius = radius
    call set_text(halo, texts_halo, options%halo)
    call set_text(interpolation, texts_interpolation, options%interpolation)
    call set_text(method, texts_method, options%method)
    call set_text(progress, texts_progress, options%progress)
    call set_text(core, texts_core, options%core)
    call report(halcyon_advection_create(comm, grid%handle, options, self%handle), stat, errmsg)
  end subroutine

  !> The halo width for winds up to `wind` [m s-1] at steps of `step` seconds: the distance in grid points, rounded up,
  !> plus 2. @param radius [m] radius of the sphere, by default that of the Earth
  function halcyon_width_for(grid, wind, step, radius, stat, errmsg) result(width)
    class(halcyon_grid), intent(in) :: grid
    real(real64), intent(in) :: wind, step
    real(real64), intent(in), optional :: radius
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: width
    type(abi_advection_options) :: options

    call halcyon_advection_options_default(options)
    if (present(radius)) options%radius = radius
    width = 0
    call report(halcyon_advection_width_for(grid%handle, wind, step, options%radius, width), stat, errmsg)
  end function

  function part_of_rank(self, stat, errmsg) result(part)
    class(halcyon_advection), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_advection_held) :: part

    part = abi_advection_held(0, c_null_ptr, c_null_ptr, c_null_ptr)
    call report(halcyon_advection_share(self%handle, part), stat, errmsg)
  end function

  !> Number of points of this rank.
  function n_points(self, stat, errmsg) result(count)
    class(halcyon_advection), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: count
    type(abi_advection_held) :: part

    part = part_of_rank(self, stat, errmsg)
    count = part%n_points
  end function

  !> Indices of the points of this rank in the grid, row by row, from 1.
  function points(self, stat, errmsg) result(indices)
    class(halcyon_advection), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: indices(:)
    type(abi_advection_held) :: part

    part = part_of_rank(self, stat, errmsg)
    indices = indices_of(part%points, part%n_points)
  end function

  !> Latitudes of the points of this rank [degrees north].
  function latitudes(self, stat, errmsg) result(degrees)
    class(halcyon_advection), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable :: degrees(:)
    type(abi_advection_held) :: part

    part = part_of_rank(self, stat, errmsg)
    degrees = numbers(part%latitudes, part%n_points)
  end function

  !> Longitudes of the points of this rank [degrees east].
  function longitudes(self, stat, errmsg) result(degrees)
    class(halcyon_advection), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable :: degrees(:)
    type(abi_advection_held) :: part

    part = part_of_rank(self, stat, errmsg)
    degrees = numbers(part%longitudes, part%n_points)
  end function

  function numbers(first, n) result(values)
    type(c_ptr), intent(in) :: first
    integer(c_int64_t), intent(in) :: n
    real(real64), allocatable :: values(:)
    real(c_double), pointer :: c_values(:)

    call c_f_pointer(first, c_values, [n])
    values = c_values
  end function

  !> Collective. Computes the departure points of the air that arrives at the grid points. The trajectory of `step`
  !> seconds is a great circle with the wind at its midpoint, which is found by iteration.
  !> @param u, v [m s-1] eastward and northward winds at the middle of the step @param iterations default: 3
  subroutine find_departures(self, u, v, step, iterations, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    real(real64), contiguous, intent(in) :: u(:, :), v(:, :)
    real(real64), intent(in) :: step
    integer, intent(in), optional :: iterations
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_find_departures(self%handle, size(u, kind=int64), u, size(v, kind=int64), v, step, &
                                                  iterations_or_default(iterations)), stat, errmsg)
  end subroutine

  pure function iterations_or_default(iterations) result(n)
    integer, intent(in), optional :: iterations
    integer :: n

    n = 3
    if (present(iterations)) n = iterations
  end function

  !> Collective. Sets known departure points: [degrees north], [degrees east].
  subroutine set_departures(self, latitudes, longitudes, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    real(real64), contiguous, intent(in) :: latitudes(:, :), longitudes(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_set_departures(self%handle, size(latitudes, kind=int64), latitudes, &
                                                 size(longitudes, kind=int64), longitudes), stat, errmsg)
  end subroutine

  !> Returns the last departure points: [degrees north], [degrees east].
  subroutine departures(self, latitudes, longitudes, stat, errmsg)
    class(halcyon_advection), intent(in) :: self
    real(real64), contiguous, intent(inout) :: latitudes(:, :), longitudes(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_departures(self%handle, size(latitudes, kind=int64), latitudes, &
                                             size(longitudes, kind=int64), longitudes), stat, errmsg)
  end subroutine

  !> Collective. Advects all fields by one step, in place.
  subroutine advance_several(self, fields, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    type(halcyon_named_array), target, intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_advance(self%handle, size(fields), abi_of(fields)), stat, errmsg)
  end subroutine

  subroutine advance_one(self, field, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    type(halcyon_named_array), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%advance([field], stat, errmsg)
  end subroutine

  !> Collective. find_departures and advance in one call: with a wide halo, the exchange of the fields overlaps with
  !> the computation of the departure points. If it fails, the fields are unchanged.
  subroutine step_several(self, u, v, step, fields, iterations, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    real(real64), contiguous, intent(in) :: u(:, :), v(:, :)
    real(real64), intent(in) :: step
    type(halcyon_named_array), target, intent(in) :: fields(:)
    integer, intent(in), optional :: iterations
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_step(self%handle, size(u, kind=int64), u, size(v, kind=int64), v, step, &
                                       iterations_or_default(iterations), size(fields), abi_of(fields)), stat, errmsg)
  end subroutine

  subroutine step_one(self, u, v, step, field, iterations, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    real(real64), contiguous, intent(in) :: u(:, :), v(:, :)
    real(real64), intent(in) :: step
    type(halcyon_named_array), intent(in) :: field
    integer, intent(in), optional :: iterations
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%step(u, v, step, [field], iterations, stat, errmsg)
  end subroutine

  !> Collective. Starts an advance: the messages of all groups of levels are in flight until `wait`, which
  !> interpolates. Until then the fields may be read but not written. With a wide halo, departure points may be found or
  !> set between the two calls; with a halo on demand, they are those of the start.
  subroutine start_several(self, fields, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    type(halcyon_named_array), target, intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_start(self%handle, size(fields), abi_of(fields)), stat, errmsg)
  end subroutine

  subroutine start_one(self, field, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    type(halcyon_named_array), intent(in) :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%start([field], stat, errmsg)
  end subroutine

  !> Lets MPI progress the messages in flight, to be called during a computation.
  subroutine progress_messages(self, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_progress(self%handle), stat, errmsg)
  end subroutine

  !> Collective. Completes a started advance; returns immediately if there is none.
  subroutine wait_for(self, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_advection_wait(self%handle), stat, errmsg)
  end subroutine

  !> Collective. As `tune` of halcyon_transform: finds the fastest groups, method and progress of `advance` with the
  !> last departure points, measured with fields of zeros.
  subroutine tune(self, repetitions, found, seconds, stat, errmsg)
    class(halcyon_advection), intent(inout) :: self
    integer, intent(in) :: repetitions
    character(:), allocatable, intent(out), optional :: found
    real(real64), intent(out), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_tried) :: best
    integer(c_int) :: status

    best = abi_tried(0, 0, c_null_ptr, c_null_ptr, c_null_ptr, 0)
    status = halcyon_advection_tune(self%handle, repetitions, best)
    if (present(seconds)) seconds = best%seconds
    if (present(found)) found = ""
    if (present(found) .and. status == 0) found = settings_text(best)
    call report(status, stat, errmsg)
  end subroutine

  function costs(self, stat, errmsg) result(totals)
    class(halcyon_advection), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halcyon_advection_costs) :: totals
    type(abi_advection_costs_held) :: c_totals

    c_totals = abi_advection_costs_held(0, 0, 0, 0, 0, 0, 0)
    call report(abi_advection_costs(self%handle, c_totals), stat, errmsg)
    totals = halcyon_advection_costs(c_totals%plan_s, c_totals%start_s, c_totals%wait_s, c_totals%interpolate_s, &
                                     c_totals%n_halo, c_totals%n_neighbours, c_totals%received_bytes)
  end function

  !> Collective. Waits for messages in flight.
  subroutine free(self)
    class(halcyon_advection), intent(inout) :: self

    call halcyon_advection_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
