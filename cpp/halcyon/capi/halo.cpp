#include <algorithm>

#include "halcyon/capi/handles.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

Field field_of(const decomposition::Decomposition& part, const halcyon_field& field) {
  const auto variable = checked_text(field.variable, "a field's variable");
  const auto n_local = part.index_maps[index_of(field.location)].size();
  require<ConfigError>(field.levels >= 1, "The field {} has {} levels, but must have at least 1.", variable,
                       field.levels);
  require<ConfigError>(field.layers >= 0, "The field {} has {} halo layers. Give 1 or more, or 0 for all.",
                       variable, field.layers);
  return {variable, checked_type(field.type), field.levels, n_local};
}

/// Checks and converts the fields of a halo. @throws ConfigError if two fields have the same name
std::vector<Field> checked_group(const decomposition::Decomposition& part,
                                 std::span<const halcyon_field> fields) {
  require<ConfigError>(!fields.empty(), "A halo exchange needs at least 1 field, not 0.");
  std::vector<Field> group;
  for (const auto& field : fields) {
    auto converted = field_of(part, field);
    require<ConfigError>(std::ranges::find(group, converted.variable, &Field::variable) == group.end(),
                         "Two fields of a halo exchange are named {}.", converted.variable);
    group.push_back(std::move(converted));
  }
  return group;
}

std::vector<schedule::HaloField> schedule_fields(std::span<const halcyon_field> fields) {
  std::vector<schedule::HaloField> converted;
  for (const auto& [variable, location, type, levels, layers] : fields)
    converted.push_back({index_of(location), levels * bytes_of(type), layers});
  return converted;
}

const char* name_of(halcyon_type type) {
  constexpr const char* kNames[] = {"int32", "int64", "float32", "float64"};
  return kNames[checked_type(type)];
}

void require_type(const Field& field, halcyon_type type) {
  require<InternalError>(type == field.type, "{} has the type {}, but {} in the group of fields.",
                         field.variable, name_of(type), name_of(field.type));
}

/// The bytes of an array. @throws InternalError if its name, type or size differs from the field
std::span<std::byte> checked_bytes(const halcyon_target& array, const Field& field) {
  const char* variable = &checked(array.variable, "an array's variable");
  require<InternalError>(field.variable == variable,
                         "The array {} is given, but the next field of the halo is {}.", variable,
                         field.variable);
  require_type(field, array.type);
  require<InternalError>(array.count == field.count(),
                         "{} needs {} values, {} levels at each of {} local items, not {}.", variable,
                         field.count(), field.levels, field.n_local, array.count);
  return checked_span(static_cast<std::byte*>(array.data), array.count * bytes_of(array.type), variable);
}

void start(halcyon_halo& handle, std::span<const halcyon_target> arrays) {
  const auto& fields = handle.fields;
  require<InternalError>(arrays.size() == fields.size(), "{} arrays are given, but the halo has {} fields.",
                         arrays.size(), fields.size());
  require<InternalError>(!handle.pending, "An exchange of {} is pending. Wait for it before the next start.",
                         fields.front().variable);
  for (std::size_t i = 0; i < fields.size(); ++i) handle.arrays[i] = checked_bytes(arrays[i], fields[i]);
  handle.pending.emplace(handle.halo.start(handle.arrays));
}

void wait(halcyon_halo& handle) {
  if (handle.pending) handle.pending->wait();
  handle.pending.reset();
}

void allocate(halcyon_halo& handle, halcyon_target& array) {
  const auto variable = checked_text(array.variable, "an array's variable");
  const auto field = std::ranges::find(handle.fields, variable, &Field::variable);
  require<InternalError>(field != handle.fields.end(), "The halo has no field {}.", variable);
  require_type(*field, array.type);
  auto& memory = handle.memory.emplace_back(handle.halo.allocate(field - handle.fields.begin()));
  array.data = memory.bytes().data();
  array.count = field->count();
}

}  // namespace

int halcyon_halo_create(const halcyon_decomposition* decomposition, int32_t n_fields,
                        const halcyon_field* fields, const char* method, int32_t node_memory,
                        halcyon_halo** halo) {
  return guarded([&] {
    auto& out = checked(halo, "halo");
    const auto& [comm, part, neighbours] = checked(decomposition, "decomposition");
    const auto list = checked_span(fields, n_fields, "fields");
    std::vector<Field> group;
    auto exchange_method = comm::method_named("auto");
    comm.agree([&] {
      group = checked_group(part, list);
      if (method != nullptr) exchange_method = comm::method_named(method);
    });
    const auto placement =
        node_memory != 0 ? comm::BufferPlacement::node_memory : comm::BufferPlacement::anywhere;
    const std::vector<std::span<std::byte>> arrays(group.size());
    out = new halcyon_halo{halo::Halo(comm, part, schedule_fields(list), exchange_method, placement),
                           std::move(group), arrays};
  });
}

int halcyon_halo_allocate(halcyon_halo* halo, int32_t n, halcyon_target* arrays) {
  return guarded([&] {
    for (auto& array : checked_span(arrays, n, "arrays")) allocate(checked(halo, "halo"), array);
  });
}

int halcyon_halo_start(halcyon_halo* halo, int32_t n, const halcyon_target* arrays) {
  return guarded([&] { start(checked(halo, "halo"), checked_span(arrays, n, "arrays")); });
}

int halcyon_halo_wait(halcyon_halo* halo) {
  return guarded([&] { wait(checked(halo, "halo")); });
}

int halcyon_halo_exchange(halcyon_halo* halo, int32_t n, const halcyon_target* arrays) {
  return guarded([&] {
    start(checked(halo, "halo"), checked_span(arrays, n, "arrays"));
    wait(*halo);
  });
}
