/* Halo exchange of a small model with Halcyon: hello_halo [MESH]
 *
 * Two fields on the cells of a longitude-latitude grid, or of a mesh file in the MPAS format, hold global
 * ids. Every rank sums over the neighbours of its cells; the inner cells overlap with the halo exchange. */
#include <halcyon.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  N_LONGITUDES = 24,
  N_LATITUDES = 12,
  N_CELLS = N_LONGITUDES * N_LATITUDES,
  N_LEVELS = 10,
  N_LAYERS = 1
};

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

static int32_t cell_at(int longitude, int latitude) {
  if (latitude < 0 || latitude >= N_LATITUDES) return -1; /* no cell beyond the poles */
  return latitude * N_LONGITUDES + (longitude + N_LONGITUDES) % N_LONGITUDES;
}

static halcyon_topology* grid(void) {
  int32_t offsets[N_CELLS + 1] = {0}, cells_on_cell[4 * N_CELLS];
  halcyon_topology* topology;
  for (int32_t cell = 0; cell < N_CELLS; ++cell) {
    const int i = cell % N_LONGITUDES, j = cell / N_LONGITUDES;
    int32_t* neighbours = cells_on_cell + offsets[cell];
    neighbours[0] = cell_at(i + 1, j);
    neighbours[1] = cell_at(i, j + 1);
    neighbours[2] = cell_at(i - 1, j);
    neighbours[3] = cell_at(i, j - 1);
    offsets[cell + 1] = offsets[cell] + 4;
  }
  check(halcyon_topology_create(N_CELLS, offsets, 4 * N_CELLS, cells_on_cell, &topology));
  return topology;
}

/* The neighbours of the owned cells, as local indices. */
typedef struct {
  int32_t *offsets, *cells;
} neighbour_lists;

static neighbour_lists local_neighbours(const halcyon_topology* topology, const halcyon_decomposition* part,
                                        const halcyon_share* cells) {
  const int32_t *offsets, *cells_on_cell;
  int32_t n_cells;
  neighbour_lists neighbours;
  check(halcyon_topology_n_cells(topology, &n_cells));
  check(halcyon_topology_lists(topology, HALCYON_CELL, &offsets, &cells_on_cell));
  int64_t* ids = malloc(sizeof(int64_t) * (size_t)(offsets[n_cells] + 1));
  neighbours.offsets = calloc((size_t)cells->n_owned + 1, sizeof(int32_t));
  for (int32_t i = 0; i < cells->n_owned; ++i) {
    const int64_t id = cells->to_global[i];
    neighbours.offsets[i + 1] = neighbours.offsets[i];
    for (int32_t k = offsets[id]; k < offsets[id + 1]; ++k)
      ids[neighbours.offsets[i + 1]++] = cells_on_cell[k];
  }
  const int32_t n = neighbours.offsets[cells->n_owned];
  neighbours.cells = malloc(sizeof(int32_t) * (size_t)(n + 1));
  check(halcyon_decomposition_to_local(part, HALCYON_CELL, n, ids, neighbours.cells));
  free(ids);
  return neighbours;
}

/* sum[i]: sum of heat over the neighbours of cell i, for cells first to end - 1. */
static void add_neighbours(const neighbour_lists* neighbours, const double* heat, int32_t first, int32_t end,
                           double* sum) {
  for (int32_t i = first; i < end; ++i) {
    sum[i] = 0;
    for (int32_t k = neighbours->offsets[i]; k < neighbours->offsets[i + 1]; ++k)
      sum[i] += heat[neighbours->cells[k]];
  }
}

/* Values that depend on the global id, so that received values can be checked. */
static double heat_of(int64_t id) {
  return (double)id;
}
static float wind_of(int64_t id, int level) {
  return (float)id + 0.01f * (float)level;
}

int main(int argc, char** argv) {
  halcyon_decomposition* part;
  halcyon_halo* halo;
  halcyon_share cells;
  int32_t n_inner, n_cells;
  int rank, n_ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);

  /* Decompose the mesh, partitioned by METIS. */
  halcyon_topology* topology = NULL;
  if (argc > 1)
    check(halcyon_topology_read(argv[1], &topology));
  else
    topology = grid();
  check(halcyon_topology_n_cells(topology, &n_cells));
  check(halcyon_decomposition_create(MPI_Comm_c2f(MPI_COMM_WORLD), topology, 0, NULL, N_LAYERS, &part));
  check(halcyon_decomposition_share(part, HALCYON_CELL, &cells));
  check(halcyon_decomposition_n_inner(part, &n_inner));

  /* Renumber the arrays of the model. */
  neighbour_lists neighbours = local_neighbours(topology, part, &cells);

  /* Group the fields that are exchanged together. */
  const halcyon_field fields[] = {{"heat", HALCYON_CELL, HALCYON_FLOAT64, 1, 0},
                                  {"wind", HALCYON_CELL, HALCYON_FLOAT32, N_LEVELS, 0}};
  check(halcyon_halo_create(part, 2, fields, "auto", 1, &halo));
  halcyon_target arrays[] = {{"heat", HALCYON_FLOAT64, NULL, 0}, {"wind", HALCYON_FLOAT32, NULL, 0}};
  check(halcyon_halo_allocate(halo, 2, arrays));
  double* heat = arrays[0].data;
  float* wind = arrays[1].data;
  for (int32_t i = 0; i < cells.n_owned; ++i) {
    heat[i] = heat_of(cells.to_global[i]);
    for (int level = 0; level < N_LEVELS; ++level)
      wind[i * N_LEVELS + level] = wind_of(cells.to_global[i], level);
  }

  /* Exchange, overlapped with computation. */
  double* sum = malloc(sizeof(double) * (size_t)(cells.n_owned + 1));
  check(halcyon_halo_start(halo, 2, arrays));
  add_neighbours(&neighbours, heat, 0, n_inner, sum);
  check(halcyon_halo_wait(halo));
  add_neighbours(&neighbours, heat, n_inner, cells.n_owned, sum);

  /* Check that every value equals the value on its owner. */
  int64_t n_wrong = 0, counts[3], all_counts[3]; /* halo cells, wrong values, sum over neighbours */
  double total = 0;
  for (int32_t i = 0; i < cells.n_local; ++i) {
    n_wrong += heat[i] != heat_of(cells.to_global[i]);
    for (int level = 0; level < N_LEVELS; ++level)
      n_wrong += wind[i * N_LEVELS + level] != wind_of(cells.to_global[i], level);
  }
  for (int32_t i = 0; i < cells.n_owned; ++i) total += sum[i];
  counts[0] = cells.n_local - cells.n_owned, counts[1] = n_wrong, counts[2] = (int64_t)total;
  MPI_Reduce(counts, all_counts, 3, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d cells on %d ranks, %lld in halos, %lld values wrong, neighbours add up to %lld\n", n_cells,
           n_ranks, (long long)all_counts[0], (long long)all_counts[1], (long long)all_counts[2]);

  free(sum), free(neighbours.offsets), free(neighbours.cells);
  halcyon_halo_free(halo);
  halcyon_decomposition_free(part);
  halcyon_topology_free(topology);
  MPI_Finalize();
  return 0;
}
