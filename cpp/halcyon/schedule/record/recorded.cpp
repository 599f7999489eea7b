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

namespace {

__extension__ using Wide = __int128;  // offsets and strides may be any numbers

/// Lines, each of a word and what belongs to it.
class Lines {
 public:
  Lines(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  /// Goes to the next line. @returns whether there is one
  bool next() {
    std::string text;
    if (!std::getline(in_, text)) return false;
    ++number_;
    words_ = std::istringstream(text);
    word_.clear();
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
  /// A number of low .. high.
  template <class T>
  T take(const char* what, T low, T high) {
    const T value = take<T>();
    require(value >= low && value <= high, "{} {} is none of {} .. {}", what, value, low, high);
    return value;
  }
  bool more() { return bool(words_ >> std::ws) && !words_.eof(); }
  void end() { require(!more(), "there is more than belongs to it"); }
  std::string rest() {
    std::string text;
    std::getline(words_ >> std::ws, text);
    return text;
  }

  void expect(bool fits) const { require(fits, "this is no line of a recorded schedule"); }
  template <class... Args>
  void require(bool fits, fmt::format_string<Args...> text, Args&&... args) const {
    if (fits) return;
    const auto what = fmt::format(text, std::forward<Args>(args)...);
    throw InputError(fmt::format("{}:{}: {}. Record it again.", name_, number_, what));
  }

 private:
  std::istream& in_;
  const std::string& name_;
  std::istringstream words_;
  std::string word_;
  std::int64_t number_ = 0;
};

/// What the lines say, as far as they were read.
class Reader {
 public:
  Reader(std::istream& in, const std::string& name) : lines_(in, name), name_(name) {}

  Recorded record() {
    require<InputError>(lines_.next(), "{} is empty. Give a file that a run has recorded.", name_);
    lines_.expect(lines_.word() + " " + lines_.rest() == kRecordTitle);
    lines_.expect(lines_.next() && lines_.word() == "ranks");
    n_ranks_ = lines_.take<Rank>("the number of ranks", 1, kMost);
    lines_.end();
    while (lines_.next()) take_line();
    require<InputError>(std::ssize(records_) == n_ranks_, "{} has {} of {} ranks. Record it again.", name_,
                        records_.size(), n_ranks_);
    return {std::move(buffers_), std::move(records_)};
  }

 private:
  static constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

  void take_line() {
    const auto word = lines_.word();
    if (word == "buffer" || word == "scratch") {
      lines_.require(records_.empty(), "buffers are named before the first rank");
      buffers_.push_back({lines_.rest(), word == "scratch"});
      return;
    }
    if (word == "rank") {
      begin_rank();
    } else if (lines_.expect(!records_.empty()); word == "part") {
      records_.back().parts.emplace_back();
    } else if (word == "run") {
      take_event(records_.back());
    } else {
      lines_.expect(!records_.back().parts.empty());
      records_.back().parts.back().push_back(operation());
    }
    lines_.end();
  }

  void begin_rank() {
    lines_.require(std::ssize(records_) < n_ranks_, "there are more than {} ranks", n_ranks_);
    auto& bytes = records_.emplace_back().buffer_bytes;
    while (lines_.more()) bytes.push_back(lines_.take<std::int64_t>("the size of a buffer", 0, kMostBytes));
    lines_.require(bytes.size() == buffers_.size(), "the rank has {} of {} buffers", bytes.size(),
                   buffers_.size());
  }

  void take_event(Record& record) {
    const auto part = lines_.take<std::int32_t>();
    lines_.require(part >= 0 && part < std::ssize(record.parts), "there is no part {}, but {} parts", part,
                   record.parts.size());
    record.events.push_back({part, seconds()});
  }

  double seconds() { return lines_.take<double>("the time [s]", 0.0, kLongestWork); }

  Operation operation() {
    const auto found = std::ranges::find(kActionWords, lines_.word());
    lines_.expect(found != kActionWords.end());
    Operation read{.action = static_cast<Action>(found - kActionWords.begin())};
    const bool message = read.action <= Action::receive;
    const bool two_blocks = read.action == Action::copy || read.action == Action::combine;
    if (message) read.peer = lines_.take<Rank>("the rank", 0, n_ranks_ - 1);
    if (message || read.action <= Action::wait) read.round = lines_.take<std::int32_t>("the round", 0, kMost);
    if (message || two_blocks) read.block = block();
    if (two_blocks) read.target = block();
    if (message || read.action == Action::combine) {
      lines_.require(read.block.count == 1, "a block has {} ranges, but here it may have one",
                     read.block.count);
    }
    if (two_blocks) {
      lines_.require(read.block.size_bytes == read.target.size_bytes && read.block.count == read.target.count,
                     "the two blocks are not of one size");
    }
    if (read.action == Action::compute) read.work = lines_.take<std::int32_t>();
    if (read.action == Action::compute) read.seconds = seconds();
    return read;
  }

  Block block() {
    Block block;
    block.buffer = lines_.take<std::int32_t>();
    lines_.require(block.buffer >= 0 && block.buffer < std::ssize(buffers_),
                   "there is no buffer {}, but {} buffers", block.buffer, buffers_.size());
    const auto bytes = records_.back().buffer_bytes[block.buffer];
    block.offset_bytes = lines_.take<std::int64_t>("the offset", 0, kMostBytes);
    block.size_bytes = lines_.take<std::int64_t>("the size", 0, kMostBytes);
    block.count = lines_.take<std::int64_t>("the number of ranges", 0, kMostBytes);
    block.stride_bytes = lines_.take<std::int64_t>();
    const Wide last = Wide{block.offset_bytes} + Wide{block.count - 1} * block.stride_bytes;
    lines_.require(std::min<Wide>(block.offset_bytes, last) >= 0 &&
                       std::max<Wide>(block.offset_bytes, last) + block.size_bytes <= bytes,
                   "a block leaves its buffer of {} bytes", bytes);
    return block;
  }

  Lines lines_;
  const std::string& name_;
  Rank n_ranks_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<Record> records_;
};

}  // namespace

Recorded read_record(std::istream& in, const std::string& name) {
  return Reader(in, name).record();
}

Recorded Recorded::read(const std::filesystem::path& path) {
  std::ifstream in(path);
  require<InputError>(bool(in) && !std::filesystem::is_directory(path),
                      "{} cannot be read. Give a file that a run has recorded.", path.string());
  return read_record(in, path.string());
}

}  // namespace halcyon::schedule
