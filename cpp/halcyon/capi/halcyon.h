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

#include "halcyon/base.h"
#include "halcyon/decomposition.h"
#include "halcyon/halo.h"
#include "halcyon/io.h"
#include "halcyon/transform.h"

#endif
