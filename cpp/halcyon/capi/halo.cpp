#include <algorithm>

#include "halcyon/capi/handles.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

Field field_of(const decomposition::Decomposition& part, const halcyon_field& field) {
  const auto variable = given_text(field.variable, "a field's variable");
  const auto n_local = part.index_maps[kind_of(field.location)].size();
  require<ConfigError>(field.levels >= 1, "The field {} has {} levels, but must have at least 1.", variable,
                       field.levels);
  require<ConfigError>(field.layers >= 0, "The field {} needs {} halo layers, but must need 0 (all) or more.",
                       variable, field.layers);
  return {variable, given_type(field.type), field.levels, n_local};
}

/// The group of a halo, found to be one. @throws ConfigError where two fields have one name
std::vector<Field> group_of(const decomposition::Decomposition& part, std::span<const halcyon_field> fields) {
  require<ConfigError>(!fields.empty(), "A halo exchange needs at least 1 field, not 0.");
  std::vector<Field> group;
  for (const auto& field : fields) {
    auto ours = field_of(part, field);
    require<ConfigError>(std::ranges::find(group, ours.variable, &Field::variable) == group.end(),
                         "Two fields of a halo exchange are named {}.", ours.variable);
    group.push_back(std::move(ours));
  }
  return group;
}

std::vector<schedule::HaloField> schedule_fields(std::span<const halcyon_field> fields) {
  std::vector<schedule::HaloField> found;
  for (const auto& [variable, location, type, levels, layers] : fields)
    found.push_back({kind_of(location), levels * bytes_of(type), layers});
  return found;
}

const char* name_of(halcyon_type type) {
  constexpr const char* kNames[] = {"int32", "int64", "float32", "float64"};
  return kNames[given_type(type)];
}

void require_type(const Field& field, halcyon_type type) {
  require<InternalError>(type == field.type, "{} is of {}, but of {} in the group of the halo.",
                         field.variable, name_of(type), name_of(field.type));
}

/// @throws InternalError unless an array of the caller's is that of a field
std::span<std::byte> span_of(const halcyon_target& array, const Field& field) {
  const char* variable = &given(array.variable, "an array's variable");
  require<InternalError>(field.variable == variable, "{} is given where the group of the halo has {}.",
                         variable, field.variable);
  require_type(field, array.type);
  require<InternalError>(array.count == field.count(),
                         "{} needs {} numbers, {} levels at each of {} local items, not {}.", variable,
                         field.count(), field.levels, field.n_local, array.count);
  return given_list(static_cast<std::byte*>(array.data), array.count * bytes_of(array.type), variable);
}

void start(halcyon_halo& handle, std::span<const halcyon_target> arrays) {
  const auto& fields = handle.fields;
  require<InternalError>(arrays.size() == fields.size(),
                         "{} arrays are given, but the group of the halo has {} fields.", arrays.size(),
                         fields.size());
  require<InternalError>(!handle.pending,
                         "An exchange of {} is under way. Wait for it before the next start.",
                         fields.front().variable);
  for (std::size_t i = 0; i < fields.size(); ++i) handle.arrays[i] = span_of(arrays[i], fields[i]);
  handle.pending.emplace(handle.halo.start(handle.arrays));
}

void wait(halcyon_halo& handle) {
  if (handle.pending) handle.pending->wait();
  handle.pending.reset();
}

void allocate(halcyon_halo& handle, halcyon_target& array) {
  const auto variable = given_text(array.variable, "an array's variable");
  const auto field = std::ranges::find(handle.fields, variable, &Field::variable);
  require<InternalError>(field != handle.fields.end(), "The group of the halo has no field {}.", variable);
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
    auto& into = given(halo, "halo");
    const auto& [comm, part, neighbours] = given(decomposition, "decomposition");
    const auto list = given_list(fields, n_fields, "fields");
    std::vector<Field> group;
    auto way = comm::method_named("auto");
    comm.agree([&] {
      group = group_of(part, list);
      if (method != nullptr) way = comm::method_named(method);
    });
    const auto placement = node_memory != 0 ? comm::BufferPlacement::node_memory : comm::BufferPlacement::anywhere;
    const std::vector<std::span<std::byte>> arrays(group.size());
    into = new halcyon_halo{halo::Halo(comm, part, schedule_fields(list), way, placement), std::move(group),
                            arrays};
  });
}

int halcyon_halo_allocate(halcyon_halo* halo, int32_t n, halcyon_target* arrays) {
  return guarded([&] {
    for (auto& array : given_list(arrays, n, "arrays")) allocate(given(halo, "halo"), array);
  });
}

int halcyon_halo_start(halcyon_halo* halo, int32_t n, const halcyon_target* arrays) {
  return guarded([&] { start(given(halo, "halo"), given_list(arrays, n, "arrays")); });
}

int halcyon_halo_wait(halcyon_halo* halo) {
  return guarded([&] { wait(given(halo, "halo")); });
}

int halcyon_halo_exchange(halcyon_halo* halo, int32_t n, const halcyon_target* arrays) {
  return guarded([&] {
    start(given(halo, "halo"), given_list(arrays, n, "arrays"));
    wait(*halo);
  });
}
