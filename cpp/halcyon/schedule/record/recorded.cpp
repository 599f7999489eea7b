#include "halcyon/schedule/record/recorded.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <limits>
#include <ostream>
#include <sstream>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

RecordedSchedule::RecordedSchedule(std::vector<Buffer> buffers, std::vector<RankRecord> records)
    : buffers_(std::move(buffers)), records_(std::move(records)) {
  for (std::size_t rank = 0; rank < records_.size(); ++rank) {
    const auto& [buffer_bytes, parts, events] = records_[rank];
    require<InputError>(buffer_bytes.size() == buffers_.size(),
                        "Rank {} of a record has the sizes of {} buffers, but the record has {} buffers.",
                        rank, buffer_bytes.size(), buffers_.size());
    for (const auto& event : events)
      require<InputError>(event.part >= 0 && event.part < std::ssize(parts),
                          "Rank {} of a record runs part {}, but has only {} parts.", rank, event.part,
                          parts.size());
  }
}

/// The position of a cursor is the index of an event. The detail is 0 before the event's computation, then 1
/// + the index of the next operation of the event's part.
bool RecordedSchedule::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto& [buffer_bytes, parts, events] = records_[rank];
  for (; cursor.position < events.size(); cursor = {cursor.position + 1, 0}) {
    const auto& [part, compute_s] = events[cursor.position];
    if (cursor.detail == 0 && compute_s > 0) {
      operation = {.action = Action::compute, .seconds = compute_s};
      cursor.detail = 1;
      return true;
    }
    const auto index = cursor.detail == 0 ? 0 : cursor.detail - 1;
    if (index >= parts[part].size()) continue;
    operation = parts[part][index];
    cursor.detail = index + 2;
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
  const auto* action = kActionNames[static_cast<std::size_t>(operation.action)];
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

}  // namespace

void require_writable(const std::filesystem::path& path) {
  require<RunError>(!std::filesystem::is_directory(path), "{} is a folder. Give the name of a file in it.",
                    path.string());
  const RecordFile file(path);
}

RecordFile::RecordFile(const std::filesystem::path& path) : part_(path.string()), out_(part_.path()) {
  require<RunError>(bool(out_), "{} cannot be written. Check the folder and its permissions.", path.string());
}

void RecordFile::finish() {
  out_.close();
  require<RunError>(bool(out_), "{} cannot be written. Check the disk and its free space.", part_.path());
  part_.finish();
}

void write_header(std::ostream& out, std::size_t n_ranks, const std::vector<Buffer>& buffers) {
  out << kRecordTitle << "\nranks " << n_ranks << "\n";
  for (const auto& buffer : buffers) out << (buffer.scratch ? "scratch " : "buffer ") << buffer.name << "\n";
}

void write_rank(std::ostream& out, const RankRecord& record) {
  out << "rank";
  for (const auto bytes : record.buffer_bytes) out << " " << bytes;
  out << "\n";
  for (const auto& part : record.parts) {
    out << "part\n";
    for (const auto& operation : part) out << text(operation) << "\n";
  }
  for (const auto& [part, compute_s] : record.events) out << fmt::format("run {} {}\n", part, compute_s);
}

void RecordedSchedule::write(const std::filesystem::path& path) const {
  RecordFile file(path);
  write_header(file.out(), records_.size(), buffers_);
  for (const auto& record : records_) write_rank(file.out(), record);
  file.finish();
}

namespace {

__extension__ using Wide = __int128;  // holds the product of any two 64-bit numbers of a file

/// Parser of lines, each of which has a word (`word()`), followed by arguments.
class LineReader {
 public:
  LineReader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  /// Advances to the next line. @returns false at the end of the file
  bool next() {
    std::string text;
    if (!std::getline(in_, text)) return false;
    ++line_number_;
    words_ = std::istringstream(text);
    word_.clear();
    words_ >> word_;
    return true;
  }
  const std::string& word() const { return word_; }

  template <class T>
  T read() {
    T value{};
    expect(bool(words_ >> value));
    return value;
  }
  /// Reads a number between low and high.
  template <class T>
  T read(const char* label, T low, T high) {
    const T value = read<T>();
    require(value >= low && value <= high, "{} is {}, but must be {} to {}", label, value, low, high);
    return value;
  }
  bool has_more() { return bool(words_ >> std::ws) && !words_.eof(); }
  void expect_end() { require(!has_more(), "the line has too many words"); }
  std::string rest_of_line() {
    std::string text;
    std::getline(words_ >> std::ws, text);
    return text;
  }

  void expect(bool fits) const { require(fits, "not a line of a recorded schedule"); }
  template <class... Args>
  void require(bool fits, fmt::format_string<Args...> text, Args&&... args) const {
    if (fits) return;
    const auto problem = fmt::format(text, std::forward<Args>(args)...);
    throw InputError(fmt::format("{}:{}: {}. Record it again.", name_, line_number_, problem));
  }

 private:
  std::istream& in_;
  const std::string& name_;
  std::istringstream words_;
  std::string word_;
  std::int64_t line_number_ = 0;
};

/// Parser of a record, line by line.
class RecordReader {
 public:
  RecordReader(std::istream& in, const std::string& name) : lines_(in, name), name_(name) {}

  RecordedSchedule record() {
    require<InputError>(lines_.next(), "{} is empty. Give a record file of a run.", name_);
    lines_.expect(lines_.word() + " " + lines_.rest_of_line() == kRecordTitle);
    lines_.expect(lines_.next() && lines_.word() == "ranks");
    n_ranks_ = lines_.read<Rank>("the number of ranks", 1, kMax);
    lines_.expect_end();
    while (lines_.next()) parse_line();
    require<InputError>(std::ssize(records_) == n_ranks_, "{} has {} of {} ranks. Record it again.", name_,
                        records_.size(), n_ranks_);
    return {std::move(buffers_), std::move(records_)};
  }

 private:
  static constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t kMaxBytes = std::numeric_limits<std::int64_t>::max();

  void parse_line() {
    const auto word = lines_.word();
    if (word == "buffer" || word == "scratch") {
      lines_.require(records_.empty(), "buffers must be named before the first rank");
      buffers_.push_back({lines_.rest_of_line(), word == "scratch"});
      return;
    }
    if (word == "rank") {
      begin_rank();
    } else if (lines_.expect(!records_.empty()); word == "part") {
      records_.back().parts.emplace_back();
    } else if (word == "run") {
      parse_event(records_.back());
    } else {
      lines_.expect(!records_.back().parts.empty());
      records_.back().parts.back().push_back(operation());
    }
    lines_.expect_end();
  }

  void begin_rank() {
    lines_.require(std::ssize(records_) < n_ranks_, "the record has more than {} ranks", n_ranks_);
    auto& bytes = records_.emplace_back().buffer_bytes;
    while (lines_.has_more())
      bytes.push_back(lines_.read<std::int64_t>("the size of a buffer", 0, kMaxBytes));
    lines_.require(bytes.size() == buffers_.size(), "the rank has {} buffer sizes, but there are {} buffers",
                   bytes.size(), buffers_.size());
  }

  void parse_event(RankRecord& record) {
    const auto part = lines_.read<std::int32_t>();
    lines_.require(part >= 0 && part < std::ssize(record.parts), "there is no part {} among {} parts", part,
                   record.parts.size());
    record.events.push_back({part, seconds()});
  }

  double seconds() { return lines_.read<double>("the time [s]", 0.0, kMaxComputeSeconds); }

  Operation operation() {
    const auto action = std::ranges::find(kActionNames, lines_.word());
    lines_.expect(action != kActionNames.end());
    Operation operation{.action = static_cast<Action>(action - kActionNames.begin())};
    const bool is_message = operation.action <= Action::receive;  // send or receive
    const bool has_two_blocks = operation.action == Action::copy || operation.action == Action::combine;
    if (is_message) operation.peer = lines_.read<Rank>("the rank", 0, n_ranks_ - 1);
    if (is_message || operation.action <= Action::wait)
      operation.round = lines_.read<std::int32_t>("the round", 0, kMax);
    if (is_message || has_two_blocks) operation.block = block();
    if (has_two_blocks) operation.target = block();
    if (is_message || operation.action == Action::combine)
      lines_.require(operation.block.count == 1, "the block has {} ranges, but only one is allowed here",
                     operation.block.count);
    if (has_two_blocks)
      lines_.require(operation.block.size_bytes == operation.target.size_bytes &&
                         operation.block.count == operation.target.count,
                     "the two blocks differ in size");
    if (operation.action == Action::compute) operation.work = lines_.read<std::int32_t>();
    if (operation.action == Action::compute) operation.seconds = seconds();
    return operation;
  }

  Block block() {
    Block block;
    block.buffer = lines_.read<std::int32_t>();
    lines_.require(block.buffer >= 0 && block.buffer < std::ssize(buffers_),
                   "there is no buffer {} among {} buffers", block.buffer, buffers_.size());
    const auto bytes = records_.back().buffer_bytes[block.buffer];
    block.offset_bytes = lines_.read<std::int64_t>("the offset", 0, kMaxBytes);
    block.size_bytes = lines_.read<std::int64_t>("the size", 0, kMaxBytes);
    block.count = lines_.read<std::int64_t>("the number of ranges", 0, kMaxBytes);
    block.stride_bytes = lines_.read<std::int64_t>();
    const Wide last_offset = Wide{block.offset_bytes} + Wide{block.count - 1} * block.stride_bytes;
    lines_.require(std::min<Wide>(block.offset_bytes, last_offset) >= 0 &&
                       std::max<Wide>(block.offset_bytes, last_offset) + block.size_bytes <= bytes,
                   "the block exceeds its buffer of {} bytes", bytes);
    return block;
  }

  LineReader lines_;
  const std::string& name_;
  Rank n_ranks_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<RankRecord> records_;
};

}  // namespace

RecordedSchedule read_record(std::istream& in, const std::string& name) {
  return RecordReader(in, name).record();
}

RecordedSchedule RecordedSchedule::read(const std::filesystem::path& path) {
  std::ifstream in(path);
  require<InputError>(bool(in) && !std::filesystem::is_directory(path),
                      "{} cannot be read. Give a record file of a run.", path.string());
  return read_record(in, path.string());
}

}  // namespace halcyon::schedule
