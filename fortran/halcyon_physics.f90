!> Physics schemes in Fortran (docs/physics.md): the types of halcyon_physics.h, and access to their arrays.
!>
!> A scheme is a function with bind(C), compiled with this file to a shared library:
!>
!>     gfortran -shared -fPIC -O2 $(python -m halcyon.physics)/halcyon_physics.f90 cooling.f90 -o libcooling.so
!>
!> and named in the case as `libcooling.so:cooling`. It returns 0, or another number for an error. Arrays are
!> (column, level), interfaces (column, interface), tracers (column, level, tracer), spectra (direction,
!> frequency, cell); levels, interfaces, options and fields count from 1.
module halcyon_physics
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_f_procpointer, c_funptr, c_int, &
                                         c_int32_t, c_null_char, c_ptr
  implicit none
  private
  public :: halcyon_array, halcyon_columns, halcyon_declarations, halcyon_declare_field, halcyon_declare_option, &
            halcyon_fail, halcyon_option, halcyon_scheme_field, halcyon_spectra, &
            halcyon_tracer

  !> The version of the interface that a library was compiled with; Halcyon loads no other version.
  integer(c_int32_t), bind(C, name="halcyon_physics_version"), public, protected :: halcyon_physics_version = 2

  !> A block of columns; the components are documented in halcyon_physics.h.
  type, bind(C) :: halcyon_columns
    integer(c_int32_t) :: n_columns, n_levels, n_tracers, n_options, n_fields
    real(c_double) :: time, date, step, gravity, gas_constant, heat_capacity
    type(c_ptr) :: longitude, latitude, surface_pressure, surface_geopotential, interface_pressure, &
                   interface_geopotential, pressure, exner, geopotential, temperature, eastward_wind, &
                   northward_wind, tracers, tracer_names, options
    type(c_ptr) :: temperature_tendency, eastward_wind_tendency, northward_wind_tendency, drag, tracer_tendencies
    type(c_ptr) :: fields, message, context
  end type

  !> A block of wave spectra.
  type, bind(C) :: halcyon_spectra
    integer(c_int32_t) :: n_cells, n_frequencies, n_directions, n_options, n_fields
    real(c_double) :: time, date, step, gravity
    type(c_ptr) :: frequency, direction, longitude, latitude, depth, eastward_wind, northward_wind, ice_fraction, &
                   wavenumber, density, options
    type(c_ptr) :: source, source_derivative
    type(c_ptr) :: fields, message, context
  end type

  !> The argument of NAME_declare(declarations), a subroutine with bind(C).
  type, bind(C) :: halcyon_declarations
    type(c_ptr) :: scheme
    type(c_funptr) :: option, field
  end type

  !> halcyon_array(columns%temperature, n_columns [, n_levels [, n_tracers]]) points to an array.
  interface halcyon_array
    module procedure array_1, array_2, array_3
  end interface

  !> halcyon_option(columns, i) is the value of option i.
  interface halcyon_option
    module procedure option_of_columns, option_of_spectra
  end interface

  !> halcyon_scheme_field(columns, i [, n_levels]) points to field i of the scheme: (column), or (column, level).
  interface halcyon_scheme_field
    module procedure field_of_columns, levels_of_columns, field_of_spectra
  end interface

  abstract interface
    subroutine declare_option_c(scheme, name, value, unit, text, minimum, maximum) bind(C)
      import :: c_char, c_double, c_ptr
      type(c_ptr), value :: scheme
      character(kind=c_char), intent(in) :: name(*), unit(*), text(*)
      real(c_double), value :: value, minimum, maximum
    end subroutine
    subroutine declare_field_c(scheme, name, has_levels, units, long_name) bind(C)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: scheme
      character(kind=c_char), intent(in) :: name(*), units(*), long_name(*)
      integer(c_int), value :: has_levels
    end subroutine
  end interface

contains

  !> Declares an option: its default, unit, meaning and, by default unlimited, range.
  subroutine halcyon_declare_option(declarations, name, value, unit, text, minimum, maximum)
    type(halcyon_declarations), intent(in) :: declarations
    character(*), intent(in) :: name, unit, text
    real(c_double), intent(in) :: value
    real(c_double), intent(in), optional :: minimum, maximum
    procedure(declare_option_c), pointer :: declare
    real(c_double) :: lowest, highest

    lowest = -huge(lowest)
    highest = huge(highest)
    if (present(minimum)) lowest = minimum
    if (present(maximum)) highest = maximum
    call c_f_procpointer(declarations%option, declare)
    call declare(declarations%scheme, trim(name)//c_null_char, value, trim(unit)//c_null_char, &
                 trim(text)//c_null_char, lowest, highest)
  end subroutine

  !> Declares a field that is kept from call to call, also in restart files.
  subroutine halcyon_declare_field(declarations, name, levels, units, long_name)
    type(halcyon_declarations), intent(in) :: declarations
    character(*), intent(in) :: name, units, long_name
    logical, intent(in) :: levels !< whether the field has a value for each level
    procedure(declare_field_c), pointer :: declare

    call c_f_procpointer(declarations%field, declare)
    call declare(declarations%scheme, trim(name)//c_null_char, merge(1_c_int, 0_c_int, levels), &
                 trim(units)//c_null_char, trim(long_name)//c_null_char)
  end subroutine

  !> Sets the text of an error; `message` is that of the block. Returns the status of the function.
  function halcyon_fail(message, text) result(status)
    type(c_ptr), intent(in) :: message
    character(*), intent(in) :: text
    integer(c_int) :: status
    integer, parameter :: message_size = 256
    character(kind=c_char), pointer :: characters(:)
    integer :: i, n

    call c_f_pointer(message, characters, [message_size])
    n = min(len_trim(text), message_size - 1)
    do i = 1, n
      characters(i) = text(i:i)
    end do
    characters(n + 1) = c_null_char
    status = 1
  end function

  !> The number of the tracer of a name, from 1. Without such a tracer, sets the text of an error and returns 0;
  !> the scheme then returns another number than 0.
  function halcyon_tracer(columns, name) result(tracer)
    type(halcyon_columns), intent(in) :: columns
    character(*), intent(in) :: name
    integer :: tracer
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    do tracer = 1, columns%n_tracers
      call c_f_pointer(address_of(columns%tracer_names, columns%n_tracers, tracer), characters, [len(name) + 1])
      do i = 1, len(name) + 1
        if (i > len(name)) then
          if (characters(i) == c_null_char) return
        else if (characters(i) /= name(i:i)) then
          exit
        end if
      end do
    end do
    tracer = halcyon_fail(columns%message, "the model has no tracer '"//name//"'") - 1
  end function

  function array_1(address, n_1) result(array)
    type(c_ptr), intent(in) :: address
    integer(c_int32_t), intent(in) :: n_1
    real(c_double), pointer, contiguous :: array(:)
    call c_f_pointer(address, array, [n_1])
  end function

  function array_2(address, n_1, n_2) result(array)
    type(c_ptr), intent(in) :: address
    integer(c_int32_t), intent(in) :: n_1, n_2
    real(c_double), pointer, contiguous :: array(:, :)
    call c_f_pointer(address, array, [n_1, n_2])
  end function

  function array_3(address, n_1, n_2, n_3) result(array)
    type(c_ptr), intent(in) :: address
    integer(c_int32_t), intent(in) :: n_1, n_2, n_3
    real(c_double), pointer, contiguous :: array(:, :, :)
    call c_f_pointer(address, array, [n_1, n_2, n_3])
  end function

  function option_of_columns(columns, i) result(value)
    type(halcyon_columns), intent(in) :: columns
    integer, intent(in) :: i
    real(c_double) :: value
    real(c_double), pointer :: values(:)
    values => array_1(columns%options, columns%n_options)
    value = values(i)
  end function

  function option_of_spectra(spectra, i) result(value)
    type(halcyon_spectra), intent(in) :: spectra
    integer, intent(in) :: i
    real(c_double) :: value
    real(c_double), pointer :: values(:)
    values => array_1(spectra%options, spectra%n_options)
    value = values(i)
  end function

  function field_of_columns(columns, i) result(field)
    type(halcyon_columns), intent(in) :: columns
    integer, intent(in) :: i
    real(c_double), pointer, contiguous :: field(:)
    field => array_1(address_of(columns%fields, columns%n_fields, i), columns%n_columns)
  end function

  function levels_of_columns(columns, i, n_levels) result(field)
    type(halcyon_columns), intent(in) :: columns
    integer, intent(in) :: i
    integer(c_int32_t), intent(in) :: n_levels
    real(c_double), pointer, contiguous :: field(:, :)
    field => array_2(address_of(columns%fields, columns%n_fields, i), columns%n_columns, n_levels)
  end function

  function field_of_spectra(spectra, i) result(field)
    type(halcyon_spectra), intent(in) :: spectra
    integer, intent(in) :: i
    real(c_double), pointer, contiguous :: field(:)
    field => array_1(address_of(spectra%fields, spectra%n_fields, i), spectra%n_cells)
  end function

  !> The address of item i.
  function address_of(fields, n, i) result(address)
    type(c_ptr), intent(in) :: fields
    integer(c_int32_t), intent(in) :: n
    integer, intent(in) :: i
    type(c_ptr) :: address
    type(c_ptr), pointer :: addresses(:)
    call c_f_pointer(fields, addresses, [n])
    address = addresses(i)
  end function

end module
