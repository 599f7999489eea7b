/* Part of halcyon.h: the adjacency of a mesh, and one rank's part of the mesh. */
#ifndef HALCYON_DECOMPOSITION_H
#define HALCYON_DECOMPOSITION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- adjacency of a mesh --------------------------------------------------------------------------------- */

/* Location of a field: the items to which values and ids belong. */
typedef enum { HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX } halcyon_location;

/* Neighbours, edges and vertices of the cells of any mesh. The list of cell i is values[offsets[i]] to
 * values[offsets[i + 1] - 1]; a negative value means "no neighbour". */
typedef struct halcyon_topology halcyon_topology;

/* offsets: n_cells + 1. cells_on_cell: n_values neighbours; each of two neighbours lists the other. Arrays
 * are copied. */
HALCYON_API int halcyon_topology_create(int32_t n_cells, const int32_t offsets[], int64_t n_values,
                                        const int32_t cells_on_cell[], halcyon_topology** topology);
/* Adds the edges or vertices of each cell. n_shared: number of edges or vertices of the whole mesh. */
HALCYON_API int halcyon_topology_share(halcyon_topology* topology, halcyon_location location,
                                       int32_t n_shared, const int32_t offsets[], int64_t n_values,
                                       const int32_t on_cell[]);
/* Reads the topology of a mesh file in MPAS format, with edges and vertices. Not collective. */
HALCYON_API int halcyon_topology_read(const char* path, halcyon_topology** topology);
HALCYON_API int halcyon_topology_n_cells(const halcyon_topology* topology, int32_t* n_cells);
/* Returns the neighbours, edges or vertices of each cell, without negative values. */
HALCYON_API int halcyon_topology_lists(const halcyon_topology* topology, halcyon_location location,
                                       const int32_t** offsets, const int32_t** values);
HALCYON_API void halcyon_topology_free(halcyon_topology* topology);

/* One rank's slice of a mesh that no rank stores completely: a block of cells with consecutive global ids.
 * The slice of rank r has the cells of halcyon_block(n_cells, n_ranks, r, ...). */
typedef struct halcyon_slice halcyon_slice;

/* Returns the items of a rank, first to end - 1, if items are divided into contiguous blocks of nearly equal
 * length. */
HALCYON_API int halcyon_block(int64_t n_items, int32_t n_ranks, int32_t rank, int64_t* first, int64_t* end);
/* As halcyon_topology_create, for n_block cells of this rank. n_cells: number of cells of the whole mesh. */
HALCYON_API int halcyon_slice_create(int64_t n_cells, int32_t n_block, const int32_t offsets[],
                                     int64_t n_values, const int64_t cells_on_cell[], halcyon_slice** slice);
/* As halcyon_topology_share. */
HALCYON_API int halcyon_slice_share(halcyon_slice* slice, halcyon_location location, int64_t n_shared,
                                    const int32_t offsets[], int64_t n_values, const int64_t on_cell[]);
/* Collective. Each rank reads its block of a mesh file as written by Halcyon (MPAS format, classic netCDF),
 * with edges and vertices. */
HALCYON_API int halcyon_slice_read(int32_t comm, const char* path, halcyon_slice** slice);
/* Returns the number of cells, edges or vertices of the whole mesh. */
HALCYON_API int halcyon_slice_n_items(const halcyon_slice* slice, halcyon_location location,
                                      int64_t* n_items);
HALCYON_API void halcyon_slice_free(halcyon_slice* slice);

typedef struct {
  const char* method;     /* method of METIS: "kway", "recursive" */
  int32_t seed;           /* random seed of METIS */
  int32_t contiguous;     /* 1: each part is connected */
  int32_t ranks_per_node; /* 0: partition among ranks; else among nodes, then among the ranks of each */
} halcyon_partition_options;

HALCYON_API void halcyon_partition_options_default(halcyon_partition_options* options);

/* Partitions a mesh into parts of nearly equal size with few cut edges; the result is the same on every rank.
 * options: NULL for the defaults. owners: n_cells, receives the rank of each cell. Not collective. */
HALCYON_API int halcyon_partition(const halcyon_topology* topology, int32_t n_ranks,
                                  const halcyon_partition_options* options, int32_t owners[]);

/* -- one rank's part of a mesh --------------------------------------------------------------------------- */

/* Local cells are ordered inner | boundary | halo layer 1 | halo layer 2 ...: an inner cell has no neighbour
 * in the halo, so it can be computed during the exchange. Edges and vertices are in the order of their cells,
 * and belong to the lowest rank that owns one of their cells. */
typedef struct halcyon_decomposition halcyon_decomposition;

/* One rank's cells, edges or vertices: owned items first, then the halo layer by layer. */
typedef struct {
  int32_t n_owned, n_local, n_layers;
  const int32_t* layer_offsets; /* n_layers + 1: first item of halo layer l = 0, 1, ..., and the end */
  const int64_t* to_global;     /* n_local: global ids */
} halcyon_share;

/* Collective. comm: the Fortran handle of a communicator, MPI_Comm_c2f(...); a duplicate is used. owners: the
 * rank of each of the n_owners cells of the mesh, the same on all ranks; 0 and NULL: halcyon_partition with
 * default options. n_layers: number of halo layers, 1 or more. */
HALCYON_API int halcyon_decomposition_create(int32_t comm, const halcyon_topology* topology, int32_t n_owners,
                                             const int32_t* owners, int32_t n_layers,
                                             halcyon_decomposition** decomposition);
/* Collective. Creates a decomposition from one slice of the mesh per rank; memory and work are proportional
 * to the slice and this rank's part. owners: the rank of each of the n_owners cells of this rank's slice; 0
 * and NULL on all ranks: rank 0 collects the graph and partitions it by METIS. */
HALCYON_API int halcyon_decomposition_create_sliced(int32_t comm, const halcyon_slice* slice,
                                                    int32_t n_owners, const int32_t* owners, int32_t n_layers,
                                                    halcyon_decomposition** decomposition);
/* Cells 0 to n_inner - 1 are inner cells, n_inner to n_owned - 1 boundary cells. */
HALCYON_API int halcyon_decomposition_n_inner(const halcyon_decomposition* decomposition, int32_t* n_inner);
/* Returns this rank's items at a location. The arrays are valid until the decomposition is freed. */
HALCYON_API int halcyon_decomposition_share(const halcyon_decomposition* decomposition,
                                            halcyon_location location, halcyon_share* share);
/* Returns local indices of n global ids, -1 for items that are not on this rank. One call with all ids is
 * faster than several calls. */
HALCYON_API int halcyon_decomposition_to_local(const halcyon_decomposition* decomposition,
                                               halcyon_location location, int64_t n, const int64_t ids[],
                                               int32_t local[]);
/* Returns the neighbour ranks of this rank, ascending. */
HALCYON_API int halcyon_decomposition_neighbours(const halcyon_decomposition* decomposition, int32_t* n,
                                                 const int32_t** ranks);
HALCYON_API void halcyon_decomposition_free(halcyon_decomposition* decomposition);

#ifdef __cplusplus
}
#endif

#endif
