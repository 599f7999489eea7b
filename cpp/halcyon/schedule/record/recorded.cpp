#include "halcyon/schedule/record/recorded.hpp"

#include <ostream>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

Recorded::Recorded(std::vector<Buffer> buffers, std::vector<Record> records)
    : buffers_(std::move(buffers)), records_(std::move(records)) {
  for (std::size_t rank = 0; rank < records_.size(); ++rank) {
    const auto& [bytes, parts, events] = records_[rank];
    require<InputError>(bytes.size() == buffers_.size(), "Rank {} of a record has {} of {} buffers.", rank,
                        bytes.size(), buffers_.size());
    for (const auto& event : events) {
      require<InputError>(event.part >= 0 && event.part < std::ssize(parts),
                          "Rank {} of a record runs part {} of {}.", rank, event.part, parts.size());
    }
  }
}

/// A cursor's position is that of an event, its detail 0 before the computation, then the next operation of
/// the part and 1.
bool Recorded::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto& [bytes, parts, events] = records_[rank];
  for (; cursor.position < events.size(); cursor = {cursor.position + 1, 0}) {
    const auto& [part, compute_s] = events[cursor.position];
    if (cursor.detail == 0 && compute_s > 0) {
      operation = {.action = Action::compute, .seconds = compute_s};
      cursor.detail = 1;
      return true;
    }
    const auto at = cursor.detail == 0 ? 0 : cursor.detail - 1;
    if (at >= parts[part].size()) continue;
    operation = parts[part][at];
    cursor.detail = at + 2;
    return true;
  }
  return false;
}

namespace {

std::string text(const Block& block) {
  return fmt::format("{} {} {} {} {}", block.buffer, block.offset_bytes, block.size_bytes, block.count,
                     block.stride_bytes);
}

std::string text(const Operation& operation) {
  const auto* action = kActionWords[static_cast<std::size_t>(operation.action)];
  switch (operation.action) {
    case Action::send:
    case Action::receive:
      return fmt::format("{} {} {} {}", action, operation.peer, operation.round, text(operation.block));
    case Action::start:
    case Action::wait:
      return fmt::format("{} {}", action, operation.round);
    case Action::copy:
    case Action::combine:
      return fmt::format("{} {} {}", action, text(operation.block), text(operation.target));
    default:
      return fmt::format("{} {} {}", action, operation.work, operation.seconds);
  }
}

std::filesystem::path unfinished(std::filesystem::path path) {
  return path += ".part";
}

}  // namespace

void require_writable(const std::filesystem::path& path) {
  require<RunError>(!std::filesystem::is_directory(path), "{} is a folder. Give the name of a file in it.",
                    path.string());
  begin_file(path).close();
  std::filesystem::remove(unfinished(path));
}

std::ofstream begin_file(const std::filesystem::path& path) {
  std::ofstream out(unfinished(path));
  require<RunError>(bool(out), "{} cannot be written. Check the folder and its permissions.", path.string());
  return out;
}

void finish_file(std::ofstream& out, const std::filesystem::path& path) {
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(unfinished(path), path, failure);
  require<RunError>(out && !failure, "{} cannot be written.", path.string());
}

void write_head(std::ostream& out, std::size_t n_ranks, const std::vector<Buffer>& buffers) {
  out << kRecordTitle << "\nranks " << n_ranks << "\n";
  for (const auto& buffer : buffers) out << (buffer.scratch ? "scratch " : "buffer ") << buffer.name << "\n";
}

void write_rank(std::ostream& out, const Record& record) {
  out << "rank";
  for (const auto bytes : record.buffer_bytes) out << " " << bytes;
  out << "\n";
  for (const auto& part : record.parts) {
    out << "part\n";
    for (const auto& operation : part) out << text(operation) << "\n";
  }
  for (const auto& [part, compute_s] : record.events) out << fmt::format("run {} {}\n", part, compute_s);
}

void Recorded::write(const std::filesystem::path& path) const {
  auto out = begin_file(path);
  write_head(out, records_.size(), buffers_);
  for (const auto& record : records_) write_rank(out, record);
  finish_file(out, path);
}

}  // namespace halcyon::schedule
