#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "halcyon/base/error.hpp"

namespace halcyon::capi {

/// Keeps the text of the exception that is being handled. @returns its status
int status_of_exception() noexcept;

/// Runs a call of the C ABI, which lets no exception through. @returns its status
template <class Call>
int guarded(const Call& call) noexcept {
  try {
    call();
    return 0;
  } catch (...) {
    return status_of_exception();
  }
}

/// What a pointer of the caller's points to. @throws InternalError if it is NULL
template <class T>
T& given(T* pointer, std::string_view name) {
  require<InternalError>(pointer != nullptr, "NULL is given for {}.", name);
  return *pointer;
}

inline std::string given_text(const char* text, std::string_view name) {
  return &given(text, name);
}

/// `n` things of the caller's; NULL may stand for none.
template <class T>
std::span<T> given_list(T* first, std::int64_t n, std::string_view name) {
  require<InternalError>(n >= 0, "The count of {} is {}, but must be at least 0.", name, n);
  if (n > 0) given(first, name);
  return {first, static_cast<std::size_t>(n)};
}

}  // namespace halcyon::capi
