#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/fields/variable.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/physics/halcyon_physics.h"

namespace halcyon::physics {

/// A field of a scheme, kept from call to call.
struct Field {
  std::string name;
  bool has_levels = false;
  std::string units, long_name;
};

/// What a column scheme reads and writes, so that only this is computed.
struct Uses {
  bool winds = true, layers = true;  ///< of the state; layers: interface pressures and geopotentials
  bool heating = true, wind_tendency = true, drag = true, tracers = true;  ///< of the results

  /// The union.
  Uses& operator|=(const Uses& other);
};

/// A scheme of the case: a function with its options and fields. `Block` is halcyon_columns or
/// halcyon_spectra. The function and its libraries stay loaded as long as a copy exists.
template <class Block>
struct Scheme {
  using Function = int(const Block* block);

  options::RegistryEntry declaration;  ///< name and options
  std::vector<Field> fields;
  Function* function = nullptr;
  Uses uses;
  std::vector<std::string> tracers = {};  ///< names of the tracers that the scheme needs
  void* context = nullptr;                ///< halcyon_columns::context of the calls
  std::shared_ptr<void> owner;
  std::vector<double> options;  ///< values, in the order of the declarations; of a flag 0 or 1, of a text its
                                ///< place in the list of allowed texts
  double step = 0;              ///< time between two calls [s]; 0: each step of the model

  const std::string& name() const { return declaration.name; }
  /// Sets the options, and the step. @throws ConfigError for unknown options and values out of range
  void set(const options::Values& given, double step_s);
};

using ColumnScheme = Scheme<halcyon_columns>;
using SpectrumScheme = Scheme<halcyon_spectra>;

/// The built-in column schemes, with the default options.
const std::vector<ColumnScheme>& column_schemes();
/// Their registry entries. The trait "fields": the scheme declares fields.
std::vector<options::RegistryEntry> column_scheme_choices();

/// Returns the built-in scheme of a name. @throws ConfigError that lists the known names, or says that the
/// name is that of a scheme of another kind of block
template <class Block>
Scheme<Block> built_in(const std::string& name);

/// Loads a scheme from a shared library.
/// @param path of the library  @param function name of its function, and of the scheme
/// @throws ConfigError if the library cannot be loaded, or lacks the function
template <class Block>
Scheme<Block> from_library(const std::string& path, const std::string& function);

/// Refuses options that a case cannot set. @throws ConfigError for an option named `step` or `scheme`
void check_options(const options::RegistryEntry& declaration);

/// The text of the error of a scheme, in valid UTF-8: without a character that the end of the message cuts,
/// and with U+FFFD in place of other invalid bytes.
/// @param message of halcyon_columns or halcyon_spectra  @param status that the scheme returned
std::string error_text(const char* message, int status);

/// Whether all values are finite.
bool are_finite(std::span<const double> values);

/// The fields of all schemes as variables of restart files and output.
/// @param item the dimension of columns or cells  @throws ConfigError if two have the same name
template <class Block>
std::vector<fields::Variable> field_variables(const std::vector<Scheme<Block>>& schemes, const char* item);

}  // namespace halcyon::physics
