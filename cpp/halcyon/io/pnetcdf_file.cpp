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
  return ncmpi_put_att_double(file, variable, attribute.name.c_str(), netcdf_type(attribute.type), 1,
                              &std::get<double>(attribute.value));
}

}  // namespace

PnetcdfFile::PnetcdfFile(const Ranks& ranks, const std::string& path, Mode mode)
    : comm_(ranks.io_comm()), most_requests_(ranks.options().most_requests) {
  MPI_Info info = mpi_info(ranks.options());
  int status = NC_NOERR;
  if (mode == Mode::read || mode == Mode::write)
    status = ncmpi_open(comm_, path.c_str(), mode == Mode::write ? NC_WRITE : NC_NOWRITE, info, &file_);
  else
    status = ncmpi_create(comm_, path.c_str(),
                          NC_CLOBBER | (mode == Mode::create_cdf5 ? NC_64BIT_DATA : NC_64BIT_OFFSET), info,
                          &file_);
  MPI_Info_free(&info);
  require_success(status, mode == Mode::read || mode == Mode::write ? "open it" : "create it");
}

void PnetcdfFile::require_success(int status, const char* action) const {
  int worst = status;
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm_);
  std::string reason = ncmpi_strerror(worst);
  while (reason.ends_with('.')) reason.pop_back();
  require<RunError>(worst == NC_NOERR, "cannot {}: {}.", action, reason);
}

void PnetcdfFile::define(const Schema& schema) {
  int worst = NC_NOERR;
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

/// Posts `n` runs of a request, beginning with run `first`, as one nonblocking PnetCDF call.
void PnetcdfFile::post(const Schema& schema, const Request& request, std::size_t first, std::size_t n,
                       bool writes) {
  const auto& variable = schema.variables[request.variable];
  const auto shape = schema.shape(variable);
  const std::size_t n_record_dimensions = schema.is_record_variable(variable) ? 1 : 0,
                    n_dimensions = shape.size() + n_record_dimensions;
  std::vector<MPI_Offset> starts(n * n_dimensions + 1, 0), counts(n * n_dimensions + 1, 1);
  std::vector<MPI_Offset*> start_of(n), count_of(n);
  const MPI_Offset width = schema.item_width(variable, request.item_dimensions);
  MPI_Offset n_before = 0, n_items = 0;  // items of the runs before `first`, and of the posted runs
  for (std::size_t i = 0; i < first; ++i) n_before += request.runs[i].count;
  for (std::size_t i = 0; i < n; ++i) {
    start_of[i] = &starts[i * n_dimensions];
    count_of[i] = &counts[i * n_dimensions];
    if (n_record_dimensions == 1) start_of[i][0] = request.record;
    std::ranges::copy(shape, count_of[i] + n_record_dimensions);
    const auto run = request.runs[first + i];
    auto index = run.first;  // converted to one index per item dimension; the run extends along the last one
    for (auto d = std::min<std::size_t>(request.item_dimensions, shape.size()); d > 0; index /= shape[--d]) {
      start_of[i][n_record_dimensions + d - 1] = index % shape[d - 1];
      count_of[i][n_record_dimensions + d - 1] = 1;
      if (d == std::size_t(request.item_dimensions)) count_of[i][n_record_dimensions + d - 1] = run.count;
    }
    n_items += run.count;
  }
  auto* values = request.values + n_before * width * bytes_of(variable.type);
  int id = 0;
  int status = ncmpi_inq_varid(file_, variable.name.c_str(), &id);
  if (status == NC_NOERR)
    status = writes ? ncmpi_iput_varn(file_, id, static_cast<int>(n), start_of.data(), count_of.data(),
                                      values, n_items * width, mpi_type(variable.type), nullptr)
                    : ncmpi_iget_varn(file_, id, static_cast<int>(n), start_of.data(), count_of.data(),
                                      values, n_items * width, mpi_type(variable.type), nullptr);
  failure_ = std::min(failure_, status);
}

void PnetcdfFile::transfer(const Schema& schema, std::vector<Request> requests, bool writes) {
  const auto max_requests = static_cast<std::size_t>(most_requests_);
  std::size_t n_outstanding = 0;
  std::int64_t my_waits = 1, max_waits = 0, n_waits = 0;  // collective: all ranks wait max_waits times
  std::size_t n_runs = 0;
  for (const auto& request : requests) n_runs += request.runs.size();
  my_waits = std::max<std::int64_t>(1, static_cast<std::int64_t>((n_runs + max_requests - 1) / max_requests));
  MPI_Allreduce(&my_waits, &max_waits, 1, MPI_INT64_T, MPI_MAX, comm_);
  const auto wait = [&] {
    const int status = ncmpi_wait_all(file_, NC_REQ_ALL, nullptr, nullptr);
    failure_ = std::min(failure_, status);
    n_outstanding = 0;
    ++n_waits;
  };
  for (const auto& request : requests)
    for (std::size_t first = 0; first < request.runs.size();) {
      const auto n = std::min(request.runs.size() - first, max_requests - n_outstanding);
      post(schema, request, first, n, writes);
      first += n;
      n_outstanding += n;
      if (n_outstanding == max_requests && n_waits + 1 < max_waits) wait();
    }
  while (n_waits < max_waits) wait();
  const int status = std::exchange(failure_, NC_NOERR);
  require_success(status, writes ? "write it" : "read it");
}

}  // namespace halcyon::io
