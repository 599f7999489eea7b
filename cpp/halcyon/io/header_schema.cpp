#include "halcyon/io/header_schema.hpp"

#include <bit>
#include <cstdint>

namespace halcyon::io {
namespace {

constexpr int kChar = 2, kFloat = 5, kDouble = 6;

Type type_of_external(int type) {
  if (type == kFloat) return Type::float32;
  if (type == kDouble) return Type::float64;
  return mesh::classic_type_bytes(type) == 8 ? Type::int64 : Type::int32;
}

double number_at(const std::string& bytes, const mesh::ClassicAttribute& attribute) {
  const auto n = mesh::classic_type_bytes(attribute.type);
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < n; ++i)
    bits = bits << 8 | static_cast<std::uint8_t>(bytes[attribute.offset + i]);
  if (attribute.type == kFloat) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (attribute.type == kDouble) return std::bit_cast<double>(bits);
  const auto unused = 64 - 8 * static_cast<int>(n);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::vector<Attribute> attributes_of(const std::vector<mesh::ClassicAttribute>& given,
                                     const std::string& bytes) {
  std::vector<Attribute> found;
  for (const auto& each : given) {
    if (each.type == kChar)
      found.push_back({each.name, bytes.substr(each.offset, each.count), Type::int32});
    else if (each.count == 1)
      found.push_back({each.name, number_at(bytes, each), type_of_external(each.type)});
  }
  return found;
}

}  // namespace

Schema schema_of(const mesh::ClassicHeader& header, const std::string& bytes) {
  Schema found;
  for (const auto& dimension : header.dimensions)
    found.add_dimension(dimension.name, static_cast<GlobalIndex>(dimension.size));
  for (const auto& variable : header.variables) {
    if (variable.type == kChar) continue;
    found.variables.push_back({variable.name,
                               type_of_external(variable.type),
                               {variable.dimensions.begin(), variable.dimensions.end()},
                               attributes_of(variable.attributes, bytes)});
  }
  found.attributes = attributes_of(header.attributes, bytes);
  return found;
}

}  // namespace halcyon::io
