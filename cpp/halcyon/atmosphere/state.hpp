#pragma once

#include <array>
#include <span>

#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// The fields that a core advances and that travel together, each (local item, level).
template <class Real>
class State {
 public:
  /// Collective. Of a halo for the thickness in cells and the wind on edges.
  explicit State(const halo::Halo& halo) : thickness_(halo.allocate(0)), wind_(halo.allocate(1)) {}

  std::span<Real> thickness() const { return numbers(thickness_); }  ///< h [m] (cell, level)
  std::span<Real> wind() const { return numbers(wind_); }            ///< u [m s-1] (edge, level)
  /// What an exchange takes.
  std::array<std::span<std::byte>, 2> fields() const { return {thickness_.bytes(), wind_.bytes()}; }

 private:
  static std::span<Real> numbers(const halo::FieldMemory& memory) {
    const auto bytes = memory.bytes();
    return {reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real)};
  }

  halo::FieldMemory thickness_, wind_;
};

}  // namespace halcyon::atmosphere
