#include "halcyon/io/transfer.hpp"

#include <cstring>
#include <vector>

namespace halcyon::io {
namespace {

/// The messages of one way: a buffer for each lane.
class Messages {
 public:
  Messages(const comm::Communicator& comm, std::span<const Lane> lanes, std::size_t item_bytes)
      : comm_(comm), lanes_(lanes) {
    for (const auto& lane : lanes) buffers_.emplace_back(lane.count * item_bytes);
    MPI_Type_contiguous(static_cast<int>(item_bytes), MPI_BYTE, &item_);  // counts beyond 2^31 bytes
    MPI_Type_commit(&item_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages() { MPI_Type_free(&item_); }

  Buffer& buffer(std::size_t lane) { return buffers_[lane]; }

  void start(bool receive, int tag, std::vector<MPI_Request>& requests) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      auto& data = buffers_[i];
      const int n = static_cast<int>(lanes_[i].count);
      auto& request = requests.emplace_back();
      comm::check(receive ? MPI_Irecv(data.data(), n, item_, lanes_[i].peer, tag, comm_.get(), &request)
                          : MPI_Isend(data.data(), n, item_, lanes_[i].peer, tag, comm_.get(), &request),
                  "a message between a rank and its I/O rank");
    }
  }

 private:
  const comm::Communicator& comm_;
  std::span<const Lane> lanes_;
  std::vector<Buffer> buffers_;
  MPI_Datatype item_ = MPI_DATATYPE_NULL;
};

template <class AnyField>
std::size_t bytes_of_item(std::span<const AnyField> fields) {
  std::size_t sum = 0;
  for (const auto& field : fields) sum += field.item_bytes;
  return sum;
}

void wait(std::vector<MPI_Request>& requests) {
  comm::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
}

/// Calls `copy(row, message)` with the bytes of each item of a lane in the rows and in its message.
template <class AnyField, class Bytes, class Copy>
void each_row(const Placement& placement, const Slice& slice, std::span<const AnyField> fields,
              const Lane& lane, Bytes* rows, const Copy& copy) {
  std::size_t at = 0;
  for (const auto& field : fields) {
    for (auto i = lane.first; i < lane.first + lane.count; ++i, at += field.item_bytes)
      copy(rows + (placement.rows()[i] - slice.first_row) * field.item_bytes, at, field.item_bytes);
    rows += slice.n_rows * field.item_bytes;
  }
}

/// Calls `copy(item, message)` with the bytes of each item of a lane in the fields and in its message.
template <class AnyField, class Copy>
void each_item(const Placement& placement, std::span<const AnyField> fields, const Lane& lane,
               const Copy& copy) {
  std::size_t at = 0;
  for (const auto& field : fields)
    for (auto i = lane.first; i < lane.first + lane.count; ++i, at += field.item_bytes)
      copy(field.values + placement.order()[i] * field.item_bytes, at, field.item_bytes);
}

}  // namespace

Buffer to_io(const Placement& placement, const Slice& slice, std::span<const ConstField> fields) {
  const auto& comm = placement.ranks().comm();
  const auto item_bytes = bytes_of_item(fields);
  const auto tag = comm.new_tag();
  Messages given(comm, slice.given, item_bytes), taken(comm, slice.taken, item_bytes);
  std::vector<MPI_Request> requests;
  taken.start(true, tag.number(), requests);
  for (std::size_t i = 0; i < slice.given.size(); ++i)
    each_item(placement, fields, slice.given[i], [&](const std::byte* item, std::size_t at, std::size_t n) {
      std::memcpy(given.buffer(i).data() + at, item, n);
    });
  given.start(false, tag.number(), requests);
  wait(requests);
  Buffer rows(slice.n_rows * item_bytes);
  for (std::size_t i = 0; i < slice.taken.size(); ++i)
    each_row(placement, slice, fields, slice.taken[i], rows.data(),
             [&](std::byte* row, std::size_t at, std::size_t n) {
               std::memcpy(row, taken.buffer(i).data() + at, n);
             });
  return rows;
}

void from_io(const Placement& placement, const Slice& slice, std::span<const Field> fields,
             const Buffer& rows) {
  const auto& comm = placement.ranks().comm();
  const std::span<const Field> all = fields;
  const auto item_bytes = bytes_of_item(all);
  const auto tag = comm.new_tag();
  Messages given(comm, slice.given, item_bytes), taken(comm, slice.taken, item_bytes);
  std::vector<MPI_Request> requests;
  given.start(true, tag.number(), requests);
  for (std::size_t i = 0; i < slice.taken.size(); ++i)
    each_row(placement, slice, all, slice.taken[i], rows.data(),
             [&](const std::byte* row, std::size_t at, std::size_t n) {
               std::memcpy(taken.buffer(i).data() + at, row, n);
             });
  taken.start(false, tag.number(), requests);
  wait(requests);
  for (std::size_t i = 0; i < slice.given.size(); ++i)
    each_item(placement, all, slice.given[i], [&](std::byte* item, std::size_t at, std::size_t n) {
      std::memcpy(item, given.buffer(i).data() + at, n);
    });
}

}  // namespace halcyon::io
