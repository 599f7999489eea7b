/* Of halcyon.h: grouped parallel reading and writing by global id. */
#ifndef HALCYON_IO_H
#define HALCYON_IO_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- which ranks touch files ----------------------------------------------------------------------------- */

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

/* -- where the items of this rank lie in a file ---------------------------------------------------------- */

typedef struct halcyon_placement halcyon_placement;

/* Collective. ids: the global id of each of this rank's n_ids items, in any order; several ranks may hold the
 * same item, for reading. n_items: of all ranks together. */
HALCYON_API int halcyon_placement_create(const halcyon_io_ranks* ranks, int64_t n_ids, const int64_t ids[],
                                         int64_t n_items, halcyon_placement** placement);
/* 1 if every item belongs to exactly one rank, as writing needs; else 0. */
HALCYON_API int halcyon_placement_is_partition(const halcyon_placement* placement, int32_t* is_partition);
HALCYON_API void halcyon_placement_free(halcyon_placement* placement);

/* -- what a file holds ----------------------------------------------------------------------------------- */

typedef struct halcyon_schema halcyon_schema;

HALCYON_API int halcyon_schema_create(halcyon_schema** schema);
/* size: 0 for the dimension that grows, that of the records. */
HALCYON_API int halcyon_schema_dimension(halcyon_schema* schema, const char* name, int64_t size);
/* dimensions: names, the slowest first; the one that grows can only be the first. */
HALCYON_API int halcyon_schema_variable(halcyon_schema* schema, const char* name, halcyon_type type,
                                        int32_t n_dimensions, const char* const dimensions[]);
/* Of a variable, or of the file where variable is "". */
HALCYON_API int halcyon_schema_attribute_text(halcyon_schema* schema, const char* variable, const char* name,
                                              const char* text);
HALCYON_API int halcyon_schema_attribute_number(halcyon_schema* schema, const char* variable,
                                                const char* name, double number, halcyon_type type);
/* Bytes of all values, with so many records. */
HALCYON_API int halcyon_schema_bytes(const halcyon_schema* schema, int64_t n_records, int64_t* bytes);
HALCYON_API void halcyon_schema_free(halcyon_schema* schema);

/* -- writing --------------------------------------------------------------------------------------------- */

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
                                     const halcyon_values values[]);
/* Collective. Writes n whole variables, or records of them, from rank 0's numbers; others' are not read. */
HALCYON_API int halcyon_writer_write_root(halcyon_writer* writer, int64_t record, int32_t n,
                                          const halcyon_values values[]);
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

/* -- reading --------------------------------------------------------------------------------------------- */

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
                                    const halcyon_target targets[]);
/* Collective. Reads n whole variables, or records of them, for all ranks. */
HALCYON_API int halcyon_reader_read_all(halcyon_reader* reader, int64_t record, int32_t n,
                                        const halcyon_target targets[]);
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

#ifdef __cplusplus
}
#endif

#endif
