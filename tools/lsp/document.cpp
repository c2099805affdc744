// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/document.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/read_file.h"
#include "base/stopwatch.h"

namespace mbc::lsp {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostStates = 300;  // largest model whose degrees of freedom are shown beside the text

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string stem_of(const std::string& file) { return fs::path(file).filename().string(); }

// Returns a read-only file with the text of a module of the library.
std::string copied(const std::string& folder, const IndexedFile& file) {
  const fs::path path = fs::path(folder) / stem_of(file.name);
  std::string there, error;
  if (read_file(path.string(), there, error) && there == file.text) return path.string();
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  fs::remove(path, ignored);
  std::ofstream(path, std::ios::binary) << file.text;
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read, ignored);
  return fs::exists(path, ignored) ? path.string() : "";
}

}  // namespace

CompileOptions compile_options(const std::string& path, const Setup& setup) {
  CompileOptions options;
  options.interpret = true;
  options.cache = false;
  options.facts = true;
  options.stdlib = setup.stdlib;
  if (path.empty()) return options;
  const std::string folder = fs::path(path).parent_path().string();
  options.folder = folder.empty() ? "." : folder;
  return options;
}

void Document::analyse(const Setup& setup) {
  if (!stale) return;
  const auto begin = Clock::now();
  model = Model::from_string(text.str(), path.empty() ? "<unnamed>" : path, compile_options(path, setup));
  Result<SourceIndex> made = source_index(model);
  indexed = static_cast<bool>(made);
  if (index.whole) earlier = std::move(index);
  index = made ? std::move(*made) : SourceIndex{};
  freedoms.reset();
  stale = false;
  seconds = seconds_since(begin);
}

std::optional<int> Document::degrees_of_freedom() {
  if (freedoms) return *freedoms;
  freedoms.emplace();
  if (stale || !model.ok() || model.state_size() > kMostStates) return *freedoms;
  Result<Simulation> simulation = Simulation::create(model);
  if (!simulation) return *freedoms;
  const std::vector<double> state(simulation->state().begin(), simulation->state().end());
  const Result<RowSet> rows = simulation->rows(simulation->time(), state);
  if (rows) *freedoms = static_cast<int>(rows->n) - rows->rank;
  return *freedoms;
}

const IndexUse* Document::use_at(std::uint32_t offset) const {
  for (const IndexUse& u : index.uses)
    if (u.place.file == 0 && u.place.begin <= offset && offset <= u.place.end) {
      const IndexUse* next = &u + 1;  // between two words, the one that begins there counts
      const bool better =
          next < index.uses.data() + index.uses.size() && next->place.file == 0 && next->place.begin == offset;
      return better ? next : &u;
    }
  return nullptr;
}

const IndexFact* Document::fact_of(const TextRange& place) const {
  if (place.file != 0 || place.end == place.begin) return nullptr;
  const auto less = [](const IndexFact& f, const TextRange& p) {
    return f.place.begin != p.begin ? f.place.begin < p.begin : f.place.end < p.end;
  };
  const auto found = std::lower_bound(index.facts.begin(), index.facts.end(), place, less);
  return found != index.facts.end() && found->place == place ? &*found : nullptr;
}

const IndexFact* Document::fact_ending(const TextRange& place) const {
  const IndexFact* best = nullptr;
  for (const IndexFact& f : index.facts)
    if (f.place.end == place.end && f.place.begin <= place.begin && (!best || f.place.begin > best->place.begin))
      best = &f;
  return best;
}

std::string_view Document::text_of(const TextRange& place) const {
  if (place.file >= index.files.size()) return {};
  const std::string_view all = place.file == 0 ? std::string_view(text.str()) : index.files[place.file].text;
  const std::size_t begin = std::min<std::size_t>(place.begin, all.size());
  return all.substr(begin, std::clamp<std::size_t>(place.end, begin, all.size()) - begin);
}

std::string path_of(const std::string& uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return "";
  std::size_t at = uri.find('/', kScheme.size());  // after the host
  std::string out;
  for (; at != std::string::npos && at < uri.size(); ++at) {
    const int high = uri[at] == '%' && at + 2 < uri.size() ? hex(uri[at + 1]) : -1;
    const int low = high >= 0 ? hex(uri[at + 2]) : -1;
    if (low >= 0) at += 2;
    out += low >= 0 ? static_cast<char>(16 * high + low) : uri[at];
  }
  return out.find('\0') == std::string::npos ? out : "";
}

std::string uri_of(const std::string& path) {
  std::string out = "file://";
  std::error_code error;
  for (const char c : fs::absolute(path, error).lexically_normal().string()) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("/-_.~").find(c) != std::string_view::npos;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      out.append({'%', kDigits[byte >> 4u], kDigits[byte & 15u]});
  }
  return out;
}

std::optional<Openable> openable(const Document& document, std::uint32_t file, const Setup& setup) {
  if (file == 0) return Openable{document.uri, document.text};
  if (file >= document.index.files.size()) return {};
  const IndexedFile& of = document.index.files[file];
  if (!of.standard || !setup.stdlib.empty()) return Openable{uri_of(of.name), Text(of.text)};
  const std::string copy = setup.copies.empty() ? "" : copied(setup.copies, of);
  if (copy.empty()) return {};
  return Openable{uri_of(copy), Text(of.text)};
}

}  // namespace mbc::lsp
