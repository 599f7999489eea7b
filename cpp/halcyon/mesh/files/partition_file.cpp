#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

namespace halcyon::mesh {
namespace {

constexpr std::string_view kSuffix = ".part.";

/// Returns the integer that a text consists of; nullopt if the text is not an integer.
std::optional<Rank> parse_integer(std::string_view text) {
  Rank value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns N of a path that ends in .part.N; nullopt for other paths.
std::optional<Rank> n_parts_of_name(std::string_view path) {
  const auto start = path.rfind(kSuffix);
  return start == path.npos ? std::nullopt : parse_integer(path.substr(start + kSuffix.size()));
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in.good() && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  require<InputError>(!in.bad() && in.is_open(), "The partition {} cannot be read: {}.", path,
                      std::strerror(errno));
  return std::move(text).str();
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = line.find_first_not_of(kBlanks);
  return first == line.npos ? "" : line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

/// Parses one line of a partition file. @param location returns file and line for the error text
template <class Location>
Rank parse_part(std::string_view line, Rank n_parts, Location location) {
  const auto part = parse_integer(line);
  if (part && *part >= 0 && *part < n_parts) return *part;
  throw InputError(
      fmt::format("{}: the part of a cell is '{}', but must be a whole number from 0 to {}. Make the "
                  "file again, for example with `halcyon partition`.",
                  location(), line.substr(0, 40), n_parts - 1));
}

void require_all_parts(const std::string& path, const std::vector<Rank>& parts, Rank n_parts) {
  std::vector<std::uint8_t> is_used(n_parts, 0);
  for (const Rank part : parts) is_used[part] = 1;
  const auto empty = std::ranges::find(is_used, 0) - is_used.begin();
  require<InputError>(empty == n_parts,
                      "{}: no cell is in part {}, but there are the parts 0..{}. Make the file again, for "
                      "example with `halcyon partition`.",
                      path, empty, n_parts - 1);
}

}  // namespace

void write_partition(const std::string& path, std::span<const Rank> parts) {
  write_atomically(path, [&](const std::string& temporary_path) {
    std::string text;
    for (const Rank part : parts) fmt::format_to(std::back_inserter(text), "{}\n", part);
    std::ofstream out(temporary_path, std::ios::binary);
    out << text;
    out.close();
    require<RunError>(out.good(), "Cannot write {}. Check the folder, its permissions and free space.",
                      temporary_path);
  });
}

std::vector<Rank> read_partition(const std::string& path, LocalIndex n_cells) {
  const std::string text = read_text(path);
  const auto n_parts_in_name = n_parts_of_name(path);
  const Rank max_parts = n_parts_in_name.value_or(n_cells);
  require<InputError>(
      max_parts >= 1 && max_parts <= n_cells,
      "{}: the name says {} parts, but the mesh has {} cells. Take the partition of this mesh.", path,
      max_parts, n_cells);
  std::vector<Rank> parts;
  Rank largest_part = 0;
  std::string_view remaining = text;
  while (!remaining.empty()) {
    const auto end = std::min(remaining.find('\n'), remaining.size());
    const auto line = trimmed(remaining.substr(0, end));
    remaining.remove_prefix(std::min(end + 1, remaining.size()));
    if (line.empty() && trimmed(remaining).empty()) break;
    parts.push_back(
        parse_part(line, max_parts, [&] { return fmt::format("{}:{}", path, parts.size() + 1); }));
    largest_part = std::max(largest_part, parts.back());
  }
  require<InputError>(
      std::ssize(parts) == n_cells,
      "{}:{}: the file ends after {} parts, but the mesh has {} cells. Take the partition of this "
      "mesh.",
      path, parts.size(), parts.size(), n_cells);
  require_all_parts(path, parts, n_parts_in_name.value_or(largest_part + 1));
  return parts;
}

namespace {

constexpr std::size_t kBlockBytes = 1 << 20;  // text that is collected before it is written

void append_number(std::string& text, LocalIndex number) {
  char digits[16];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// Appends the line of a cell: its neighbours, one-based.
void append_line(std::string& text, const Mesh& mesh, LocalIndex cell) {
  const std::size_t begin = text.size();
  for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    if (mesh.cells_on_cell[i] == kNone) continue;
    if (text.size() > begin) text += ' ';
    append_number(text, mesh.cells_on_cell[i] + 1);
  }
  text += '\n';
}

void write_adjacency(const std::string& path, const Mesh& mesh) {
  std::ofstream out(path, std::ios::binary);
  const auto check = [&] {
    require<RunError>(out.good(), "Cannot write {}. Check the folder, its permissions and free space.", path);
  };
  check();
  const auto n_inner =
      std::ranges::count_if(mesh.cells_on_edge, [](auto& cells) { return cells[1] != kNone; });
  std::string text = fmt::format("{} {}\n", mesh.n_cells(), n_inner);
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    append_line(text, mesh, c);
    if (text.size() < kBlockBytes) continue;
    out << text;
    text.clear();
  }
  out << text;
  out.close();
  check();
}

}  // namespace

void write_graph_info(const std::string& path, const Mesh& mesh) {
  write_atomically(path, [&](const std::string& temporary_path) { write_adjacency(temporary_path, mesh); });
}

}  // namespace halcyon::mesh
