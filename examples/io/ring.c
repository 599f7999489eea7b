/* Writes temperatures on a ring of cells, and reads them with a halo, on all ranks: ring FILE */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { N_CELLS = 40, N_LEVELS = 3, N_RECORDS = 2, MAX_LOCAL = N_CELLS + 2 }; /* cells with halo */

typedef struct {
  int64_t cells[MAX_LOCAL]; /* global ids: owned cells, then the halo cells on either side */
  int n_owned;
} rank_part;

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

static rank_part part_of(int rank, int n_ranks) {
  rank_part part;
  const int first = N_CELLS * rank / n_ranks, end = N_CELLS * (rank + 1) / n_ranks;
  part.n_owned = end - first;
  for (int i = 0; i < part.n_owned; ++i) part.cells[i] = first + i;
  part.cells[part.n_owned] = (first + N_CELLS - 1) % N_CELLS;
  part.cells[part.n_owned + 1] = end % N_CELLS;
  return part;
}

static halcyon_schema* schema_of_ring(void) {
  const char* dimensions[] = {"time", "cell", "level"};
  halcyon_schema* schema;
  check(halcyon_schema_create(&schema));
  check(halcyon_schema_dimension(schema, "time", 0));
  check(halcyon_schema_dimension(schema, "cell", N_CELLS));
  check(halcyon_schema_dimension(schema, "level", N_LEVELS));
  check(halcyon_schema_variable(schema, "time", HALCYON_FLOAT64, 1, dimensions));
  check(halcyon_schema_attribute_text(schema, "time", "units", "hours since 2000-01-01"));
  check(halcyon_schema_variable(schema, "temperature", HALCYON_FLOAT32, 3, dimensions));
  check(halcyon_schema_attribute_text(schema, "temperature", "units", "K"));
  check(halcyon_schema_attribute_text(schema, "", "title", "a ring"));
  return schema;
}

static void write_ring(const halcyon_io_ranks* ranks, const char* path, const rank_part* part) {
  halcyon_schema* schema = schema_of_ring();
  halcyon_placement* owned;
  halcyon_writer* writer;
  check(halcyon_placement_create(ranks, part->n_owned, part->cells, N_CELLS, &owned));
  check(halcyon_writer_create(ranks, path, schema, 0, N_RECORDS, &writer));
  for (int record = 0; record < N_RECORDS; ++record) {
    float temperature[N_CELLS][N_LEVELS];
    const double hours = 6.0 * record;
    for (int i = 0; i < part->n_owned; ++i)
      for (int level = 0; level < N_LEVELS; ++level)
        temperature[i][level] = 300.0f + record - 6.5f * level + 0.5f * (part->cells[i] % 8);
    const halcyon_values time = {"time", HALCYON_FLOAT64, &hours, 1};
    const halcyon_values field = {"temperature", HALCYON_FLOAT32, temperature, part->n_owned * N_LEVELS};
    check(halcyon_writer_write_root(writer, record, 1, &time));
    check(halcyon_writer_write(writer, record, owned, 1, &field));
  }
  check(halcyon_writer_close(writer));
  halcyon_writer_free(writer);
  halcyon_placement_free(owned);
  halcyon_schema_free(schema);
}

/* The largest difference between this rank's cells and their neighbours, in the last record. */
static float largest_difference(const halcyon_io_ranks* ranks, const char* path, const rank_part* part) {
  const int n = part->n_owned, left_of_first = n, right_of_last = n + 1;
  float temperature[MAX_LOCAL][N_LEVELS], largest = 0;
  const halcyon_target field = {"temperature", HALCYON_FLOAT32, temperature, (n + 2) * N_LEVELS};
  halcyon_placement* with_halo;
  halcyon_reader* reader;
  check(halcyon_placement_create(ranks, n + 2, part->cells, N_CELLS, &with_halo));
  check(halcyon_reader_open(ranks, path, &reader));
  check(halcyon_reader_read(reader, N_RECORDS - 1, with_halo, 1, &field));
  check(halcyon_reader_close(reader));
  halcyon_reader_free(reader);
  halcyon_placement_free(with_halo);
  for (int i = 0; i < n; ++i) {
    const int left = i > 0 ? i - 1 : left_of_first, right = i < n - 1 ? i + 1 : right_of_last;
    for (int level = 0; level < N_LEVELS; ++level) {
      largest = fmaxf(largest, fabsf(temperature[i][level] - temperature[left][level]));
      largest = fmaxf(largest, fabsf(temperature[i][level] - temperature[right][level]));
    }
  }
  return largest;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "ring.nc";
  int rank, n_ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  const rank_part part = part_of(rank, n_ranks);
  halcyon_io_ranks* ranks;
  check(halcyon_io_ranks_create(MPI_Comm_c2f(MPI_COMM_WORLD), NULL, 0, &ranks));
  write_ring(ranks, path, &part);
  float largest, local_largest = largest_difference(ranks, path, &part);
  halcyon_io_ranks_free(ranks);
  MPI_Reduce(&local_largest, &largest, 1, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("neighbours differ by %.1f K at most\n", largest);
  MPI_Finalize();
  return 0;
}
