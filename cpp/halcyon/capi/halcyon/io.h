/* Part of halcyon.h: files that all ranks write or read together, each the items with its global ids. */
#ifndef HALCYON_IO_H
#define HALCYON_IO_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- I/O ranks ------------------------------------------------------------------------------------------- */

typedef struct halcyon_io_ranks halcyon_io_ranks;

typedef struct {
  const char* layout;    /* "auto", "direct", "groups", "box", "gather" */
  int32_t ranks;         /* number of I/O ranks of "box"; 0: chosen as by "auto" */
  int32_t group_size;    /* ranks per group of "groups" */
  int32_t most_ranks;    /* maximum number of I/O ranks */
  int32_t most_requests; /* maximum number of outstanding requests per rank */
  int32_t background;    /* 1: a thread writes in the background; needs MPI_THREAD_MULTIPLE */
  int64_t piece;         /* maximum [bytes] that an I/O rank handles at once */
  int64_t buffer;        /* maximum [bytes] queued for writing on an I/O rank */
  const char* hints;     /* for PnetCDF and MPI-IO: "name=value;name=value", or "" */
} halcyon_io_options;

HALCYON_API void halcyon_io_options_default(halcyon_io_options* options);

/* Collective. comm: the Fortran handle of a communicator, MPI_Comm_c2f(...); a duplicate is used.
 * options: NULL for the defaults. bytes: size of one write, from which "auto" chooses. */
HALCYON_API int halcyon_io_ranks_create(int32_t comm, const halcyon_io_options* options, int64_t bytes,
                                        halcyon_io_ranks** ranks);
/* Returns, for example, "box: 2 of 16 ranks write". */
HALCYON_API int halcyon_io_ranks_description(const halcyon_io_ranks* ranks, const char** description);
HALCYON_API void halcyon_io_ranks_free(halcyon_io_ranks* ranks);

/* -- positions of local items in a file ------------------------------------------------------------------ */

typedef struct halcyon_placement halcyon_placement;

/* Collective. ids: global ids of this rank's n_ids items, in any order; for reading, several ranks may have
 * the same item. n_items: number of items of all ranks together. */
HALCYON_API int halcyon_placement_create(const halcyon_io_ranks* ranks, int64_t n_ids, const int64_t ids[],
                                         int64_t n_items, halcyon_placement** placement);
/* is_partition: 1 if every item belongs to exactly one rank, as required for writing; else 0. */
HALCYON_API int halcyon_placement_is_partition(const halcyon_placement* placement, int32_t* is_partition);
HALCYON_API void halcyon_placement_free(halcyon_placement* placement);

/* -- dimensions, variables and attributes of a file ------------------------------------------------------ */

typedef struct halcyon_schema halcyon_schema;

HALCYON_API int halcyon_schema_create(halcyon_schema** schema);
/* size: 0 for the record dimension. */
HALCYON_API int halcyon_schema_dimension(halcyon_schema* schema, const char* name, int64_t size);
/* dimensions: names, the slowest first; the record dimension can only be the first. */
HALCYON_API int halcyon_schema_variable(halcyon_schema* schema, const char* name, halcyon_type type,
                                        int32_t n_dimensions, const char* const dimensions[]);
/* Sets an attribute of a variable, or of the file if variable is "". */
HALCYON_API int halcyon_schema_attribute_text(halcyon_schema* schema, const char* variable, const char* name,
                                              const char* text);
HALCYON_API int halcyon_schema_attribute_number(halcyon_schema* schema, const char* variable,
                                                const char* name, double number, halcyon_type type);
/* As halcyon_schema_attribute_number; exact also above 2^53. */
HALCYON_API int halcyon_schema_attribute_integer(halcyon_schema* schema, const char* variable,
                                                 const char* name, int64_t number, halcyon_type type);
/* Returns the size of all values for n_records records. */
HALCYON_API int halcyon_schema_bytes(const halcyon_schema* schema, int64_t n_records, int64_t* bytes);
HALCYON_API void halcyon_schema_free(halcyon_schema* schema);

/* -- writing --------------------------------------------------------------------------------------------- */

#define HALCYON_NO_RECORD (-1) /* the record of a variable without a record dimension */

/* Values of a variable for this rank's items, in this rank's order; each item has all further dimensions. */
typedef struct {
  const char* variable;
  halcyon_type type; /* type of the variable */
  const void* data;
  int64_t count; /* number of values */
} halcyon_values;

typedef struct halcyon_writer halcyon_writer;

/* Collective. Creates path.part, which is renamed to path when it is closed and complete. compression: 0 for
 * a classic file, 1 to 9 for netCDF-4. n_records: expected number of records, whose space is reserved. */
HALCYON_API int halcyon_writer_create(const halcyon_io_ranks* ranks, const char* path,
                                      const halcyon_schema* schema, int32_t compression, int64_t n_records,
                                      halcyon_writer** writer);
/* Collective. Continues path.part after a sync: progress is the line returned by halcyon_writer_sync. */
HALCYON_API int halcyon_writer_continue(const halcyon_io_ranks* ranks, const char* path,
                                        const halcyon_schema* schema, int32_t compression, int64_t n_records,
                                        const char* progress, halcyon_writer** writer);
/* Collective. Writes n variables on the same items together. */
HALCYON_API int halcyon_writer_write(halcyon_writer* writer, int64_t record,
                                     const halcyon_placement* placement, int32_t n,
                                     const halcyon_values values[]);
/* Collective. Writes n complete variables, or one record of each variable, from the values on rank 0. */
HALCYON_API int halcyon_writer_write_root(halcyon_writer* writer, int64_t record, int32_t n,
                                          const halcyon_values values[]);
/* Collective. Flushes the file to disk. progress: receives a line of text from which the file can be
 * continued, to be stored in the restart file of the model; or NULL. */
HALCYON_API int halcyon_writer_sync(halcyon_writer* writer, const char** progress);
/* Collective. Checks that everything was written and renames the file; with background, asynchronously. */
HALCYON_API int halcyon_writer_close(halcyon_writer* writer);
/* Collective. Waits until background writing is complete. */
HALCYON_API int halcyon_writer_wait(halcyon_writer* writer);
/* Returns the time for which this rank waited for space in the buffer [s]. */
HALCYON_API int halcyon_writer_waited(const halcyon_writer* writer, double* waited_s);
/* If the writer was not closed, path.part remains. */
HALCYON_API void halcyon_writer_free(halcyon_writer* writer);

/* -- reading --------------------------------------------------------------------------------------------- */

typedef struct halcyon_reader halcyon_reader;

/* Collective. Opens a classic netCDF file and checks its header against its size and checksum. */
HALCYON_API int halcyon_reader_open(const halcyon_io_ranks* ranks, const char* path, halcyon_reader** reader);
HALCYON_API int halcyon_reader_n_records(const halcyon_reader* reader, int64_t* n_records);
/* Returns the names of all variables, in the file's order. */
HALCYON_API int halcyon_reader_names(const halcyon_reader* reader, int32_t* n, const char* const** names);
/* Returns the sizes of the dimensions of a variable, the slowest first, without the record dimension. */
HALCYON_API int halcyon_reader_shape(halcyon_reader* reader, const char* variable, int32_t* n,
                                     const int64_t** sizes);
/* Returns a text attribute of a variable, or of the file if variable is "". */
HALCYON_API int halcyon_reader_text(halcyon_reader* reader, const char* variable, const char* name,
                                    const char** text);
/* Collective. Reads n variables on the same items together, and converts them to the types of the targets. */
HALCYON_API int halcyon_reader_read(halcyon_reader* reader, int64_t record,
                                    const halcyon_placement* placement, int32_t n,
                                    const halcyon_target targets[]);
/* Collective. Reads n complete variables, or one record of each variable, on all ranks. */
HALCYON_API int halcyon_reader_read_all(halcyon_reader* reader, int64_t record, int32_t n,
                                        const halcyon_target targets[]);
/* Collective. */
HALCYON_API int halcyon_reader_close(halcyon_reader* reader);
HALCYON_API void halcyon_reader_free(halcyon_reader* reader);

/* Result of halcyon_verify: n_checked of the n_variables variables have checksums, which were checked. */
typedef struct {
  char format[16]; /* "CDF-2", "CDF-5" */
  int64_t bytes;
  int32_t n_variables, n_checked;
  int32_t header_checked; /* 1: the header has a checksum; 0: it has none */
} halcyon_verified;

/* Checks size, header and every checksum of a file. Not collective. */
HALCYON_API int halcyon_verify(const char* path, halcyon_verified* verified);

#ifdef __cplusplus
}
#endif

#endif
