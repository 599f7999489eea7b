#include "halcyon/io/pnetcdf_file.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::io {
namespace {

MPI_Datatype mpi_type(Type type) {
  // PnetCDF 1.12 does not accept MPI_INT32_T.
  const MPI_Datatype kTypes[] = {MPI_INT, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE};
  return kTypes[static_cast<int>(type)];
}

MPI_Info mpi_info(const Options& options) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [name, value] : options.hints) MPI_Info_set(info, name.c_str(), value.c_str());
  return info;
}

int put_attribute(int file, int variable, const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value))
    return ncmpi_put_att_text(file, variable, attribute.name.c_str(), static_cast<MPI_Offset>(text->size()),
                              text->data());
  const auto put = [&](auto put_number, const auto* number) {
    return put_number(file, variable, attribute.name.c_str(), netcdf_type(attribute.type), 1, number);
  };
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    const long long value = *integer;
    return put(ncmpi_put_att_longlong, &value);
  }
  return put(ncmpi_put_att_double, &std::get<double>(attribute.value));
}

}  // namespace

PnetcdfFile::PnetcdfFile(const Ranks& ranks, const std::string& path, Mode mode)
    : comm_(ranks.io_comm()), most_requests_(ranks.options().most_requests) {
  MPI_Info info = mpi_info(ranks.options());
  const int status =
      ncmpi_open(comm_, path.c_str(), mode == Mode::read ? NC_NOWRITE : NC_WRITE, info, &file_);
  MPI_Info_free(&info);
  require_success(status, "open it");
}

void PnetcdfFile::require_success(int status, const char* action) const {
  int worst = status;
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm_);
  std::string reason = ncmpi_strerror(worst);
  while (reason.ends_with('.')) reason.pop_back();
  require<RunError>(worst == NC_NOERR, "cannot {}: {}.", action, reason);
}

void PnetcdfFile::define(const Schema& schema) {
  int worst = ncmpi_redef(file_);
  const auto collect = [&](int status) { worst = std::min(worst, status); };
  std::vector<int> ids;
  for (const auto& dimension : schema.dimensions)
    collect(ncmpi_def_dim(file_, dimension.name.c_str(), dimension.size == 0 ? NC_UNLIMITED : dimension.size,
                          &ids.emplace_back()));
  for (const auto& attribute : schema.attributes) collect(put_attribute(file_, NC_GLOBAL, attribute));
  for (const auto& variable : schema.variables) {
    std::vector<int> dimension_ids;
    for (const int d : variable.dimensions) dimension_ids.push_back(ids[d]);
    int id = 0;
    collect(ncmpi_def_var(file_, variable.name.c_str(), netcdf_type(variable.type),
                          static_cast<int>(dimension_ids.size()), dimension_ids.data(), &id));
    for (const auto& attribute : variable.attributes) collect(put_attribute(file_, id, attribute));
  }
  collect(ncmpi_enddef(file_));
  require_success(worst, "write its header");
}

Request request_of(const Schema& schema, int variable, GlobalIndex record, GlobalIndex n_items,
                   const std::vector<ItemRange>& runs, std::byte* values) {
  const auto& definition = schema.variables[variable];
  const int item_dimensions = schema.item_dimensions(definition, n_items);
  if (item_dimensions < 2) return {variable, record, runs, values};
  const GlobalIndex row_length = schema.shape(definition)[item_dimensions - 1];
  std::vector<ItemRange> runs_in_rows;
  for (auto [first, count] : runs)
    while (count > 0) {
      const auto n = std::min(count, row_length - first % row_length);
      runs_in_rows.push_back({first, n});
      first += n;
      count -= n;
    }
  return {variable, record, std::move(runs_in_rows), values, item_dimensions};
}

/// Posts a request as one nonblocking PnetCDF call.
void PnetcdfFile::post(const Schema& schema, const Request& request, bool writes) {
  const std::size_t n = request.runs.size();
  const auto& variable = schema.variables[request.variable];
  const auto shape = schema.shape(variable);
  const std::size_t n_record_dimensions = schema.is_record_variable(variable) ? 1 : 0,
                    n_dimensions = shape.size() + n_record_dimensions;
  std::vector<MPI_Offset> starts(n * n_dimensions + 1, 0), counts(n * n_dimensions + 1, 1);
  std::vector<MPI_Offset*> start_of(n), count_of(n);
  const MPI_Offset width = schema.item_width(variable, request.item_dimensions);
  MPI_Offset n_items = 0;
  for (std::size_t i = 0; i < n; ++i) {
    start_of[i] = &starts[i * n_dimensions];
    count_of[i] = &counts[i * n_dimensions];
    if (n_record_dimensions == 1) start_of[i][0] = request.record;
    std::ranges::copy(shape, count_of[i] + n_record_dimensions);
    const auto run = request.runs[i];
    auto index = run.first;  // converted to one index per item dimension; the run extends along the last one
    for (auto d = std::min<std::size_t>(request.item_dimensions, shape.size()); d > 0; index /= shape[--d]) {
      start_of[i][n_record_dimensions + d - 1] = index % shape[d - 1];
      count_of[i][n_record_dimensions + d - 1] = 1;
      if (d == std::size_t(request.item_dimensions)) count_of[i][n_record_dimensions + d - 1] = run.count;
    }
    n_items += run.count;
  }
  int id = 0;
  int status = ncmpi_inq_varid(file_, variable.name.c_str(), &id);
  if (status == NC_NOERR)
    status = writes ? ncmpi_iput_varn(file_, id, static_cast<int>(n), start_of.data(), count_of.data(),
                                      request.values, n_items * width, mpi_type(variable.type), nullptr)
                    : ncmpi_iget_varn(file_, id, static_cast<int>(n), start_of.data(), count_of.data(),
                                      request.values, n_items * width, mpi_type(variable.type), nullptr);
  failure_ = std::min(failure_, status);
}

std::vector<Batch> batches_of(const Schema& schema, const std::vector<Request>& requests,
                              std::size_t max_runs, std::int64_t max_bytes) {
  std::vector<Batch> batches(1);
  std::size_t n_runs = 0;  // of the last batch
  std::int64_t bytes = 0;
  for (const auto& request : requests) {
    const auto& variable = schema.variables[request.variable];
    const auto item_bytes = schema.item_width(variable, request.item_dimensions) * bytes_of(variable.type);
    auto* values = request.values;
    const auto begin = [&] {
      batches.back().push_back({request.variable, request.record, {}, values, request.item_dimensions});
    };
    begin();
    for (auto [first, count] : request.runs)
      while (count > 0) {
        if (n_runs == max_runs || (n_runs > 0 && bytes + item_bytes > max_bytes)) {
          batches.emplace_back();
          n_runs = bytes = 0;
          begin();
        }
        const auto n = std::clamp<GlobalIndex>((max_bytes - bytes) / item_bytes, 1, count);
        batches.back().back().runs.push_back({first, n});
        values += n * item_bytes;
        first += n;
        count -= n;
        bytes += n * item_bytes;
        ++n_runs;
      }
  }
  return batches;
}

void PnetcdfFile::transfer(const Schema& schema, const std::vector<Request>& requests, bool writes) {
  // PnetCDF 1.12 refuses requests of more than 2^31 - 1 bytes.
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;
  const auto batches = batches_of(schema, requests, static_cast<std::size_t>(most_requests_), kMaxBytes);
  std::int64_t n_batches = std::ssize(batches), max_batches = 0;  // all ranks wait max_batches times
  MPI_Allreduce(&n_batches, &max_batches, 1, MPI_INT64_T, MPI_MAX, comm_);
  for (std::int64_t i = 0; i < max_batches; ++i) {
    if (i < n_batches)
      for (const auto& request : batches[i])
        if (!request.runs.empty()) post(schema, request, writes);
    const int status = ncmpi_wait_all(file_, NC_REQ_ALL, nullptr, nullptr);
    failure_ = std::min(failure_, status);
  }
  const int status = std::exchange(failure_, NC_NOERR);
  require_success(status, writes ? "write it" : "read it");
}

}  // namespace halcyon::io
