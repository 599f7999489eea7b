#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace halcyon {

/// Base of all errors that Halcyon reports. The text states what was given, what is allowed and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mistake of the user in an option or a case file.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A mistake of the user in an input file or in data.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A run failed: it became unstable, or a system call failed.
class RunError : public Error {
 public:
  using Error::Error;
};

/// A bug in Halcyon.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// Throws `E` with a formatted text unless `condition` holds.
template <class E, class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw E(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace halcyon
