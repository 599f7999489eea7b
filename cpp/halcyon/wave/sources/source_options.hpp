#pragma once

#include <string>
#include <vector>

#include "halcyon/wave/sources/kernels/limiter.hpp"
#include "halcyon/wave/sources/physics_options.hpp"

namespace halcyon::wave {

/// What all sets of source terms have: transfer, bottom, depth, limits.
struct SharedOptions {
  explicit SharedOptions(const Options& resolved);

  double lambda, transfer;
  float friction, breaking, breaker_index, depth_limit;
  bool linear_growth;
  Limiter limiter;
  bool exponential;     ///< growth over a step is exponential, not linear
  double longest_step;  ///< [s]
};

/// Where sets differ in what they share.
struct SharedDefaults {
  double transfer = 3e7, breaking = 0;
  bool linear_growth = true;
  std::string limiter = "hersbach_janssen", growth = "linear";
  double longest_step = 7200;
};

/// A set's table: its own options, then those that all share.
std::vector<Option> with_shared(std::vector<Option> own, const SharedDefaults& defaults = {});

/// A number's option, and the number that a case gave.
Option number_option(const char* name, double value, const char* units, const char* text, double minimum,
                     double maximum);
float number(const Options& options, const char* name);

}  // namespace halcyon::wave
