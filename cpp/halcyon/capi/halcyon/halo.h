/* Part of halcyon.h: halo exchange of groups of fields. */
#ifndef HALCYON_HALO_H
#define HALCYON_HALO_H

#include "decomposition.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field of a group: `levels` values at each cell, edge or vertex. */
typedef struct {
  const char* variable;
  halcyon_location location;
  halcyon_type type;
  int32_t levels;
  int32_t layers; /* number of halo layers to exchange; 0: all */
} halcyon_field;

/* A plan that exchanges a group of fields in one message per neighbour: created once, started many times. */
typedef struct halcyon_halo halcyon_halo;

/* Collective. method: "auto", "isend_irecv", "shared", ...; NULL for "auto", which measures all. node_memory:
 * 1 if the fields are allocated by halcyon_halo_allocate, which "auto" takes into account; else 0. */
HALCYON_API int halcyon_halo_create(const halcyon_decomposition* decomposition, int32_t n_fields,
                                    const halcyon_field fields[], const char* method, int32_t node_memory,
                                    halcyon_halo** halo);
/* Collective. Allocates memory for n fields of the group, initialised with zeros: variable and type are
 * input, data and count output. With the method "shared" the memory is shared within the node, and values are
 * sent without packing. The memory is valid until the halo is freed. */
HALCYON_API int halcyon_halo_allocate(halcyon_halo* halo, int32_t n, halcyon_target arrays[]);
/* Starts an exchange on all ranks: owned values are sent, halo values are received until halcyon_halo_wait.
 * Until then owned values may be read but not written, and halo values may be neither read nor written.
 * arrays: one (local item, level) per field, in the order of the fields. Errors in arrays are returned on
 * this rank only. */
HALCYON_API int halcyon_halo_start(halcyon_halo* halo, int32_t n, const halcyon_target arrays[]);
/* Lets MPI make progress with the exchange in flight, to be called during a computation: many MPI libraries
 * move messages only inside MPI calls. */
HALCYON_API int halcyon_halo_progress(halcyon_halo* halo);
/* Returns when all halo values have arrived; immediately if no exchange was started. */
HALCYON_API int halcyon_halo_wait(halcyon_halo* halo);
/* Starts an exchange and waits for it. */
HALCYON_API int halcyon_halo_exchange(halcyon_halo* halo, int32_t n, const halcyon_target arrays[]);
/* Returns the method: "isend_irecv", or "auto: shared (shared 43.0, neighbor 130.2, ... us, ...)" */
HALCYON_API int halcyon_halo_description(const halcyon_halo* halo, const char** description);
HALCYON_API int halcyon_halo_statistics(const halcyon_halo* halo, halcyon_statistics* statistics);
/* Waits for an exchange in flight. */
HALCYON_API void halcyon_halo_free(halcyon_halo* halo);

#ifdef __cplusplus
}
#endif

#endif
