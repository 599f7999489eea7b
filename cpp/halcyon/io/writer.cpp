#include "halcyon/io/writer.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/checksum.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/io/compressed.hpp"
#include "halcyon/io/file_jobs.hpp"
#include "halcyon/io/transfer.hpp"
#include "halcyon/mesh/files/verify.hpp"

namespace halcyon::io {
namespace {

/// Returns the schema with checksum attributes of the variables and the header, 0 until the file is complete.
Schema with_checksums(Schema schema) {
  const auto zeros = checksum_text(0);
  for (auto& variable : schema.variables) variable.attributes.push_back({kChecksum, zeros});
  schema.attributes.push_back({kHeaderChecksum, zeros});
  return schema;
}

/// Returns the checksum of the values at this rank's items. @param width values per item
template <class T>
std::uint64_t checksum_of_items(const Placement& placement, const T* values, std::size_t width,
                                GlobalIndex record) {
  const auto first_item = std::max<GlobalIndex>(record, 0) * placement.n_items();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < placement.size(); ++i)
    sum += checksum(std::span(values + i * width, width), (first_item + placement.ids()[i]) * width);
  return sum;
}

std::uint64_t checksum_of_items(const Placement& placement, const Values& values, std::size_t width,
                                GlobalIndex record) {
  if (bytes_of(values.type) == 4)
    return checksum_of_items(placement, static_cast<const std::uint32_t*>(values.data), width, record);
  return checksum_of_items(placement, static_cast<const std::uint64_t*>(values.data), width, record);
}

std::uint64_t checksum_of_all(const Values& values, GlobalIndex record) {
  const auto first_index = std::max<GlobalIndex>(record, 0) * values.count;
  if (bytes_of(values.type) == 4)
    return checksum(std::span(static_cast<const std::uint32_t*>(values.data), values.count), first_index);
  return checksum(std::span(static_cast<const std::uint64_t*>(values.data), values.count), first_index);
}

}  // namespace

class Writer::State {
 public:
  State(const Ranks& ranks, std::string path, const FileSpec& spec)
      : schema_(with_checksums(spec.schema)),
        compression_(spec.compression),
        n_written_(schema_.variables.size(), 0),
        checksums_(schema_.variables.size(), 0),
        jobs_(std::make_shared<FileJobs>(ranks, std::move(path))) {
    require<ConfigError>(compression_ >= 0 && compression_ <= 9,
                         "The compression is {}, but must be 0 (none) to 9.", compression_);
  }

  void create(GlobalIndex n_records) {
    const auto bytes = schema_.bytes(n_records);
    comm().agree([&] {
      if (comm().rank() == 0) jobs_->part().require_writable(bytes);
    });
    open(bytes, /*is_new=*/true);
  }

  void resume(GlobalIndex n_records, const Progress& progress) {
    comm().agree([&] {
      if (comm().rank() == 0) restore_part(progress);
    });
    for (std::size_t v = 0; v < n_written_.size(); ++v)
      n_written_[v] = schema_.is_record_variable(schema_.variables[v]) ? progress.n_records : 1;
    if (comm().rank() == 0) checksums_ = progress.checksums;
    open(schema_.bytes(n_records), /*is_new=*/false);
  }

  void write(GlobalIndex record, const Placement& placement, std::span<const Values> values) {
    require_open();
    comm().agree([&] {
      require<InternalError>(placement.is_partition(), "The ranks do not write each item of {} exactly once.",
                             path());
      for (const auto& array : values)
        check_values(array, record, item_width_on(placement, array) * placement.size());
    });
    std::vector<ConstField> fields;
    std::vector<int> variables;  // indices in the schema
    std::int64_t item_bytes = 0;
    for (const auto& array : values) {
      const auto width = item_width_on(placement, array);
      variables.push_back(schema_.find(array.variable));
      checksums_[variables.back()] += checksum_of_items(placement, array, width, record);
      ++n_written_[variables.back()];
      fields.push_back({static_cast<const std::byte*>(array.data), width * bytes_of(array.type)});
      item_bytes += static_cast<std::int64_t>(fields.back().item_bytes);
    }
    const int n_slices = placement.n_slices(item_bytes);
    for (int i = 0; i < n_slices; ++i)
      submit_slice(record, variables, fields, placement, placement.slice(i, n_slices));
  }

  void write_root(GlobalIndex record, std::span<const Values> values) {
    require_open();
    const bool is_root = comm().rank() == 0;  // arrays of other ranks are not written and can have any size
    comm().agree([&] {
      for (const auto& array : values) check_values(array, record, is_root ? count_of(array) : array.count);
    });
    std::vector<Request> requests;
    auto copies = std::make_shared<std::vector<std::vector<std::byte>>>();
    for (const auto& array : values) {
      const int variable = schema_.find(array.variable);
      ++n_written_[variable];
      if (!is_root) continue;
      checksums_[variable] += checksum_of_all(array, record);
      const auto* bytes = static_cast<const std::byte*>(array.data);
      auto& copy = copies->emplace_back(bytes, bytes + array.count * bytes_of(array.type));
      const auto shape = schema_.shape(schema_.variables[variable]);
      const ItemRange all{0, shape.empty() ? 1 : shape[0]};
      requests.push_back({variable, record, {all}, copy.data()});
    }
    std::int64_t bytes = 0;
    for (const auto& copy : *copies) bytes += static_cast<std::int64_t>(copy.size());
    jobs_->submit(bytes, [requests, copies, schema = schema_](FileJobs& jobs) {
      jobs.file->transfer(schema, requests, /*writes=*/true);
    });
  }

  Progress sync(bool in_background) {
    require_open();
    jobs_->submit(/*bytes=*/0, [](FileJobs& jobs) { jobs.file->sync(); });
    if (!in_background) jobs_->wait();
    jobs_->check();
    return progress();
  }

  void close() {
    if (is_closed_) return jobs_->check();
    for (std::size_t v = 0; v < n_written_.size(); ++v) {
      const auto& variable = schema_.variables[v];
      require<InternalError>(n_written_[v] == (schema_.is_record_variable(variable) ? n_records() : 1),
                             "{}: {} was not written as often as the others.", path(), variable.name);
    }
    const auto sums = progress().checksums;
    is_closed_ = true;
    jobs_->submit(/*bytes=*/0, [sums, schema = schema_, level = compression_](FileJobs& jobs) {
      jobs.file->sync();
      jobs.file->close();
      jobs.run_on_io_root([&] { finish(jobs.part(), sums, schema, level); });
      jobs.is_complete = true;
    });
    jobs_->check();
  }

  void check() { jobs_->check(); }
  void wait() { jobs_->wait(); }
  bool is_complete() const { return jobs_->is_complete; }
  const std::string& path() const { return jobs_->part().path(); }
  double waited_s() const { return jobs_->waited_s(); }
  double worked_s() const { return jobs_->worked_s(); }

 private:
  const comm::Communicator& comm() const { return jobs_->ranks().comm(); }

  void require_open() const {
    jobs_->check();
    require<InternalError>(!is_closed_, "{} is closed: nothing more can be written to it.", path());
  }

  void open(std::int64_t bytes, bool is_new) {
    jobs_->submit(/*bytes=*/0, [schema = schema_, bytes, is_new](FileJobs& jobs) {
      jobs.run_on_io_root([&] {
        if (is_new) jobs.part().create(schema.fits_cdf2() ? 2 : 5);
        jobs.part().lock_and_reserve(bytes);
      });
      jobs.file =
          std::make_unique<PnetcdfFile>(jobs.ranks(), jobs.part().part_path(), PnetcdfFile::Mode::write);
      if (is_new) jobs.file->define(schema);
    });
    jobs_->check();
  }

  /// Collective. Sends a slice to the I/O ranks, and submits the job that writes it.
  void submit_slice(GlobalIndex record, const std::vector<int>& variables,
                    const std::vector<ConstField>& fields, const Placement& placement, const Slice& slice) {
    auto rows = std::make_shared<Buffer>(send_to_io_ranks(placement, slice, fields));
    std::vector<Request> requests;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      requests.push_back(
          request_of(schema_, variables[i], record, placement.n_items(), slice.runs, rows->data() + offset));
      offset += slice.n_rows * fields[i].item_bytes;
    }
    const auto bytes = static_cast<std::int64_t>(rows->size());
    jobs_->submit(bytes, [requests = std::move(requests), rows, schema = schema_](FileJobs& jobs) {
      jobs.file->transfer(schema, requests, /*writes=*/true);
    });
  }

  std::size_t count_of(const Values& values) const {
    return static_cast<std::size_t>(schema_.count(schema_.variables[schema_.find(values.variable)]));
  }

  /// Returns the number of values of a variable per item of a placement.
  std::size_t item_width_on(const Placement& placement, const Values& values) const {
    const auto& variable = schema_.variables[schema_.find(values.variable)];
    const int item_dimensions = schema_.item_dimensions(variable, placement.n_items());
    require<InternalError>(item_dimensions > 0, "{}: the variable {} does not lie on these {} items.", path(),
                           values.variable, placement.n_items());
    return static_cast<std::size_t>(schema_.item_width(variable, item_dimensions));
  }

  void check_values(const Values& values, GlobalIndex record, std::size_t count) const {
    const int v = schema_.find(values.variable);
    const auto& variable = schema_.variables[v];
    require<InternalError>(values.type == variable.type,
                           "{}: the type of the array for {} differs from the type of the variable.", path(),
                           variable.name);
    require<InternalError>(values.count == count, "{}: {} needs {} numbers, not {}.", path(), variable.name,
                           count, values.count);
    const GlobalIndex next = schema_.is_record_variable(variable) ? n_written_[v] : -1;
    require<InternalError>(record == next && (next >= 0 || n_written_[v] == 0),
                           "{}: the next record of {} must be {}, not {}.", path(), variable.name, next,
                           record);
  }

  GlobalIndex n_records() const {
    GlobalIndex largest = 0;
    for (std::size_t v = 0; v < n_written_.size(); ++v)
      if (schema_.is_record_variable(schema_.variables[v])) largest = std::max(largest, n_written_[v]);
    return largest;
  }

  Progress progress() const {
    Progress total{n_records(), checksums_};
    comm::check(MPI_Allreduce(checksums_.data(), total.checksums.data(), static_cast<int>(checksums_.size()),
                              MPI_UINT64_T, MPI_SUM, comm().get()),
                "MPI_Allreduce");
    return total;
  }

  /// On I/O rank 0: writes the checksums, compresses the file if `level` > 0, and renames it.
  static void finish(PartFile& part, const std::vector<std::uint64_t>& sums, const Schema& schema,
                     int level) {
    part.write_checksums(sums);
    if (level == 0) return part.finish();
    write_atomically(part.path(), [&](const std::string& compressed) {
      write_compressed(part.part_path(), compressed, schema, level);
    });
    part.remove();
  }

  void restore_part(const Progress& progress) const;

  Schema schema_;
  int compression_;
  bool is_closed_ = false;
  std::vector<GlobalIndex> n_written_;    ///< per variable: written records, or 1 if it has no records
  std::vector<std::uint64_t> checksums_;  ///< per variable: checksum of the values from this rank
  std::shared_ptr<FileJobs> jobs_;
};

/// Checks that `path.part` has the records of `progress`, and removes later records from its header.
void Writer::State::restore_part(const Progress& progress) const {
  const auto& part = jobs_->part().part_path();
  require<InputError>(!std::filesystem::is_symlink(part), "{} is a symbolic link. Remove it.", part);
  const auto header = mesh::read_classic_header(part);
  const bool is_same_file = header && std::ranges::equal(header->variables, schema_.variables, {},
                                                         &mesh::ClassicVariable::name, &Variable::name);
  require<InputError>(is_same_file && progress.checksums.size() == schema_.variables.size(),
                      "{} is not the file of the interrupted run. Continue without it.", part);
  for (std::size_t v = 0; v < header->variables.size(); ++v) {
    const auto& variable = header->variables[v];
    require<InputError>(
        mesh::file_checksum(part, *header, variable, progress.n_records) == progress.checksums[v],
        "{} is damaged: the checksum of {} is wrong.", part, variable.name);
  }
  mesh::set_record_count(part, *header, static_cast<std::uint64_t>(progress.n_records));
}

bool has_records(const std::string& path, const Progress& progress) {
  const auto n_records = static_cast<std::uint64_t>(progress.n_records);
  const auto header = mesh::checked_header(path);
  if (!header)
    return mesh::require_undamaged(path) &&
           compressed_checksums(path, n_records).checksums == progress.checksums;
  if (header->n_records < n_records || header->variables.size() != progress.checksums.size()) return false;
  for (std::size_t v = 0; v < header->variables.size(); ++v)
    if (mesh::file_checksum(path, *header, header->variables[v], n_records) != progress.checksums[v])
      return false;
  return true;
}

Writer::Writer(const Ranks& ranks, std::string path, const FileSpec& spec, GlobalIndex n_records)
    : state_(std::make_unique<State>(ranks, std::move(path), spec)) {
  state_->create(n_records);
}

Writer::Writer(const Ranks& ranks, std::string path, const FileSpec& spec, GlobalIndex n_records,
               const Progress& progress)
    : state_(std::make_unique<State>(ranks, std::move(path), spec)) {
  state_->resume(n_records, progress);
}

Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

void Writer::write(GlobalIndex record, const Placement& placement, std::span<const Values> values) {
  state_->write(record, placement, values);
}
void Writer::write_root(GlobalIndex record, std::span<const Values> values) {
  state_->write_root(record, values);
}
Progress Writer::sync() {
  return state_->sync(false);
}
Progress Writer::sync_in_background() {
  return state_->sync(true);
}
void Writer::close() {
  state_->close();
}
void Writer::check() {
  state_->check();
}
void Writer::wait() {
  state_->wait();
}
bool Writer::is_complete() const {
  return state_->is_complete();
}
const std::string& Writer::path() const {
  return state_->path();
}
double Writer::waited_s() const {
  return state_->waited_s();
}
double Writer::worked_s() const {
  return state_->worked_s();
}

}  // namespace halcyon::io
