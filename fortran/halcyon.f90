!> Halcyon for Fortran, based on the C interface (halcyon.h), with the names of C++ and Python.
!>
!> Every procedure has the optional arguments `stat` and `errmsg`, like Fortran's input and output: `stat`
!> returns 0 or the status of an error, `errmsg` its text; without `stat` an error stops the program with that
!> text. Procedures marked Collective are called by all ranks in the same order; an error on one rank is an
!> error on all.
!>
!> Records and global ids count from 1; dimensions go from the fastest to the slowest. Assignment of a handle
!> copies the reference; `free` releases the object. Error texts count from 0, as the library does.
module halcyon
  use halcyon_advections, only: halcyon_advection, halcyon_advection_costs, halcyon_width_for
  use halcyon_arrays, only: halcyon_array, halcyon_named_array, &
                            halcyon_float32, halcyon_float64, halcyon_int32, halcyon_int64
  use halcyon_bifouriers, only: halcyon_bifourier => spectral_transform
  use halcyon_decompositions, only: halcyon_decomposition
  use halcyon_errors, only: halcyon_version
  use halcyon_grids, only: halcyon_grid
  use halcyon_halos, only: halcyon_field, halcyon_halo, halcyon_statistics
  use halcyon_placements, only: halcyon_io_ranks, halcyon_placement
  use halcyon_readers, only: halcyon_reader, halcyon_verified, halcyon_verify
  use halcyon_schemas, only: halcyon_schema
  use halcyon_slices, only: halcyon_block, halcyon_slice
  use halcyon_solvers, only: halcyon_converged, halcyon_dependent, halcyon_gcr, halcyon_helmholtz, halcyon_linear_map, &
                             halcyon_map, halcyon_most_iterations, halcyon_no_descent, halcyon_not_finite, &
                             halcyon_solution, halcyon_stagnated
  use halcyon_topologies, only: halcyon_cell, halcyon_edge, halcyon_topology, halcyon_vertex
  use halcyon_transforms, only: halcyon_transform => spectral_transform
  use halcyon_writers, only: halcyon_no_record, halcyon_writer
  implicit none
  public
end module
