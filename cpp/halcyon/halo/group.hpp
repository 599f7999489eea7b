#pragma once

#include <span>
#include <vector>

#include "halcyon/halo/halo.hpp"

namespace halcyon::halo {

/// Memory for the fields of a group, all of one kind of number, each (local item, ...), in the order of the
/// halo's fields.
template <class Real>
class Group {
 public:
  /// Collective.
  explicit Group(const Halo& halo) {
    for (std::size_t i = 0; i < halo.n_fields(); ++i) memory_.push_back(halo.allocate(i));
    for (const auto& each : memory_) fields_.push_back(each.bytes());
  }

  std::span<Real> operator[](std::size_t field) const {
    const auto bytes = fields_[field];
    return {reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real)};
  }
  /// What an exchange takes.
  std::span<const std::span<std::byte>> fields() const { return fields_; }

 private:
  std::vector<FieldMemory> memory_;
  std::vector<std::span<std::byte>> fields_;
};

}  // namespace halcyon::halo
