/* Grouped output and input as published in Liu et al. 2020, on GRIST's parallel infrastructure, sections 4.1
 * and 4.2. Each I/O process sorts its items into contiguous intervals, makes one nonblocking PnetCDF call per
 * interval, and waits for all. With groups, the first of every `group_size` ranks gathers and sorts the items
 * of its group. Files are not flushed to disk. */

#include <mpi.h>
#include <pnetcdf.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long long id;    /* position in the file */
  size_t position; /* in the values gathered from the group */
} Item;

typedef struct {
  MPI_Comm group, io_comm;    /* ranks with the same I/O process; the I/O processes, else MPI_COMM_NULL */
  int size, *counts, *starts; /* of the group: number of ranks; items, and offset of the items, by rank */
  MPI_Offset n_items, n_owned, n_gathered; /* numbers of items: in the file, of this rank, of the group */
  MPI_Offset n_intervals, *interval_starts,
      *interval_counts; /* contiguous intervals of ids: first id and number of items */
  Item* sorted;         /* items of the group by id */
} Plan;

static int by_id(const void* a, const void* b) {
  const long long x = ((const Item*)a)->id, y = ((const Item*)b)->id;
  return (x > y) - (x < y);
}

/* Sorts the gathered items by id, and finds the contiguous intervals. */
static void find_intervals(Plan* plan, const long long* ids) {
  plan->sorted = malloc((plan->n_gathered + 1) * sizeof *plan->sorted);
  plan->interval_starts = malloc((plan->n_gathered + 1) * sizeof *plan->interval_starts);
  plan->interval_counts = malloc((plan->n_gathered + 1) * sizeof *plan->interval_counts);
  for (MPI_Offset i = 0; i < plan->n_gathered; ++i) plan->sorted[i] = (Item){ids[i], (size_t)i};
  qsort(plan->sorted, plan->n_gathered, sizeof *plan->sorted, by_id);
  for (MPI_Offset i = 0; i < plan->n_gathered; ++i) {
    const MPI_Offset last = plan->n_intervals - 1, id = plan->sorted[i].id;
    if (last >= 0 && plan->interval_starts[last] + plan->interval_counts[last] == id) {
      ++plan->interval_counts[last];
    } else {
      plan->interval_starts[last + 1] = id;
      plan->interval_counts[last + 1] = 1;
      ++plan->n_intervals;
    }
  }
}

/* Collective. @param ids of the n_owned items of this rank, @param n_items number of items of all ranks */
Plan* published_plan(int fortran_comm, long long n_items, long long n_owned, const long long* ids,
                     int group_size) {
  const MPI_Comm comm = MPI_Comm_f2c(fortran_comm);
  Plan* plan = calloc(1, sizeof *plan);
  int rank = 0, mine = (int)n_owned;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split(comm, rank / group_size, rank, &plan->group);
  MPI_Comm_split(comm, rank % group_size == 0 ? 0 : MPI_UNDEFINED, rank, &plan->io_comm);
  MPI_Comm_size(plan->group, &plan->size);
  plan->n_items = n_items;
  plan->n_owned = n_owned;
  plan->counts = calloc(plan->size, sizeof(int));
  plan->starts = calloc(plan->size, sizeof(int));
  MPI_Gather(&mine, 1, MPI_INT, plan->counts, 1, MPI_INT, 0, plan->group);
  for (int r = 0; r < plan->size; ++r) {
    plan->starts[r] = (int)plan->n_gathered;
    plan->n_gathered += plan->counts[r];
  }
  long long* all = malloc((plan->n_gathered + 1) * sizeof *all);
  MPI_Gatherv(ids, mine, MPI_LONG_LONG, all, plan->counts, plan->starts, MPI_LONG_LONG, 0, plan->group);
  if (plan->io_comm != MPI_COMM_NULL) find_intervals(plan, all);
  free(all);
  return plan;
}

void published_free(Plan* plan) {
  MPI_Comm_free(&plan->group);
  if (plan->io_comm != MPI_COMM_NULL) MPI_Comm_free(&plan->io_comm);
  free(plan->counts);
  free(plan->starts);
  free(plan->interval_starts);
  free(plan->interval_counts);
  free(plan->sorted);
  free(plan);
}

static int write_intervals(const Plan* plan, const char* path, MPI_Offset levels,
                           const double* sorted_values) {
  int file = 0, dimensions[2], variable = 0, worst = NC_NOERR;
  int status = ncmpi_create(plan->io_comm, path, NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL, &file);
  if (status != NC_NOERR) return status;
  ncmpi_def_dim(file, "cell", plan->n_items, &dimensions[0]);
  ncmpi_def_dim(file, "level", levels, &dimensions[1]);
  ncmpi_def_var(file, "field", NC_DOUBLE, 2, dimensions, &variable);
  worst = ncmpi_enddef(file);
  for (MPI_Offset i = 0; i < plan->n_intervals; ++i) {
    const MPI_Offset start[2] = {plan->interval_starts[i], 0}, count[2] = {plan->interval_counts[i], levels};
    status = ncmpi_iput_vara_double(file, variable, start, count, sorted_values, NULL);
    if (status != NC_NOERR) worst = status;
    sorted_values += plan->interval_counts[i] * levels;
  }
  status = ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL);
  if (status != NC_NOERR) worst = status;
  status = ncmpi_close(file);
  return status != NC_NOERR ? status : worst;
}

static int read_intervals(const Plan* plan, const char* path, MPI_Offset levels, double* sorted_values) {
  int file = 0, variable = 0, worst = NC_NOERR;
  int status = ncmpi_open(plan->io_comm, path, NC_NOWRITE, MPI_INFO_NULL, &file);
  if (status != NC_NOERR) return status;
  worst = ncmpi_inq_varid(file, "field", &variable);
  for (MPI_Offset i = 0; i < plan->n_intervals; ++i) {
    const MPI_Offset start[2] = {plan->interval_starts[i], 0}, count[2] = {plan->interval_counts[i], levels};
    status = ncmpi_iget_vara_double(file, variable, start, count, sorted_values, NULL);
    if (status != NC_NOERR) worst = status;
    sorted_values += plan->interval_counts[i] * levels;
  }
  status = ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL);
  if (status != NC_NOERR) worst = status;
  status = ncmpi_close(file);
  return status != NC_NOERR ? status : worst;
}

/* Gathers or scatters values between the ranks of a group and its I/O process: @param values (item, level) of
 * this rank, @param gathered (item, level) of the group. */
static void exchange(const Plan* plan, int levels, double* values, double* gathered, int is_gather) {
  MPI_Datatype column;
  MPI_Type_contiguous(levels, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const int mine = (int)plan->n_owned;
  if (is_gather)
    MPI_Gatherv(values, mine, column, gathered, plan->counts, plan->starts, column, 0, plan->group);
  else
    MPI_Scatterv(gathered, plan->counts, plan->starts, column, values, mine, column, 0, plan->group);
  MPI_Type_free(&column);
}

/* Collective. Writes values (item, level) of this rank. @returns PnetCDF's status on this rank */
int published_write(const Plan* plan, const char* path, int levels, const double* values) {
  const size_t width = levels * sizeof(double);
  double *gathered = malloc(plan->n_gathered * width + 1),
         *sorted_values = malloc(plan->n_gathered * width + 1);
  int status = NC_NOERR;
  exchange(plan, levels, (double*)values, gathered, 1);
  if (plan->io_comm != MPI_COMM_NULL) {
    for (MPI_Offset i = 0; i < plan->n_gathered; ++i)
      memcpy(sorted_values + i * levels, gathered + plan->sorted[i].position * levels, width);
    status = write_intervals(plan, path, levels, sorted_values);
  }
  free(gathered);
  free(sorted_values);
  return status;
}

/* Collective. Reads values (item, level) of this rank. @returns PnetCDF's status on this rank */
int published_read(const Plan* plan, const char* path, int levels, double* values) {
  const size_t width = levels * sizeof(double);
  double *gathered = malloc(plan->n_gathered * width + 1),
         *sorted_values = malloc(plan->n_gathered * width + 1);
  int status = NC_NOERR;
  if (plan->io_comm != MPI_COMM_NULL) {
    status = read_intervals(plan, path, levels, sorted_values);
    for (MPI_Offset i = 0; i < plan->n_gathered; ++i)
      memcpy(gathered + plan->sorted[i].position * levels, sorted_values + i * levels, width);
  }
  exchange(plan, levels, values, gathered, 0);
  free(gathered);
  free(sorted_values);
  return status;
}
