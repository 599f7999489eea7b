program ring
  use mpi_f08
  implicit none
  integer :: rank, n, i, tag
  real(8) :: a(8), b(8)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: comm
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, n)
  a = rank
  call MPI_Irecv(b, 8, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, requests(1))
  call MPI_Isend(a, 4 + rank, MPI_DOUBLE_PRECISION, mod(rank + 1, n), 3, comm, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Allreduce(MPI_IN_PLACE, a, 8, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
  call MPI_Sendrecv(a, 2, MPI_REAL8, mod(rank + 1, n), 5, b, 2, MPI_REAL8, mod(rank + n - 1, n), 5, comm, MPI_STATUS_IGNORE)
  if (rank == 0) call MPI_Send(a, 1, MPI_INTEGER, 1, 9, comm)
  if (rank == 1) call MPI_Recv(b, 8, MPI_INTEGER, MPI_ANY_SOURCE, 9, comm, MPI_STATUS_IGNORE)
  call MPI_Finalize()
end program
