/* Halcyon for C, and the ABI under its Fortran module. The names are those of C++ and Python.
 *
 * Every function that can fail returns a status: HALCYON_OK, or what went wrong, of which
 * halcyon_error_message() has the text. No exception leaves the library. A function marked Collective is
 * called by all ranks of the communicator, in the same order; where it fails on one, it fails on all, with
 * the same status and text. Its objects are opaque; NULL may be freed; they may be freed in any order, but
 * in the same one on all ranks.
 *
 * Records and global ids count from 0. Texts that functions hand out belong to the object that they were
 * asked of, and last until the next call for such a text. */
#ifndef HALCYON_H
#define HALCYON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HALCYON_API __attribute__((visibility("default")))

/* -- errors -----------------------------------------------------------------------------------------------
 */

/* A status, which is also the exit code that suits it. */
enum {
  HALCYON_OK = 0,
  HALCYON_INTERNAL_ERROR = 1, /* the calling program's mistake, or a bug of Halcyon */
  HALCYON_INPUT_ERROR = 2,    /* an option, a file or data of the user */
  HALCYON_RUN_ERROR = 3       /* the system refused */
};

/* What the last call of this thread that failed has to say: what was given, what is allowed, the remedy. */
HALCYON_API const char* halcyon_error_message(void);
/* Ends the job with a status: this process writes the last error's text to stderr and exits at once, waiting
 * for nobody. Ranks other than 0 give rank 0 seconds to do so, that the text be there once. */
HALCYON_API void halcyon_stop(int32_t status);
/* "0.1.0" */
HALCYON_API const char* halcyon_version(void);

typedef enum { HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, HALCYON_FLOAT64 } halcyon_type;

/* Where numbers of a variable go: those of this rank's items, in its own order. */
typedef struct {
  const char* variable;
  halcyon_type type;
  void* data;
  int64_t count; /* of numbers */
} halcyon_target;

/* -- io: which ranks touch files --------------------------------------------------------------------------
 */

typedef struct halcyon_io_ranks halcyon_io_ranks;

typedef struct {
  const char* layout;    /* "auto", "direct", "groups", "box", "gather" */
  int32_t ranks;         /* of "box"; 0: as "auto" chooses */
  int32_t group_size;    /* of "groups" */
  int32_t most_ranks;    /* that may touch a file */
  int32_t most_requests; /* outstanding ones of a rank */
  int32_t background;    /* 1: a thread writes while the caller goes on; needs MPI_THREAD_MULTIPLE */
  int64_t piece;         /* [bytes] that such a rank takes at once */
  int64_t buffer;        /* [bytes] that wait to be written on such a rank, at most */
  const char* hints;     /* for PnetCDF and MPI-IO: "name=value;name=value", or "" */
} halcyon_io_options;

HALCYON_API void halcyon_io_options_default(halcyon_io_options* options);

/* Collective. comm: the Fortran handle of a communicator, MPI_Comm_c2f(...), of which a duplicate is used.
 * options: NULL for the defaults. bytes: that are written at once, after which "auto" chooses. */
HALCYON_API int halcyon_io_ranks_create(int32_t comm, const halcyon_io_options* options, int64_t bytes,
                                        halcyon_io_ranks** ranks);
/* "box: 2 of 16 ranks write" */
HALCYON_API int halcyon_io_ranks_description(const halcyon_io_ranks* ranks, const char** description);
HALCYON_API void halcyon_io_ranks_free(halcyon_io_ranks* ranks);

/* -- io: where the items of this rank lie in a file -------------------------------------------------------
 */

typedef struct halcyon_placement halcyon_placement;

/* Collective. ids: the global id of each of this rank's n_ids items, in any order; several ranks may hold the
 * same item, for reading. n_items: of all ranks together. */
HALCYON_API int halcyon_placement_create(const halcyon_io_ranks* ranks, int64_t n_ids, const int64_t* ids,
                                         int64_t n_items, halcyon_placement** placement);
/* 1 if every item belongs to exactly one rank, as writing needs; else 0. */
HALCYON_API int halcyon_placement_is_partition(const halcyon_placement* placement, int32_t* is_partition);
HALCYON_API void halcyon_placement_free(halcyon_placement* placement);

/* -- io: what a file holds --------------------------------------------------------------------------------
 */

typedef struct halcyon_schema halcyon_schema;

HALCYON_API int halcyon_schema_create(halcyon_schema** schema);
/* size: 0 for the dimension that grows, that of the records. */
HALCYON_API int halcyon_schema_dimension(halcyon_schema* schema, const char* name, int64_t size);
/* dimensions: names, the slowest first; the one that grows can only be the first. */
HALCYON_API int halcyon_schema_variable(halcyon_schema* schema, const char* name, halcyon_type type,
                                        int32_t n_dimensions, const char* const* dimensions);
/* Of a variable, or of the file where variable is "". */
HALCYON_API int halcyon_schema_attribute_text(halcyon_schema* schema, const char* variable, const char* name,
                                              const char* text);
HALCYON_API int halcyon_schema_attribute_number(halcyon_schema* schema, const char* variable,
                                                const char* name, double number, halcyon_type type);
/* Bytes of all values, with so many records. */
HALCYON_API int halcyon_schema_bytes(const halcyon_schema* schema, int64_t n_records, int64_t* bytes);
HALCYON_API void halcyon_schema_free(halcyon_schema* schema);

/* -- io: writing ------------------------------------------------------------------------------------------
 */

#define HALCYON_NO_RECORD (-1) /* the record of a variable that does not grow */

/* Numbers for a variable: of this rank's items, in its own order, each with the further dimensions. */
typedef struct {
  const char* variable;
  halcyon_type type; /* that of the variable */
  const void* data;
  int64_t count; /* of numbers */
} halcyon_values;

typedef struct halcyon_writer halcyon_writer;

/* Collective. Begins path.part, which becomes path when it is closed and whole. compression: 0 for a classic
 * file, 1 to 9 for netCDF-4. n_records: that are expected; their space is reserved. */
HALCYON_API int halcyon_writer_create(const halcyon_io_ranks* ranks, const char* path,
                                      const halcyon_schema* schema, int32_t compression, int64_t n_records,
                                      halcyon_writer** writer);
/* Collective. Continues path.part from a sync: progress is the line that halcyon_writer_sync gave. */
HALCYON_API int halcyon_writer_continue(const halcyon_io_ranks* ranks, const char* path,
                                        const halcyon_schema* schema, int32_t compression, int64_t n_records,
                                        const char* progress, halcyon_writer** writer);
/* Collective. Writes n variables on the same items in one go. */
HALCYON_API int halcyon_writer_write(halcyon_writer* writer, int64_t record,
                                     const halcyon_placement* placement, int32_t n,
                                     const halcyon_values* values);
/* Collective. Writes n whole variables, or records of them, from rank 0's numbers; others' are not read. */
HALCYON_API int halcyon_writer_write_root(halcyon_writer* writer, int64_t record, int32_t n,
                                          const halcyon_values* values);
/* Collective. Brings what was written to the disk. progress: a line of text from which the file can be
 * continued, for the model's own restart file; or NULL. */
HALCYON_API int halcyon_writer_sync(halcyon_writer* writer, const char** progress);
/* Collective. Checks that all is written, and gives the file its name; in the background, soon. */
HALCYON_API int halcyon_writer_close(halcyon_writer* writer);
/* Collective. Waits for what is still being written. */
HALCYON_API int halcyon_writer_wait(halcyon_writer* writer);
/* How long this rank waited for room in the background [s]. */
HALCYON_API int halcyon_writer_waited(const halcyon_writer* writer, double* waited_s);
/* One that was not closed leaves path.part behind. */
HALCYON_API void halcyon_writer_free(halcyon_writer* writer);

/* -- io: reading ------------------------------------------------------------------------------------------
 */

typedef struct halcyon_reader halcyon_reader;

/* Collective. Opens a classic netCDF file, and compares its header with its size and checksum. */
HALCYON_API int halcyon_reader_open(const halcyon_io_ranks* ranks, const char* path, halcyon_reader** reader);
HALCYON_API int halcyon_reader_n_records(const halcyon_reader* reader, int64_t* n_records);
/* The names of all variables, in the file's order. */
HALCYON_API int halcyon_reader_names(const halcyon_reader* reader, int32_t* n, const char* const** names);
/* Sizes of a variable's dimensions, the slowest first, without the one that grows. */
HALCYON_API int halcyon_reader_shape(halcyon_reader* reader, const char* variable, int32_t* n,
                                     const int64_t** sizes);
/* An attribute of text of a variable, or of the file where variable is "". */
HALCYON_API int halcyon_reader_text(halcyon_reader* reader, const char* variable, const char* name,
                                    const char** text);
/* Collective. Reads n variables on the same items in one go, converted to the types of the targets. */
HALCYON_API int halcyon_reader_read(halcyon_reader* reader, int64_t record,
                                    const halcyon_placement* placement, int32_t n,
                                    const halcyon_target* targets);
/* Collective. Reads n whole variables, or records of them, for all ranks. */
HALCYON_API int halcyon_reader_read_all(halcyon_reader* reader, int64_t record, int32_t n,
                                        const halcyon_target* targets);
/* Collective. */
HALCYON_API int halcyon_reader_close(halcyon_reader* reader);
HALCYON_API void halcyon_reader_free(halcyon_reader* reader);

/* What halcyon_verify found: of n_variables, n_checked have checksums. */
typedef struct {
  char format[16]; /* "CDF-2", "CDF-5" */
  int64_t bytes;
  int32_t n_variables, n_checked;
  int32_t header_checked; /* 1: the header has a checksum; 0: not */
} halcyon_verified;

/* Checks size, header and every checksum of a file. One rank alone may ask. */
HALCYON_API int halcyon_verify(const char* path, halcyon_verified* verified);

/* -- decomposition: what it needs to know of a mesh -------------------------------------------------------
 */

/* What a field lives on, and what ids count. */
typedef enum { HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX } halcyon_location;

/* Who is whose neighbour, and which edges and vertices cells share. Any mesh will do. The lists of cell i are
 * values[offsets[i]] to values[offsets[i + 1] - 1]; a negative value means none. */
typedef struct halcyon_topology halcyon_topology;

/* offsets: n_cells + 1. cells_on_cell: n_values neighbours, each of them the other's. They are copied. */
HALCYON_API int halcyon_topology_create(int32_t n_cells, const int32_t* offsets, int64_t n_values,
                                        const int32_t* cells_on_cell, halcyon_topology** topology);
/* Adds the edges or vertices on each cell, of n_shared in the whole mesh, for fields that live there. */
HALCYON_API int halcyon_topology_share(halcyon_topology* topology, halcyon_location location,
                                       int32_t n_shared, const int32_t* offsets, int64_t n_values,
                                       const int32_t* on_cell);
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
HALCYON_API int halcyon_slice_create(int64_t n_cells, int32_t n_block, const int32_t* offsets,
                                     int64_t n_values, const int64_t* cells_on_cell, halcyon_slice** slice);
/* As halcyon_topology_share. */
HALCYON_API int halcyon_slice_share(halcyon_slice* slice, halcyon_location location, int64_t n_shared,
                                    const int32_t* offsets, int64_t n_values, const int64_t* on_cell);
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
                                  const halcyon_partition_options* options, int32_t* owners);

/* -- decomposition: one rank's part of a mesh -------------------------------------------------------------
 */

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
                                               halcyon_location location, int64_t n, const int64_t* ids,
                                               int32_t* local);
/* The ranks that this one exchanges with, ascending. */
HALCYON_API int halcyon_decomposition_neighbours(const halcyon_decomposition* decomposition, int32_t* n,
                                                 const int32_t** ranks);
HALCYON_API void halcyon_decomposition_free(halcyon_decomposition* decomposition);

/* -- halo: fields that travel together --------------------------------------------------------------------
 */

/* A field of a group: so many numbers (levels) at each cell, edge or vertex. */
typedef struct {
  const char* variable;
  halcyon_location location;
  halcyon_type type;
  int32_t levels;
  int32_t layers; /* of the halo that it needs; 0: all that there are */
} halcyon_field;

/* The exchange of a group of fields, in one message to a neighbour: a plan, made once, started many times. */
typedef struct halcyon_halo halcyon_halo;

/* What the exchanges of a halo have cost and moved on this rank so far. */
typedef struct {
  double pack_s, transfer_s, wait_s, unpack_s;
  int64_t n_exchanges, n_sent, n_received; /* messages */
  int64_t sent_bytes, received_bytes;
} halcyon_statistics;

/* Collective. method: "auto", "isend_irecv", "shared", ...; NULL for "auto", which measures all. node_memory:
 * 1 if the fields will lie where halcyon_halo_allocate puts them, by which "auto" chooses; else 0. */
HALCYON_API int halcyon_halo_create(const halcyon_decomposition* decomposition, int32_t n_fields,
                                    const halcyon_field* fields, const char* method, int32_t node_memory,
                                    halcyon_halo** halo);
/* Collective. Memory for n fields of the group, zeros at first: variable and type are given, data and count
 * come back. By the method "shared" the ranks of a node read it, and nothing is packed; by others it is like
 * any. It lasts as long as the halo. */
HALCYON_API int halcyon_halo_allocate(halcyon_halo* halo, int32_t n, halcyon_target* arrays);
/* Starts an exchange, on all ranks: owned values leave, halo values arrive until halcyon_halo_wait. Meanwhile
 * owned values may be read but not written, and halo values not touched. arrays: in the order of the fields,
 * each of all local items with its levels, the fastest; what is wrong with them is said on this rank alone.
 */
HALCYON_API int halcyon_halo_start(halcyon_halo* halo, int32_t n, const halcyon_target* arrays);
/* For a computation to call between its pieces: gives MPI a turn to move what is under way, which else many
 * an MPI does only where it is waited for. */
HALCYON_API int halcyon_halo_progress(halcyon_halo* halo);
/* Returns when all halo values are there; at once where nothing was started. */
HALCYON_API int halcyon_halo_wait(halcyon_halo* halo);
/* Starts and waits. */
HALCYON_API int halcyon_halo_exchange(halcyon_halo* halo, int32_t n, const halcyon_target* arrays);
/* "isend_irecv", or "auto: shared (shared 43.0, neighbor 130.2, ... us, ...)" */
HALCYON_API int halcyon_halo_description(const halcyon_halo* halo, const char** description);
HALCYON_API int halcyon_halo_statistics(const halcyon_halo* halo, halcyon_statistics* statistics);
/* Waits for what was started. */
HALCYON_API void halcyon_halo_free(halcyon_halo* halo);

/* -- transform: Gaussian grids ----------------------------------------------------------------------------
 */

/* Rows of values from north to south, each eastward from longitude 0, evenly spaced. A field on a grid is
 * (point), row after row. */
typedef struct halcyon_grid halcyon_grid;

/* Of the rows of a grid, from north to south: how many values each has, its latitude, and the weight of Gauss
 * of integrals over the sine of latitude, whose sum is 2. */
typedef struct {
  int32_t n_rows;
  int64_t n_points;
  const int32_t* row_lengths;
  const double *sines, *cosines, *weights;
} halcyon_rows;

/* row_lengths: n_rows, alike north and south, never shrinking towards the equator. */
HALCYON_API int halcyon_grid_create(int32_t n_rows, const int32_t* row_lengths, halcyon_grid** grid);
/* All rows have the same length. */
HALCYON_API int halcyon_grid_full(int32_t n_rows, int32_t n_longitudes, halcyon_grid** grid);
/* Rows as short as they may be for a truncation, with points_per_wave = 2 (linear), 3 (quadratic) or more. */
HALCYON_API int halcyon_grid_reduced(int32_t n_rows, int32_t truncation, int32_t points_per_wave,
                                     halcyon_grid** grid);
/* 2 n rows, of 20, 24, 28 .. values from the poles on. */
HALCYON_API int halcyon_grid_octahedral(int32_t n, halcyon_grid** grid);
/* What it points to lasts as long as the grid. */
HALCYON_API int halcyon_grid_rows(const halcyon_grid* grid, halcyon_rows* rows);
HALCYON_API void halcyon_grid_free(halcyon_grid* grid);

/* -- transform: spherical harmonics -----------------------------------------------------------------------
 */

/* Between values on a Gaussian grid and coefficients of spherical harmonics X_nm of a triangular truncation
 * T: x(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} X_nm P_nm(mu) exp(i m lambda),  X_n,-m = conj(X_nm) with
 * mean squares of P_nm of 1, so that X_00 is the mean of x. Values are (field, point), coefficients (field,
 * coefficient, 2): m by m, n = m..T, real and imaginary part. The same bits on any ranks. */
typedef struct halcyon_transform halcyon_transform;

typedef struct {
  double radius;         /* [m] of the sphere; planes have none */
  int64_t memory;        /* [bytes] for functions of Legendre of single fields, which planes have not */
  int32_t group;         /* fields that go through the stages together, at most */
  int32_t v, w;          /* sets of ranks, whose product is their number; 0 and 0: 1 and all */
  int32_t groups;        /* into which fields are cut: while one is computed, others travel */
  int32_t ahead;         /* how many others */
  const char* method;    /* "isend_irecv", ... */
  const char* algorithm; /* "burst", "bruck", "ring-4", ... */
  const char* progress;  /* while ranks compute: "none", "poll", "thread" */
} halcyon_transform_options;

HALCYON_API void halcyon_transform_options_default(halcyon_transform_options* options);

/* How ranks exchange, and how long a round trip took [s]. */
typedef struct {
  int32_t groups;
  const char *method, *progress;
  double seconds;
} halcyon_tried;

/* Of one rank, which holds all; MPI need not run. options: NULL for the defaults; those from v on are not
 * read. The grid is copied. */
HALCYON_API int halcyon_transform_create(const halcyon_grid* grid, int32_t truncation,
                                         const halcyon_transform_options* options,
                                         halcyon_transform** transform);
/* Collective. Of all ranks of a communicator (its Fortran handle), of which a duplicate is used. All that is
 * done with such a transform is collective but for sizes, shares and statistics. */
HALCYON_API int halcyon_transform_create_shared(int32_t comm, const halcyon_grid* grid, int32_t truncation,
                                                const halcyon_transform_options* options,
                                                halcyon_transform** transform);

/* What this rank, v W + w, holds: the values of all fields at n_points points, of which points tells the
 * places among all of the grid; n_coefficients coefficients, of the wavenumbers m and degrees n, of its
 * fields. */
typedef struct {
  int32_t v, w;
  int64_t n_points, n_coefficients;
  const int64_t* points;
  const int32_t *wavenumbers, *degrees;
} halcyon_transform_held;

/* What it points to lasts as long as the transform. */
HALCYON_API int halcyon_transform_share(const halcyon_transform* transform, halcyon_transform_held* held);
/* Of n_fields fields this rank has the coefficients of n from first on: all where V is 1. */
HALCYON_API int halcyon_transform_fields(const halcyon_transform* transform, int32_t n_fields, int32_t* first,
                                         int32_t* n);

/* Counts are those of an array's numbers, complex ones counted once; the number of fields follows from that
 * of values. Coefficients are those of this rank's fields. What is wrong with arrays is said on the rank
 * where it is. */
HALCYON_API int halcyon_transform_synthesis(halcyon_transform* transform, int64_t n_coefficients,
                                            const double* coefficients, int64_t n_values, double* values);
HALCYON_API int halcyon_transform_analysis(halcyon_transform* transform, int64_t n_values,
                                           const double* values, int64_t n_coefficients,
                                           double* coefficients);
/* Eastward and northward wind [m s-1] of vorticity and divergence [s-1], whose means are taken as 0. */
HALCYON_API int halcyon_transform_winds(halcyon_transform* transform, int64_t n_vorticity,
                                        const double* vorticity, int64_t n_divergence,
                                        const double* divergence, int64_t n_u, double* u, int64_t n_v,
                                        double* v);
HALCYON_API int halcyon_transform_vorticity_divergence(halcyon_transform* transform, int64_t n_u,
                                                       const double* u, int64_t n_v, const double* v,
                                                       int64_t n_vorticity, double* vorticity,
                                                       int64_t n_divergence, double* divergence);
/* Derivatives eastward and northward [x m-1] of fields [x]. */
HALCYON_API int halcyon_transform_gradient(halcyon_transform* transform, int64_t n_coefficients,
                                           const double* coefficients, int64_t n_east, double* east,
                                           int64_t n_north, double* north);
/* -n (n + 1) / a^2 X_nm [x m-2] of fields [x]. It may go to where the coefficients are. These two talk to
 * nobody. */
HALCYON_API int halcyon_transform_laplacian(const halcyon_transform* transform, int64_t n_coefficients,
                                            const double* coefficients, int64_t n_laplacian,
                                            double* laplacian);
/* Of the field of mean 0 that has this Laplacian; the mean of this is taken as 0. */
HALCYON_API int halcyon_transform_inverse_laplacian(const halcyon_transform* transform, int64_t n_laplacian,
                                                    const double* laplacian, int64_t n_coefficients,
                                                    double* coefficients);
/* Collective. From now on the ranks that share a transform exchange as is fastest here for n_fields fields: 1
 * to 4 groups, some methods and all progress that MPI can have are tried by so many round trips each (5 are
 * enough). The slowest rank counts, of its times the best; all choose the same, and no bit depends on it.
 * found: what was chosen, or NULL. */
HALCYON_API int halcyon_transform_tune(halcyon_transform* transform, int32_t n_fields, int32_t repetitions,
                                       halcyon_tried* found);
/* What the exchanges have cost and moved on this rank so far. */
HALCYON_API int halcyon_transform_statistics(const halcyon_transform* transform,
                                             halcyon_statistics* statistics);
HALCYON_API void halcyon_transform_free(halcyon_transform* transform);

/* -- transform: waves on a plane --------------------------------------------------------------------------
 */

/* ny rows of nx values, evenly spaced, periodic along x and y. A field on it is (y, x). */
typedef struct {
  int32_t nx, ny;
  double length_x, length_y; /* [m] periods */
} halcyon_plane;

/* Between values on a plane and coefficients of waves X_mn of a truncation (M, N):
 *   x(x, y) = sum_m sum_n X_mn exp(2 pi i (m x / Lx + n y / Ly)),  X_-m,-n = conj(X_mn),
 * over |m| <= M, |n| <= N(m), so that X_00 is the mean of x. Values are (field, point), coefficients (field,
 * coefficient, 2): m by m from 0, n = -N(m)..N(m), real and imaginary part; of m = 0 both signs of n, each
 * the conjugate of the other. The same bits on any ranks. */
typedef struct halcyon_bifourier halcyon_bifourier;

/* Of one rank, which holds all; MPI need not run. The plane has 2 M + 1 by 2 N + 1 values or more.
 * last_m, last_n: M, N. shape: "ellipse" keeps (m / M)^2 + (n / N)^2 <= 1, "rectangle" all.
 * options: NULL for the defaults; of them radius, memory and those from v on are not read. */
HALCYON_API int halcyon_bifourier_create(const halcyon_plane* plane, int32_t last_m, int32_t last_n,
                                         const char* shape, const halcyon_transform_options* options,
                                         halcyon_bifourier** bifourier);
/* Collective. Of all ranks of a communicator (its Fortran handle), of which a duplicate is used. Synthesis,
 * analysis and free are collective, too. */
HALCYON_API int halcyon_bifourier_create_shared(int32_t comm, const halcyon_plane* plane, int32_t last_m,
                                                int32_t last_n, const char* shape,
                                                const halcyon_transform_options* options,
                                                halcyon_bifourier** bifourier);

/* What this rank, v W + w, holds of all fields, so that columns are whole: the values at n_points points, of
 * which points tells the places in the plane, y nx + x; n_coefficients coefficients, of the waves m, n. */
typedef struct {
  int32_t v, w;
  int64_t n_points, n_coefficients;
  const int64_t* points;
  const int32_t *m, *n;
} halcyon_bifourier_held;

/* What it points to lasts as long as the bifourier. */
HALCYON_API int halcyon_bifourier_share(const halcyon_bifourier* bifourier, halcyon_bifourier_held* held);

/* Counts as those of a transform on the sphere. */
HALCYON_API int halcyon_bifourier_synthesis(halcyon_bifourier* bifourier, int64_t n_coefficients,
                                            const double* coefficients, int64_t n_values, double* values);
HALCYON_API int halcyon_bifourier_analysis(halcyon_bifourier* bifourier, int64_t n_values,
                                           const double* values, int64_t n_coefficients,
                                           double* coefficients);
/* Coefficients of derivatives [x m-1] of fields [x]: i k X_mn and i l X_mn, k = 2 pi m / Lx, l = 2 pi n / Ly.
 * They may go to where the coefficients are. These four talk to nobody. */
HALCYON_API int halcyon_bifourier_x_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                               const double* coefficients, int64_t n_derivative,
                                               double* derivative);
HALCYON_API int halcyon_bifourier_y_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                               const double* coefficients, int64_t n_derivative,
                                               double* derivative);
/* -(k^2 + l^2) X_mn [x m-2] */
HALCYON_API int halcyon_bifourier_laplacian(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                            const double* coefficients, int64_t n_laplacian,
                                            double* laplacian);
/* Of the field of mean 0 that has this Laplacian; the mean of this is taken as 0. */
HALCYON_API int halcyon_bifourier_inverse_laplacian(const halcyon_bifourier* bifourier, int64_t n_laplacian,
                                                    const double* laplacian, int64_t n_coefficients,
                                                    double* coefficients);
/* Collective. As halcyon_transform_tune. */
HALCYON_API int halcyon_bifourier_tune(halcyon_bifourier* bifourier, int32_t n_fields, int32_t repetitions,
                                       halcyon_tried* found);
/* What the exchanges have cost and moved on this rank so far. */
HALCYON_API int halcyon_bifourier_statistics(const halcyon_bifourier* bifourier,
                                             halcyon_statistics* statistics);
HALCYON_API void halcyon_bifourier_free(halcyon_bifourier* bifourier);

#ifdef __cplusplus
}
#endif

#endif
