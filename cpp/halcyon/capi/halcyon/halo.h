/* Of halcyon.h: halos of fields that travel together. */
#ifndef HALCYON_HALO_H
#define HALCYON_HALO_H

#include "decomposition.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Collective. method: "auto", "isend_irecv", "shared", ...; NULL for "auto", which measures all. node_memory:
 * 1 if the fields will lie where halcyon_halo_allocate puts them, by which "auto" chooses; else 0. */
HALCYON_API int halcyon_halo_create(const halcyon_decomposition* decomposition, int32_t n_fields,
                                    const halcyon_field fields[], const char* method, int32_t node_memory,
                                    halcyon_halo** halo);
/* Collective. Memory for n fields of the group, zeros at first: variable and type are given, data and count
 * come back. By the method "shared" the ranks of a node read it, and nothing is packed; by others it is like
 * any. It lasts as long as the halo. */
HALCYON_API int halcyon_halo_allocate(halcyon_halo* halo, int32_t n, halcyon_target arrays[]);
/* Starts an exchange, on all ranks: owned values leave, halo values arrive until halcyon_halo_wait. Meanwhile
 * owned values may be read but not written, and halo values not touched. arrays: in the order of the fields,
 * each of all local items with its levels, the fastest; what is wrong with them is said on this rank alone.
 */
HALCYON_API int halcyon_halo_start(halcyon_halo* halo, int32_t n, const halcyon_target arrays[]);
/* For a computation to call between its pieces: gives MPI a turn to move what is under way, which else many
 * an MPI does only where it is waited for. */
HALCYON_API int halcyon_halo_progress(halcyon_halo* halo);
/* Returns when all halo values are there; at once where nothing was started. */
HALCYON_API int halcyon_halo_wait(halcyon_halo* halo);
/* Starts and waits. */
HALCYON_API int halcyon_halo_exchange(halcyon_halo* halo, int32_t n, const halcyon_target arrays[]);
/* "isend_irecv", or "auto: shared (shared 43.0, neighbor 130.2, ... us, ...)" */
HALCYON_API int halcyon_halo_description(const halcyon_halo* halo, const char** description);
HALCYON_API int halcyon_halo_statistics(const halcyon_halo* halo, halcyon_statistics* statistics);
/* Waits for what was started. */
HALCYON_API void halcyon_halo_free(halcyon_halo* halo);

#ifdef __cplusplus
}
#endif

#endif
