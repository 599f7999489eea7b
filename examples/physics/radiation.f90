! A radiation-like relaxation of temperature, as a physics scheme: `physics: [libradiation.so:radiation]`.
!
!   dT/dt = -(T - T_e)/tau,  T_e = T_s(phi) (p/ps)^(R Gamma/g), at least T_0
!
! to a profile of constant lapse rate Gamma below an isothermal stratosphere. The scheme keeps the outgoing
! energy flux of each column: the integral of -c_p dT/dt over its mass.
module radiation_scheme
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use halcyon_physics
  implicit none

contains

  subroutine radiation_declare(declarations) bind(C, name="radiation_declare")
    type(halcyon_declarations), intent(in) :: declarations

    call halcyon_declare_option(declarations, "time_scale", 20.0_c_double, "day", &
                                "Time scale tau of the relaxation.", minimum=0.1_c_double)
    call halcyon_declare_option(declarations, "lapse_rate", 6.5e-3_c_double, "K m-1", "Lapse rate Gamma.")
    call halcyon_declare_option(declarations, "stratosphere", 200.0_c_double, "K", &
                                "Temperature T_0 of the stratosphere.", minimum=1.0_c_double)
    call halcyon_declare_field(declarations, "outgoing_energy_flux", .false., "W m-2", &
                               "energy flux that the radiation scheme takes from the air")
  end subroutine

  function radiation(columns) result(status) bind(C, name="radiation")
    type(halcyon_columns), intent(in) :: columns
    integer(c_int) :: status
    real(c_double), parameter :: day = 86400, warmest = 300, difference = 60
    real(c_double), pointer, contiguous :: t(:, :), p(:, :), p_interface(:, :), ps(:), latitude(:), rate(:, :), flux(:)
    real(c_double) :: tau, exponent, coldest, equilibrium
    integer :: i, k

    t => halcyon_array(columns%temperature, columns%n_columns, columns%n_levels)
    p => halcyon_array(columns%pressure, columns%n_columns, columns%n_levels)
    p_interface => halcyon_array(columns%interface_pressure, columns%n_columns, columns%n_levels + 1)
    rate => halcyon_array(columns%temperature_tendency, columns%n_columns, columns%n_levels)
    ps => halcyon_array(columns%surface_pressure, columns%n_columns)
    latitude => halcyon_array(columns%latitude, columns%n_columns)
    flux => halcyon_scheme_field(columns, 1)
    tau = halcyon_option(columns, 1)*day
    exponent = columns%gas_constant*halcyon_option(columns, 2)/columns%gravity
    coldest = halcyon_option(columns, 3)

    flux = 0
    do k = 1, columns%n_levels
      do i = 1, columns%n_columns
        equilibrium = (warmest - difference*sin(latitude(i))**2)*(p(i, k)/ps(i))**exponent
        rate(i, k) = -(t(i, k) - max(coldest, equilibrium))/tau
        flux(i) = flux(i) - columns%heat_capacity/columns%gravity*rate(i, k)*(p_interface(i, k + 1) - p_interface(i, k))
      end do
    end do
    status = 0
  end function

end module
