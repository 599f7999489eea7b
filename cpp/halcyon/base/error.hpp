#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace halcyon {

/// Anything Halcyon reports. The text says what was given, what is allowed and how to mend it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user's mistake in an option or a case file.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// The user's mistake in a file or in data.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The run went wrong: it blew up, or a system call failed.
class RunError : public Error {
 public:
  using Error::Error;
};

/// Our bug.
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
