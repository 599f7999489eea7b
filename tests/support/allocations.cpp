// Replaces operator new and delete, to count allocations and allocated bytes.

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "test.hpp"

namespace {

std::atomic<std::int64_t> n_allocations = 0, n_bytes = 0;

void* counted(void* memory) {
  ++n_allocations;
  if (memory) n_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* memory = counted(std::malloc(bytes))) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(std::malloc(bytes));
}

void operator delete(void* memory) noexcept {
  if (memory) n_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace halcyon::test {

Allocations allocations() {
  return {.count = n_allocations, .present_bytes = n_bytes};
}

}  // namespace halcyon::test
