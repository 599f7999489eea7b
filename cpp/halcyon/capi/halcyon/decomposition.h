/* Of halcyon.h: what a rank needs to know of a mesh, and its part of it. */
#ifndef HALCYON_DECOMPOSITION_H
#define HALCYON_DECOMPOSITION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- what it needs to know of a mesh --------------------------------------------------------------------- */

/* What a field lives on, and what ids count. */
typedef enum { HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX } halcyon_location;

/* Who is whose neighbour, and which edges and vertices cells share. Any mesh will do. The lists of cell i are
 * values[offsets[i]] to values[offsets[i + 1] - 1]; a negative value means none. */
typedef struct halcyon_topology halcyon_topology;

/* offsets: n_cells + 1. cells_on_cell: n_values neighbours, each of them the other's. They are copied. */
HALCYON_API int halcyon_topology_create(int32_t n_cells, const int32_t offsets[], int64_t n_values,
                                        const int32_t cells_on_cell[], halcyon_topology** topology);
/* Adds the edges or vertices on each cell, of n_shared in the whole mesh, for fields that live there. */
HALCYON_API int halcyon_topology_share(halcyon_topology* topology, halcyon_location location,
                                       int32_t n_shared, const int32_t offsets[], int64_t n_values,
                                       const int32_t on_cell[]);
/* Of a mesh file in the MPAS format, with edges and vertices. One rank alone may ask. */
HALCYON_API int halcyon_topology_read(const char* path, halcyon_topology** topology);
HALCYON_API int halcyon_topology_n_cells(const halcyon_topology* topology, int32_t* n_cells);
/* The neighbours, edges or vertices of each cell, without those that are none. */
HALCYON_API int halcyon_topology_lists(const halcyon_topology* topology, halcyon_location location,
                                       const int32_t** offsets, const int32_t** values);
HALCYON_API void halcyon_topology_free(halcyon_topology* topology);

/* What a rank knows of a mesh that none holds whole: the cells of its block, with global ids. Rank r has the
 * cells of halcyon_block(n_cells, n_ranks, r, ...). */
typedef struct halcyon_slice halcyon_slice;

/* The block of a rank, first to end - 1, of items in contiguous blocks of nearly equal length. */
HALCYON_API int halcyon_block(int64_t n_items, int32_t n_ranks, int32_t rank, int64_t* first, int64_t* end);
/* As halcyon_topology_create, of this rank's n_block cells alone. n_cells: of the whole mesh. */
HALCYON_API int halcyon_slice_create(int64_t n_cells, int32_t n_block, const int32_t offsets[],
                                     int64_t n_values, const int64_t cells_on_cell[], halcyon_slice** slice);
/* As halcyon_topology_share. */
HALCYON_API int halcyon_slice_share(halcyon_slice* slice, halcyon_location location, int64_t n_shared,
                                    const int32_t offsets[], int64_t n_values, const int64_t on_cell[]);
/* Collective. Of a mesh file as Halcyon writes it (MPAS format, classic netCDF), with edges and vertices:
 * each rank reads its own block. */
HALCYON_API int halcyon_slice_read(int32_t comm, const char* path, halcyon_slice** slice);
/* Cells, edges or vertices of the whole mesh. */
HALCYON_API int halcyon_slice_n_items(const halcyon_slice* slice, halcyon_location location,
                                      int64_t* n_items);
HALCYON_API void halcyon_slice_free(halcyon_slice* slice);

typedef struct {
  const char* method;     /* of METIS: "kway", "recursive" */
  int32_t seed;           /* of METIS' random choices */
  int32_t contiguous;     /* 1: each part in one piece */
  int32_t ranks_per_node; /* 0: as if all ranks were equally near; else parts near each other share a node */
} halcyon_partition_options;

HALCYON_API void halcyon_partition_options_default(halcyon_partition_options* options);

/* Cuts a mesh into parts of nearly equal size with few neighbours between them, the same on every rank that
 * asks. options: NULL for the defaults. owners: gets the rank of each cell. */
HALCYON_API int halcyon_partition(const halcyon_topology* topology, int32_t n_ranks,
                                  const halcyon_partition_options* options, int32_t owners[]);

/* -- one rank's part of a mesh --------------------------------------------------------------------------- */

/* A rank's cells are numbered inner | boundary | halo layer 1 | halo layer 2 ...: an inner cell has no halo
 * cell among its neighbours, so it can be computed while the halo travels. Edges and vertices follow their
 * cells, and are owned by the smallest rank that owns a cell on them. */
typedef struct halcyon_decomposition halcyon_decomposition;

/* Of cells, edges or vertices: owned ones first, then the halo, layer after layer. */
typedef struct {
  int32_t n_owned, n_local, n_layers;
  const int32_t*
      layer_offsets;        /* n_layers + 1: halo layer l = 0, 1, ... begins there and ends before the next */
  const int64_t* to_global; /* n_local: global ids */
} halcyon_share;

/* Collective. comm: the Fortran handle of a communicator, MPI_Comm_c2f(...), of which a duplicate is used.
 * owners: the rank of each of the n_owners cells of the mesh, the same on all ranks; 0 and NULL: as
 * halcyon_partition has them. n_layers: of the halo, 1 or more. */
HALCYON_API int halcyon_decomposition_create(int32_t comm, const halcyon_topology* topology, int32_t n_owners,
                                             const int32_t* owners, int32_t n_layers,
                                             halcyon_decomposition** decomposition);
/* Collective. The same from a slice on each rank: memory and work are those of a slice and a part. owners:
 * the rank of each of the n_owners cells of this rank's block; 0 and NULL on all ranks: as METIS on rank 0,
 * which alone sees the graph, has them. */
HALCYON_API int halcyon_decomposition_create_sliced(int32_t comm, const halcyon_slice* slice,
                                                    int32_t n_owners, const int32_t* owners, int32_t n_layers,
                                                    halcyon_decomposition** decomposition);
/* Cells 0 to n_inner - 1 are inner, n_inner to n_owned - 1 boundary. */
HALCYON_API int halcyon_decomposition_n_inner(const halcyon_decomposition* decomposition, int32_t* n_inner);
/* What it points to lasts as long as the decomposition. */
HALCYON_API int halcyon_decomposition_share(const halcyon_decomposition* decomposition,
                                            halcyon_location location, halcyon_share* share);
/* Where this rank holds the items with n global ids, -1 where it does not. Give all ids at once. */
HALCYON_API int halcyon_decomposition_to_local(const halcyon_decomposition* decomposition,
                                               halcyon_location location, int64_t n, const int64_t ids[],
                                               int32_t local[]);
/* The ranks that this one exchanges with, ascending. */
HALCYON_API int halcyon_decomposition_neighbours(const halcyon_decomposition* decomposition, int32_t* n,
                                                 const int32_t** ranks);
HALCYON_API void halcyon_decomposition_free(halcyon_decomposition* decomposition);

#ifdef __cplusplus
}
#endif

#endif
