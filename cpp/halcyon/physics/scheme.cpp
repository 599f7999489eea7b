#include "halcyon/physics/scheme.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "halcyon/base/error.hpp"
#include "halcyon/base/lanes.hpp"

namespace halcyon::physics {

ColumnScheme held_suarez(), kessler(), reed_jablonowski();

namespace {

constexpr const char* kNoun = "physics scheme";  // what error messages call an entry

const std::vector<SpectrumScheme>& built_in_schemes(const halcyon_spectra*) {
  static const std::vector<SpectrumScheme> none;
  return none;
}
const std::vector<ColumnScheme>& built_in_schemes(const halcyon_columns*) {
  return column_schemes();
}
/// @throws ConfigError if a name is that of a built-in scheme of columns, but spectra are given
void check_kind(const std::string& name, const halcyon_spectra*) {
  for (const auto& scheme : column_schemes())
    require<ConfigError>(scheme.name() != name,
                         "The physics scheme '{}' is one of columns of air, not a source term of waves.",
                         name);
}
void check_kind(const std::string&, const halcyon_columns*) {}

template <class Block>
void add_option(void* scheme, const char* name, double value, const char* unit, const char* text,
                double minimum, double maximum) {
  static_cast<Scheme<Block>*>(scheme)->declaration.options.push_back(
      {.name = name, .value = value, .text = text, .unit = unit, .minimum = minimum, .maximum = maximum});
}

template <class Block>
void add_field(void* scheme, const char* name, int has_levels, const char* units, const char* long_name) {
  static_cast<Scheme<Block>*>(scheme)->fields.push_back(
      {.name = name, .has_levels = has_levels != 0, .units = units, .long_name = long_name});
}

/// The value of an option as schemes see it: of a text, its place in the list of allowed texts.
double option_number(const options::Option& option, const options::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return static_cast<double>(std::ranges::find(option.names, *text) - option.names.begin());
  const auto* flag = std::get_if<bool>(&value);
  return flag != nullptr ? static_cast<double>(*flag) : std::get<double>(value);
}

/// The number of bytes of the UTF-8 character at the start of a text (RFC 3629, section 4); 0: none.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_invalid = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                          (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_invalid ? 0 : size;
}

}  // namespace

Uses& Uses::operator|=(const Uses& other) {
  winds |= other.winds, layers |= other.layers;
  heating |= other.heating, wind_tendency |= other.wind_tendency;
  drag |= other.drag, tracers |= other.tracers;
  return *this;
}

template <class Block>
void Scheme<Block>::set(const options::Values& given, double step_s) {
  const auto values = options::resolve(kNoun, declaration, given);
  options.clear();
  for (const auto& option : declaration.options)
    options.push_back(option_number(option, values.at(option.name)));
  step = step_s;
}

const std::vector<ColumnScheme>& column_schemes() {
  static const std::vector<ColumnScheme> all = {held_suarez(), kessler(), reed_jablonowski()};
  return all;
}

// Other traits: "condenses": it condenses vapour, unless its option `condensation` is false; "needs NAME": it
// needs the tracer of this name.
std::vector<options::RegistryEntry> column_scheme_choices() {
  std::vector<options::RegistryEntry> choices;
  for (const auto& scheme : column_schemes()) {
    auto& choice = choices.emplace_back(scheme.declaration);
    for (const auto& tracer : scheme.tracers) choice.traits.push_back("needs " + tracer);
  }
  return choices;
}

template <class Block>
Scheme<Block> built_in(const std::string& name) {
  check_kind(name, static_cast<const Block*>(nullptr));
  std::vector<std::string> known;
  for (const auto& scheme : built_in_schemes(static_cast<const Block*>(nullptr))) {
    if (scheme.name() == name) return scheme;
    known.push_back(scheme.name());
  }
  known.insert(known.end(), {"LIBRARY.so:FUNCTION", "FILE.py:FUNCTION", "MODULE:FUNCTION"});
  options::throw_unknown(kNoun, name, known);
}

template <class Block>
Scheme<Block> from_library(const std::string& path, const std::string& function) {
  const std::shared_ptr<void> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) dlclose(handle);
  });
  if (library == nullptr) {
    const char* reason = dlerror();
    throw ConfigError(fmt::format("The library of the physics scheme '{}' cannot be loaded: {}.", function,
                                  reason == nullptr ? path : reason));
  }
  const auto* version = static_cast<const std::int32_t*>(dlsym(library.get(), "halcyon_physics_version"));
  require<ConfigError>(
      version != nullptr && *version == HALCYON_PHYSICS_VERSION,
      "{} was compiled {}. Compile the physics scheme '{}' with the halcyon_physics.h or "
      "halcyon_physics.f90 of this Halcyon (`python -m halcyon.physics` prints their folder).",
      path,
      version == nullptr ? "without halcyon_physics.h"
                         : fmt::format("for version {} of the interface", *version),
      function);
  Scheme<Block> scheme;
  scheme.declaration.name = function;
  scheme.owner = library;
  scheme.function =
      reinterpret_cast<typename Scheme<Block>::Function*>(dlsym(library.get(), function.c_str()));
  require<ConfigError>(scheme.function != nullptr,
                       "{} has no function '{}'. Give the name of a function that it exports; in Fortran, "
                       "bind(C, name='{}').",
                       path, function, function);
  const auto declare =
      reinterpret_cast<halcyon_declare*>(dlsym(library.get(), (function + "_declare").c_str()));
  if (declare != nullptr) {
    const halcyon_declarations declarations = {&scheme, add_option<Block>, add_field<Block>};
    declare(&declarations);
    check_options(scheme.declaration);
  }
  return scheme;
}

void check_options(const options::RegistryEntry& declaration) {
  for (const auto& option : declaration.options)
    require<ConfigError>(option.name != "step" && option.name != "scheme",
                         "The physics scheme '{}' declares the option '{}', which is an option of all "
                         "schemes. Give it another name.",
                         declaration.name, option.name);
}

std::string error_text(const char* message, int status) {
  const std::string_view all(message, strnlen(message, HALCYON_MESSAGE_SIZE - 1));
  if (all.empty()) return fmt::format("it returned the status {}", status);
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t size = character_size(all.substr(i));
    if (size == 0 && all.size() == HALCYON_MESSAGE_SIZE - 1 && i + 3 >= all.size()) break;
    text += size == 0 ? "\xEF\xBF\xBD" : all.substr(i, size);
    i += std::max<std::size_t>(size, 1);
  }
  return text;
}

// The product of 0 and another value is not 0. Several sums, as an addition waits for the last one to its
// sum.
bool are_finite(std::span<const double> values) {
  constexpr std::size_t kSums = 4, kStride = kSums * kLanes<double>;
  Lanes<double> zeros[kSums] = {};
  std::size_t i = 0;
  for (; i + kStride <= values.size(); i += kStride)
    for (std::size_t s = 0; s < kSums; ++s) zeros[s] += load(&values[i + s * kLanes<double>]) * 0.0;
  const Lanes<double> sums = (zeros[0] + zeros[1]) + (zeros[2] + zeros[3]);
  double zero = 0;
  for (; i < values.size(); ++i) zero += values[i] * 0;
  for (int lane = 0; lane < kLanes<double>; ++lane) zero += sums[lane];
  return zero == 0;
}

template <class Block>
std::vector<fields::Variable> field_variables(const std::vector<Scheme<Block>>& schemes, const char* item) {
  std::vector<fields::Variable> table;
  for (const auto& scheme : schemes)
    for (const auto& field : scheme.fields) {
      std::vector<std::string> dimensions{item};
      if (field.has_levels) dimensions.push_back("level");
      table.push_back(fields::output_variable(field.name, std::move(dimensions), field.units.c_str(), "",
                                              field.long_name, /*restart=*/true));
    }
  return table;
}

template struct Scheme<halcyon_columns>;
template struct Scheme<halcyon_spectra>;
template ColumnScheme built_in(const std::string&);
template SpectrumScheme built_in(const std::string&);
template ColumnScheme from_library(const std::string&, const std::string&);
template SpectrumScheme from_library(const std::string&, const std::string&);
template std::vector<fields::Variable> field_variables(const std::vector<ColumnScheme>&, const char*);
template std::vector<fields::Variable> field_variables(const std::vector<SpectrumScheme>&, const char*);

}  // namespace halcyon::physics
