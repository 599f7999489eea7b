#include "halcyon/schedule/record_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <istream>
#include <ostream>
#include <sstream>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

constexpr const char* kTitle = "halcyon schedule 1";
constexpr std::array kActions{"send", "receive", "start", "wait", "copy", "combine", "compute"};

std::string text(const Block& block) {
  return fmt::format("{} {} {} {} {}", block.buffer, block.offset_bytes, block.size_bytes, block.count,
                     block.stride_bytes);
}

std::string text(const Operation& operation) {
  const auto* action = kActions[static_cast<std::size_t>(operation.action)];
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

/// Reads lines, each of a word and what belongs to it.
class Reader {
 public:
  Reader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  /// Goes to the next line. @returns whether there is one
  bool line() {
    std::string text;
    if (!std::getline(in_, text)) return false;
    ++number_;
    words_ = std::istringstream(text);
    words_ >> word_;
    return true;
  }
  const std::string& word() const { return word_; }

  template <class T>
  T take() {
    T value{};
    expect(bool(words_ >> value));
    return value;
  }
  bool more() { return bool(words_ >> std::ws) && !words_.eof(); }
  std::string rest() {
    std::string text;
    std::getline(words_ >> std::ws, text);
    return text;
  }
  void expect(bool fits) const {
    require<InputError>(fits, "{}:{}: this is no line of a recorded schedule. Record it again.", name_,
                        number_);
  }
  Block block() {
    Block block;
    block.buffer = take<std::int32_t>();
    block.offset_bytes = take<std::int64_t>();
    block.size_bytes = take<std::int64_t>();
    block.count = take<std::int64_t>();
    block.stride_bytes = take<std::int64_t>();
    return block;
  }

  Operation operation() {
    const auto found = std::ranges::find(kActions, word_);
    expect(found != kActions.end());
    Operation read{.action = static_cast<Action>(found - kActions.begin())};
    const bool message = read.action <= Action::receive;
    if (message) read.peer = take<Rank>();
    if (message || read.action <= Action::wait) read.round = take<std::int32_t>();
    if (message || read.action == Action::copy || read.action == Action::combine) read.block = block();
    if (read.action == Action::copy || read.action == Action::combine) read.target = block();
    if (read.action == Action::compute) read.work = take<std::int32_t>();
    if (read.action == Action::compute) read.seconds = take<double>();
    return read;
  }

 private:
  std::istream& in_;
  const std::string& name_;
  std::istringstream words_;
  std::string word_;
  std::int64_t number_ = 0;
};

}  // namespace

std::ofstream begin_file(const std::filesystem::path& path) {
  std::ofstream out(unfinished(path));
  require<RunError>(bool(out), "{} cannot be written.", path.string());
  return out;
}

void finish_file(std::ofstream& out, const std::filesystem::path& path) {
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(unfinished(path), path, failure);
  require<RunError>(out && !failure, "{} cannot be written.", path.string());
}

void write_head(std::ostream& out, std::size_t n_ranks, const std::vector<Buffer>& buffers) {
  out << kTitle << "\nranks " << n_ranks << "\n";
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

Recorded read_record(std::istream& in, const std::string& name) {
  Reader reader(in, name);
  std::vector<Buffer> buffers;
  std::vector<Record> records;
  reader.expect(reader.line() && reader.word() + " " + reader.rest() == kTitle);
  reader.expect(reader.line() && reader.word() == "ranks");
  const auto n_ranks = reader.take<std::int64_t>();
  while (reader.line()) {
    const auto& word = reader.word();
    if (word == "buffer" || word == "scratch") {
      buffers.push_back({reader.rest(), word == "scratch"});
    } else if (word == "rank") {
      records.emplace_back();
      while (reader.more()) records.back().buffer_bytes.push_back(reader.take<std::int64_t>());
    } else if (reader.expect(!records.empty()); word == "part") {
      records.back().parts.emplace_back();
    } else if (word == "run") {
      const auto part = reader.take<std::int32_t>();
      records.back().events.push_back({part, reader.take<double>()});
    } else {
      reader.expect(!records.back().parts.empty());
      records.back().parts.back().push_back(reader.operation());
    }
  }
  require<InputError>(std::ssize(records) == n_ranks, "{} has {} of {} ranks. Record it again.", name,
                      records.size(), n_ranks);
  return {std::move(buffers), std::move(records)};
}

Recorded Recorded::read(const std::filesystem::path& path) {
  std::ifstream in(path);
  require<InputError>(bool(in), "{} cannot be read. Give a file that a run has recorded.", path.string());
  return read_record(in, path.string());
}

void Recorded::write(const std::filesystem::path& path) const {
  auto out = begin_file(path);
  write_head(out, records_.size(), buffers_);
  for (const auto& record : records_) write_rank(out, record);
  finish_file(out, path);
}

}  // namespace halcyon::schedule
