#include "halcyon/io/classic.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::io {
namespace {

MPI_Datatype native(Type type) {
  const MPI_Datatype kTypes[] = {MPI_INT, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE};  // 1.12 knows no MPI_INT32_T
  return kTypes[static_cast<int>(type)];
}

MPI_Info info_of(const Options& options) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [name, value] : options.hints) MPI_Info_set(info, name.c_str(), value.c_str());
  return info;
}

int put_attribute(int file, int variable, const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value))
    return ncmpi_put_att_text(file, variable, attribute.name.c_str(), static_cast<MPI_Offset>(text->size()),
                              text->data());
  return ncmpi_put_att_double(file, variable, attribute.name.c_str(), external(attribute.type), 1,
                              &std::get<double>(attribute.value));
}

}  // namespace

Classic::Classic(const Ranks& ranks, const std::string& path, Mode mode)
    : comm_(ranks.io_comm()), most_requests_(ranks.options().most_requests) {
  MPI_Info info = info_of(ranks.options());
  int status = NC_NOERR;
  if (mode == Mode::read || mode == Mode::write)
    status = ncmpi_open(comm_, path.c_str(), mode == Mode::write ? NC_WRITE : NC_NOWRITE, info, &file_);
  else
    status = ncmpi_create(comm_, path.c_str(),
                          NC_CLOBBER | (mode == Mode::create_cdf5 ? NC_64BIT_DATA : NC_64BIT_OFFSET), info,
                          &file_);
  MPI_Info_free(&info);
  agree(status, mode == Mode::read || mode == Mode::write ? "open it" : "create it");
}

void Classic::agree(int status, const char* what) const {
  int worst = status;
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm_);
  std::string reason = ncmpi_strerror(worst);
  while (reason.ends_with('.')) reason.pop_back();
  require<RunError>(worst == NC_NOERR, "cannot {}: {}.", what, reason);
}

void Classic::define(const Schema& schema) {
  int worst = NC_NOERR;
  const auto note = [&](int status) { worst = std::min(worst, status); };
  std::vector<int> ids;
  for (const auto& dimension : schema.dimensions)
    note(ncmpi_def_dim(file_, dimension.name.c_str(), dimension.size == 0 ? NC_UNLIMITED : dimension.size,
                       &ids.emplace_back()));
  for (const auto& attribute : schema.attributes) note(put_attribute(file_, NC_GLOBAL, attribute));
  for (const auto& variable : schema.variables) {
    std::vector<int> of_variable;
    for (const int d : variable.dimensions) of_variable.push_back(ids[d]);
    int id = 0;
    note(ncmpi_def_var(file_, variable.name.c_str(), external(variable.type),
                       static_cast<int>(of_variable.size()), of_variable.data(), &id));
    for (const auto& attribute : variable.attributes) note(put_attribute(file_, id, attribute));
  }
  note(ncmpi_enddef(file_));
  agree(worst, "write its header");
}

Request request_of(const Schema& schema, int variable, GlobalIndex record, GlobalIndex n_items,
                   const std::vector<Run>& runs, std::byte* values) {
  const auto& described = schema.variables[variable];
  const int item_dimensions = schema.item_dimensions(described, n_items);
  if (item_dimensions < 2) return {variable, record, runs, values};
  const GlobalIndex across = schema.shape(described)[item_dimensions - 1];
  std::vector<Run> pieces;
  for (auto [first, count] : runs)
    while (count > 0) {
      const auto n = std::min(count, across - first % across);
      pieces.push_back({first, n});
      first += n;
      count -= n;
    }
  return {variable, record, std::move(pieces), values, item_dimensions};
}

/// Starts the runs `first`.. of a request, without waiting.
void Classic::start(const Schema& schema, const Request& request, std::size_t first, std::size_t n,
                    bool writes) {
  const auto& variable = schema.variables[request.variable];
  const auto shape = schema.shape(variable);
  const std::size_t along = schema.grows(variable) ? 1 : 0, n_dimensions = shape.size() + along;
  std::vector<MPI_Offset> starts(n * n_dimensions + 1, 0), counts(n * n_dimensions + 1, 1);
  std::vector<MPI_Offset*> start_of(n), count_of(n);
  const MPI_Offset width = schema.item_width(variable, request.item_dimensions);
  MPI_Offset before = 0, items = 0;
  for (std::size_t i = 0; i < first; ++i) before += request.runs[i].count;
  for (std::size_t i = 0; i < n; ++i) {
    start_of[i] = &starts[i * n_dimensions];
    count_of[i] = &counts[i * n_dimensions];
    if (along == 1) start_of[i][0] = request.record;
    std::ranges::copy(shape, count_of[i] + along);
    const auto run = request.runs[first + i];
    auto at = run.first;  // a run lies along the last dimension of the items
    for (auto d = std::min<std::size_t>(request.item_dimensions, shape.size()); d > 0; at /= shape[--d]) {
      start_of[i][along + d - 1] = at % shape[d - 1];
      count_of[i][along + d - 1] = 1;
      if (d == std::size_t(request.item_dimensions)) count_of[i][along + d - 1] = run.count;
    }
    items += run.count;
  }
  auto* values = request.values + before * width * bytes_of(variable.type);
  int id = 0;
  int status = ncmpi_inq_varid(file_, variable.name.c_str(), &id);
  if (status == NC_NOERR)
    status = writes ? ncmpi_iput_varn(file_, id, static_cast<int>(n), start_of.data(), count_of.data(),
                                      values, items * width, native(variable.type), nullptr)
                    : ncmpi_iget_varn(file_, id, static_cast<int>(n), start_of.data(), count_of.data(),
                                      values, items * width, native(variable.type), nullptr);
  failure_ = std::min(failure_, status);
}

void Classic::transfer(const Schema& schema, std::vector<Request> requests, bool writes) {
  const auto most = static_cast<std::size_t>(most_requests_);
  std::size_t outstanding = 0;
  std::int64_t waits = 1, most_waits = 0, done = 0;
  std::size_t n_runs = 0;
  for (const auto& request : requests) n_runs += request.runs.size();
  waits = std::max<std::int64_t>(1, static_cast<std::int64_t>((n_runs + most - 1) / most));
  MPI_Allreduce(&waits, &most_waits, 1, MPI_INT64_T, MPI_MAX, comm_);
  const auto wait = [&] {
    const int status = ncmpi_wait_all(file_, NC_REQ_ALL, nullptr, nullptr);
    failure_ = std::min(failure_, status);
    outstanding = 0;
    ++done;
  };
  for (const auto& request : requests)
    for (std::size_t first = 0; first < request.runs.size();) {
      const auto n = std::min(request.runs.size() - first, most - outstanding);
      start(schema, request, first, n, writes);
      first += n;
      outstanding += n;
      if (outstanding == most && done + 1 < most_waits) wait();
    }
  while (done < most_waits) wait();
  const int status = std::exchange(failure_, NC_NOERR);
  agree(status, writes ? "write it" : "read it");
}

}  // namespace halcyon::io
