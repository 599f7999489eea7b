!> Gaussian grids: full, reduced, octahedral.
module halcyon_grids
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int32_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halcyon_errors, only: report
  use halcyon_abi
  implicit none
  private
  public :: halcyon_grid

  !> Rows of points from north to south, each eastward from longitude 0 with uniform spacing. A field on a grid is
  !> (point), row by row.
  type :: halcyon_grid
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: full
    procedure :: reduced
    procedure :: octahedral
    procedure :: n_points
    procedure :: row_lengths
    procedure :: sines
    procedure :: cosines
    procedure :: weights
    procedure :: free
  end type

contains

  !> A grid with given rows. @param row_lengths points per row, symmetric about the equator, not decreasing towards it
  subroutine create(self, row_lengths, stat, errmsg)
    class(halcyon_grid), intent(inout) :: self
    integer, contiguous, intent(in) :: row_lengths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_grid_create(size(row_lengths), row_lengths, self%handle), stat, errmsg)
  end subroutine

  !> A grid whose rows have the same number of points, by default twice the number of rows.
  subroutine full(self, n_rows, n_longitudes, stat, errmsg)
    class(halcyon_grid), intent(inout) :: self
    integer, intent(in) :: n_rows
    integer, intent(in), optional :: n_longitudes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: length

    length = 2 * n_rows
    if (present(n_longitudes)) length = n_longitudes
    call report(halcyon_grid_full(n_rows, length, self%handle), stat, errmsg)
  end subroutine

  !> A reduced grid, with the shortest rows that a truncation allows.
  !> @param points_per_wave 2 (linear, default), 3 (quadratic) or more
  subroutine reduced(self, n_rows, truncation, points_per_wave, stat, errmsg)
    class(halcyon_grid), intent(inout) :: self
    integer, intent(in) :: n_rows, truncation
    integer, intent(in), optional :: points_per_wave
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: points

    points = 2
    if (present(points_per_wave)) points = points_per_wave
    call report(halcyon_grid_reduced(n_rows, truncation, points, self%handle), stat, errmsg)
  end subroutine

  !> A grid with 2 n rows of 20, 24, 28 ... points from the poles.
  subroutine octahedral(self, n, stat, errmsg)
    class(halcyon_grid), intent(inout) :: self
    integer, intent(in) :: n
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(halcyon_grid_octahedral(n, self%handle), stat, errmsg)
  end subroutine

  function rows_of(self, stat, errmsg) result(rows)
    class(halcyon_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(abi_rows) :: rows

    rows = abi_rows(0, 0, c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr)
    call report(halcyon_grid_rows(self%handle, rows), stat, errmsg)
  end function

  function n_points(self, stat, errmsg) result(n)
    class(halcyon_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: n
    type(abi_rows) :: rows

    rows = rows_of(self, stat, errmsg)
    n = rows%n_points
  end function

  function row_lengths(self, stat, errmsg) result(lengths)
    class(halcyon_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: lengths(:)
    integer(c_int32_t), pointer :: c_values(:)
    type(abi_rows) :: rows

    rows = rows_of(self, stat, errmsg)
    call c_f_pointer(rows%row_lengths, c_values, [rows%n_rows])
    lengths = c_values
  end function

  !> Sines of the latitudes (row).
  function sines(self, stat, errmsg) result(values)
    class(halcyon_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable :: values(:)
    type(abi_rows) :: rows

    rows = rows_of(self, stat, errmsg)
    values = numbers(rows%sines, rows%n_rows)
  end function

  !> Cosines of the latitudes (row).
  function cosines(self, stat, errmsg) result(values)
    class(halcyon_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable :: values(:)
    type(abi_rows) :: rows

    rows = rows_of(self, stat, errmsg)
    values = numbers(rows%cosines, rows%n_rows)
  end function

  !> Gaussian weights (row) of integrals over the sine of latitude; their sum is 2.
  function weights(self, stat, errmsg) result(values)
    class(halcyon_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable :: values(:)
    type(abi_rows) :: rows

    rows = rows_of(self, stat, errmsg)
    values = numbers(rows%weights, rows%n_rows)
  end function

  function numbers(first, n) result(values)
    type(c_ptr), intent(in) :: first
    integer(c_int32_t), intent(in) :: n
    real(real64), allocatable :: values(:)
    real(c_double), pointer :: c_values(:)

    call c_f_pointer(first, c_values, [n])
    values = c_values
  end function

  subroutine free(self)
    class(halcyon_grid), intent(inout) :: self

    call halcyon_grid_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
