#include "halcyon/io/transfer.hpp"

#include <cstring>
#include <vector>

namespace halcyon::io {
namespace {

/// All messages that this rank sends, or all that it receives: one buffer per peer.
class Messages {
 public:
  Messages(const comm::Communicator& comm, std::span<const PeerRange> ranges, std::size_t item_bytes)
      : comm_(comm), ranges_(ranges) {
    for (const auto& range : ranges) buffers_.emplace_back(range.count * item_bytes);
    MPI_Type_contiguous(static_cast<int>(item_bytes), MPI_BYTE, &item_);  // for messages beyond 2^31 bytes
    MPI_Type_commit(&item_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages() { MPI_Type_free(&item_); }

  Buffer& buffer(std::size_t range) { return buffers_[range]; }

  void start(bool receive, int tag, std::vector<MPI_Request>& requests) {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      auto& data = buffers_[i];
      const int n = static_cast<int>(ranges_[i].count);
      auto& request = requests.emplace_back();
      comm::check(receive ? MPI_Irecv(data.data(), n, item_, ranges_[i].peer, tag, comm_.get(), &request)
                          : MPI_Isend(data.data(), n, item_, ranges_[i].peer, tag, comm_.get(), &request),
                  "a message between a rank and its I/O rank");
    }
  }

 private:
  const comm::Communicator& comm_;
  std::span<const PeerRange> ranges_;
  std::vector<Buffer> buffers_;
  MPI_Datatype item_ = MPI_DATATYPE_NULL;
};

template <class AnyField>
std::size_t total_item_bytes(std::span<const AnyField> fields) {
  std::size_t sum = 0;
  for (const auto& field : fields) sum += field.item_bytes;
  return sum;
}

void wait(std::vector<MPI_Request>& requests) {
  comm::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
}

/// On an I/O rank: calls copy(row, offset, n) for each item and field of a message, with the address of the
/// value in `rows`, its offset in the message, and its size [bytes].
template <class AnyField, class Bytes, class Copy>
void for_each_row(const Placement& placement, const Slice& slice, std::span<const AnyField> fields,
                  const PeerRange& range, Bytes* rows, const Copy& copy) {
  std::size_t offset = 0;
  for (const auto& field : fields) {
    for (auto i = range.first; i < range.first + range.count; ++i, offset += field.item_bytes)
      copy(rows + (placement.rows()[i] - slice.first_row) * field.item_bytes, offset, field.item_bytes);
    rows += slice.n_rows * field.item_bytes;
  }
}

/// Calls copy(item, offset, n) for each item and field of a message, with the address of the value in the
/// field, its offset in the message, and its size [bytes].
template <class AnyField, class Copy>
void for_each_item(const Placement& placement, std::span<const AnyField> fields, const PeerRange& range,
                   const Copy& copy) {
  std::size_t offset = 0;
  for (const auto& field : fields)
    for (auto i = range.first; i < range.first + range.count; ++i, offset += field.item_bytes)
      copy(field.values + placement.order()[i] * field.item_bytes, offset, field.item_bytes);
}

}  // namespace

Buffer send_to_io_ranks(const Placement& placement, const Slice& slice, std::span<const ConstField> fields) {
  const auto& comm = placement.ranks().comm();
  const auto item_bytes = total_item_bytes(fields);
  const auto tag = comm.new_tag();
  Messages item_messages(comm, slice.items_per_io_rank, item_bytes),
      row_messages(comm, slice.rows_per_rank, item_bytes);
  std::vector<MPI_Request> requests;
  row_messages.start(/*receive=*/true, tag.number(), requests);
  for (std::size_t i = 0; i < slice.items_per_io_rank.size(); ++i)
    for_each_item(placement, fields, slice.items_per_io_rank[i],
                  [&](const std::byte* item, std::size_t offset, std::size_t n) {
                    std::memcpy(item_messages.buffer(i).data() + offset, item, n);
                  });
  item_messages.start(/*receive=*/false, tag.number(), requests);
  wait(requests);
  Buffer rows(slice.n_rows * item_bytes);
  for (std::size_t i = 0; i < slice.rows_per_rank.size(); ++i)
    for_each_row(placement, slice, fields, slice.rows_per_rank[i], rows.data(),
                 [&](std::byte* row, std::size_t offset, std::size_t n) {
                   std::memcpy(row, row_messages.buffer(i).data() + offset, n);
                 });
  return rows;
}

void receive_from_io_ranks(const Placement& placement, const Slice& slice, std::span<const Field> fields,
                           const Buffer& rows) {
  const auto& comm = placement.ranks().comm();
  const auto item_bytes = total_item_bytes(fields);
  const auto tag = comm.new_tag();
  Messages item_messages(comm, slice.items_per_io_rank, item_bytes),
      row_messages(comm, slice.rows_per_rank, item_bytes);
  std::vector<MPI_Request> requests;
  item_messages.start(/*receive=*/true, tag.number(), requests);
  for (std::size_t i = 0; i < slice.rows_per_rank.size(); ++i)
    for_each_row(placement, slice, fields, slice.rows_per_rank[i], rows.data(),
                 [&](const std::byte* row, std::size_t offset, std::size_t n) {
                   std::memcpy(row_messages.buffer(i).data() + offset, row, n);
                 });
  row_messages.start(/*receive=*/false, tag.number(), requests);
  wait(requests);
  for (std::size_t i = 0; i < slice.items_per_io_rank.size(); ++i)
    for_each_item(placement, fields, slice.items_per_io_rank[i],
                  [&](std::byte* item, std::size_t offset, std::size_t n) {
                    std::memcpy(item, item_messages.buffer(i).data() + offset, n);
                  });
}

}  // namespace halcyon::io
