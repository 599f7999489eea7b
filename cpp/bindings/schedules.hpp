#pragma once

#include "core.hpp"

/// The schedules that are workloads: the second half of `bind_schedule`.
void bind_schedules(nb::module_& m);
