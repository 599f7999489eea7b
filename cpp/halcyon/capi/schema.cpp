#include "halcyon/capi/handles.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

io::Schema& schema_of(halcyon_schema* handle) {
  return given(handle, "schema").schema;
}

void add_attribute(halcyon_schema* schema, const char* variable, io::Attribute attribute) {
  schema_of(schema).add_attribute(given_text(variable, "variable"), std::move(attribute));
}

}  // namespace

int halcyon_schema_create(halcyon_schema** schema) {
  return guarded([&] { given(schema, "schema") = new halcyon_schema; });
}

int halcyon_schema_dimension(halcyon_schema* schema, const char* name, int64_t size) {
  return guarded([&] {
    require<InternalError>(size >= 0, "The dimension {} has the size {}, but must have at least 0.",
                           given_text(name, "name"), size);
    schema_of(schema).add_dimension(given_text(name, "name"), size);
  });
}

int halcyon_schema_variable(halcyon_schema* schema, const char* name, halcyon_type type, int32_t n_dimensions,
                            const char* const* dimensions) {
  return guarded([&] {
    std::vector<std::string> names;
    for (const char* each : given_list(dimensions, n_dimensions, "dimensions"))
      names.push_back(given_text(each, "a dimension's name"));
    schema_of(schema).add_variable(given_text(name, "name"), type_of(type), names);
  });
}

int halcyon_schema_attribute_text(halcyon_schema* schema, const char* variable, const char* name,
                                  const char* text) {
  return guarded([&] {
    add_attribute(schema, variable, {given_text(name, "name"), given_text(text, "text"), io::Type::int32});
  });
}

int halcyon_schema_attribute_number(halcyon_schema* schema, const char* variable, const char* name,
                                    double number, halcyon_type type) {
  return guarded([&] { add_attribute(schema, variable, {given_text(name, "name"), number, type_of(type)}); });
}

int halcyon_schema_bytes(const halcyon_schema* schema, int64_t n_records, int64_t* bytes) {
  return guarded([&] { given(bytes, "bytes") = given(schema, "schema").schema.bytes(n_records); });
}

void halcyon_schema_free(halcyon_schema* schema) {
  delete schema;
}
