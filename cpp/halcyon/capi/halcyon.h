/* The C interface of Halcyon, on which its Fortran module is based. Names are those of C++ and Python.
 *
 * Every function that can fail returns a status: HALCYON_OK, or the kind of error, whose text
 * halcyon_error_message() returns. No exception leaves the library. A function marked Collective is called by
 * all ranks of the communicator, in the same order; if it fails on one rank, it fails on all, with the same
 * status and text. Objects are opaque. Functions ..._free accept NULL. Objects may be freed in any order, if
 * it is the same on all ranks.
 *
 * Records and global ids count from 0. A returned text belongs to the object that was passed, and is valid
 * until the next call that returns a text of the same object. */
#ifndef HALCYON_H
#define HALCYON_H

#include "halcyon/base.h"
#include "halcyon/decomposition.h"
#include "halcyon/halo.h"
#include "halcyon/io.h"
#include "halcyon/krylov.h"
#include "halcyon/semi_lagrangian.h"
#include "halcyon/transform.h"

#endif
