#include "halcyon/io/reader.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/io/file_jobs.hpp"
#include "halcyon/io/pnetcdf_file.hpp"
#include "halcyon/io/transfer.hpp"
#include "halcyon/mesh/files/classic_file.hpp"
#include "halcyon/mesh/files/verify.hpp"

namespace halcyon::io {
namespace {

constexpr int kChar = 2;  // NC_CHAR: the type of texts

/// Returns the type in which values of a netCDF type are read: the same type, or a larger integer.
Type type_of_external(int type) {
  for (const auto real : {Type::float32, Type::float64})
    if (type == netcdf_type(real)) return real;
  return mesh::classic_type_bytes(type) == 8 ? Type::int64 : Type::int32;
}

/// Returns the number of an attribute, which is stored as big-endian bytes of the header.
std::variant<std::string, double, std::int64_t> number_of(const std::string& bytes,
                                                          const mesh::ClassicAttribute& attribute) {
  const auto n = mesh::classic_type_bytes(attribute.type);
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < n; ++i)
    bits = bits << 8 | static_cast<std::uint8_t>(bytes[attribute.offset + i]);
  if (attribute.type == netcdf_type(Type::float32))
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (attribute.type == netcdf_type(Type::float64)) return std::bit_cast<double>(bits);
  const auto unused = 64 - 8 * static_cast<int>(n);  // leading bits; the shifts extend the sign
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::vector<Attribute> attributes_of(const std::vector<mesh::ClassicAttribute>& header_attributes,
                                     const std::string& bytes) {
  std::vector<Attribute> attributes;
  for (const auto& attribute : header_attributes) {
    if (attribute.type == kChar)
      attributes.push_back({attribute.name, bytes.substr(attribute.offset, attribute.count), Type::int32});
    else if (attribute.count == 1)
      attributes.push_back({attribute.name, number_of(bytes, attribute), type_of_external(attribute.type)});
  }
  return attributes;
}

/// Returns the schema of a classic file, with attributes that are a text or a single number. Unsigned, 8-bit
/// and 16-bit integers become the next larger type of `Type`. Leaves out text variables.
Schema schema_of(const mesh::ClassicHeader& header, const std::string& bytes) {
  Schema schema;
  for (const auto& dimension : header.dimensions)
    schema.add_dimension(dimension.name, static_cast<GlobalIndex>(dimension.size));
  for (const auto& variable : header.variables) {
    if (variable.type == kChar) continue;
    schema.variables.push_back({variable.name,
                                type_of_external(variable.type),
                                {variable.dimensions.begin(), variable.dimensions.end()},
                                attributes_of(variable.attributes, bytes)});
  }
  schema.attributes = attributes_of(header.attributes, bytes);
  return schema;
}

/// Collective. Checks the header on rank 0. @returns the bytes of the header on all ranks
std::string header_bytes(const comm::Communicator& comm, const std::string& path) {
  std::string bytes;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    const auto header = mesh::checked_header(path);
    require<InputError>(
        header.has_value(),
        "{} is not a classic netCDF file (CDF-1, 2 or 5). Convert it: halcyon convert {} OUT.nc --to cdf5.",
        path, path);
    bytes.resize(header->bytes);
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
  auto n = static_cast<std::int64_t>(bytes.size());
  MPI_Bcast(&n, 1, MPI_INT64_T, 0, comm.get());
  bytes.resize(n);
  comm.broadcast(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace

/// The open file, which jobs in the background thread of I/O ranks use too.
class Reader::Shared {
 public:
  Shared(const Ranks& ranks, const std::string& path) : jobs(std::make_shared<FileJobs>(ranks, path)) {}
  std::shared_ptr<FileJobs> jobs;
  std::unique_ptr<PnetcdfFile> file;

  /// Collective. Runs `work` on the I/O ranks and waits until it has completed.
  void run(const std::function<void()>& work) const {
    jobs->submit(/*bytes=*/0, [&work](FileJobs&) { work(); });
    jobs->wait();
  }
};

Reader::Reader(const Ranks& ranks, std::string path)
    : path_(std::move(path)), shared_(std::make_shared<Shared>(ranks, path_)) {
  const auto bytes = header_bytes(ranks.comm(), path_);
  std::istringstream in(bytes);
  const auto header = mesh::read_classic_header(in, path_);
  schema_ = schema_of(*header, bytes);
  n_records_ = static_cast<GlobalIndex>(header->n_records);
  shared_->run([&] { shared_->file = std::make_unique<PnetcdfFile>(ranks, path_, PnetcdfFile::Mode::read); });
}

std::string Reader::text(const std::string& owner, const std::string& name) const {
  const auto& list = owner.empty() ? schema_.attributes : variable(owner).attributes;
  const auto found = std::ranges::find(list, name, &Attribute::name);
  const bool is_text = found != list.end() && std::holds_alternative<std::string>(found->value);
  require<InputError>(is_text, "{} has no text attribute {}{}{}.", path_, owner, owner.empty() ? "" : ":",
                      name);
  return std::get<std::string>(found->value);
}

const Variable& Reader::variable(const std::string& name) const {
  const auto found = std::ranges::find(schema_.variables, name, &Variable::name);
  require<InputError>(found != schema_.variables.end(), "{} has no numeric variable {}.", path_, name);
  return *found;
}

void Reader::check_target(const Target& target, GlobalIndex record, std::size_t count) const {
  require<InternalError>(!is_closed_, "{} is closed.", path_);
  const bool is_record = schema_.is_record_variable(variable(target.variable));
  require<InputError>(is_record ? record >= 0 && record < n_records_ : record == -1,
                      "{} has {} records of {}: record {} is not one of them.", path_,
                      is_record ? n_records_ : 0, target.variable, record);
  require<InternalError>(target.count == count, "{}: {} has {} numbers, not {}.", path_, target.variable,
                         count, target.count);
  require<InternalError>(target.data != nullptr || target.count == 0,
                         "{}: {} cannot be read into an array that is not contiguous.", path_,
                         target.variable);
}

std::size_t Reader::item_width_on(const Placement& placement, const Target& target) const {
  const auto& definition = variable(target.variable);
  const int item_dimensions = schema_.item_dimensions(definition, placement.n_items());
  require<InputError>(item_dimensions > 0, "{}: the variable {} does not lie on {} items.", path_,
                      target.variable, placement.n_items());
  return static_cast<std::size_t>(schema_.item_width(definition, item_dimensions));
}

void Reader::read(GlobalIndex record, const Placement& placement, std::span<const Target> targets) {
  auto requested_schema = schema_;  // with the types of the arrays, to which PnetCDF converts the values
  std::vector<Field> fields;
  std::int64_t item_bytes = 0;
  placement.ranks().comm().agree([&] {
    for (const auto& target : targets) {
      const auto width = item_width_on(placement, target);
      check_target(target, record, width * placement.size());
      requested_schema.variables[requested_schema.find(target.variable)].type = target.type;
      fields.push_back({static_cast<std::byte*>(target.data), width * bytes_of(target.type)});
      item_bytes += static_cast<std::int64_t>(fields.back().item_bytes);
    }
  });
  const int n_slices = placement.n_slices(item_bytes);
  for (int i = 0; i < n_slices; ++i) {
    const auto slice = placement.slice(i, n_slices);
    Buffer rows(slice.n_rows * item_bytes);
    std::vector<Request> requests;
    std::size_t offset = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      requests.push_back(request_of(requested_schema, requested_schema.find(targets[f].variable), record,
                                    placement.n_items(), slice.runs, rows.data() + offset));
      offset += slice.n_rows * fields[f].item_bytes;
    }
    shared_->run([&] { shared_->file->transfer(requested_schema, requests, /*writes=*/false); });
    receive_from_io_ranks(placement, slice, fields, rows);
  }
}

void Reader::read_all(GlobalIndex record, std::span<const Target> targets) {
  const auto& comm = shared_->jobs->ranks().comm();
  auto requested_schema = schema_;  // see `read`
  std::vector<Request> requests;
  comm.agree([&] {
    for (const auto& target : targets) {
      const auto& definition = variable(target.variable);
      const auto shape = schema_.shape(definition);
      check_target(target, record, static_cast<std::size_t>(schema_.count(definition)));
      requested_schema.variables[requested_schema.find(target.variable)].type = target.type;
      if (comm.rank() == 0)
        requests.push_back({requested_schema.find(target.variable),
                            record,
                            {{0, shape.empty() ? 1 : shape[0]}},
                            static_cast<std::byte*>(target.data)});
    }
  });
  shared_->run([&] { shared_->file->transfer(requested_schema, requests, /*writes=*/false); });
  for (const auto& target : targets)
    comm.broadcast({static_cast<std::byte*>(target.data), target.count * bytes_of(target.type)});
}

void Reader::close() {
  if (std::exchange(is_closed_, true)) return;
  shared_->run([&] {
    shared_->file->close();
    shared_->file.reset();
  });
}

}  // namespace halcyon::io
