! Makes one mistake; the library stops all ranks with an error, as no `stat` is given.
! Usage: mistakes FOLDER folder|size|damage
program mistakes
  use halcyon
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  type(halcyon_io_ranks) :: ranks
  type(halcyon_placement) :: on_cells
  type(halcyon_schema) :: schema
  type(halcyon_writer) :: writer
  type(halcyon_reader) :: reader
  real(real32), target :: heat(2)
  character(256) :: folder, kind
  integer :: rank, n_ranks

  call get_command_argument(1, folder)
  call get_command_argument(2, kind)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
  call ranks%create(MPI_COMM_WORLD%MPI_VAL)
  call on_cells%create(ranks, [rank + 1], n_ranks)
  call schema%dimension("cell", n_ranks)
  call schema%variable("heat", halcyon_float32, ["cell"])
  heat = 1
  select case (kind)
  case ("folder")
    call writer%create(ranks, trim(folder) // "/nowhere/a.nc", schema, 0)
  case ("size")
    call writer%create(ranks, trim(folder) // "/size.nc", schema, 0)
    call writer%write(halcyon_no_record, on_cells, halcyon_array("heat", heat(:merge(2, 1, rank == 1))))
  case ("damage")
    call reader%open(ranks, trim(folder) // "/damaged.nc")
  end select
  print "(a)", "not reached"
  call MPI_Finalize()
end program
