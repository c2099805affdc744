// SPDX-License-Identifier: Apache-2.0
#include "tools/link/executable.h"

#include <cstring>
#include <string_view>

#include "base/digest.h"

namespace mbc::tools {
namespace {

// The end of the file: the size of the data before it, their check sum, and an identifying word.
constexpr std::string_view kWord = "mbc executable 1";
constexpr std::size_t kEnd = 2 * sizeof(std::uint64_t) + kWord.size();

}  // namespace

Embedded embedded(const Model& model, const std::string& name, const std::string& simulation,
                  const std::vector<std::string>& set) {
  Embedded out;
  out.version = version();
  out.name = name;
  out.simulation = simulation;
  out.set = set;
  for (ModelText& t : model_texts(model)) {
    if (t.kind == ModelText::Kind::model) out.text = std::move(t.text);
    if (t.kind != ModelText::Kind::file) continue;
    out.file_names.push_back(std::move(t.name));
    out.file_texts.push_back(std::move(t.text));
  }
  return out;
}

std::string executable(const std::string& program, Embedded embedded) {
  Archive archive;
  archive(embedded);
  const std::string& bytes = archive.bytes();
  const std::uint64_t end[] = {bytes.size(), digest(bytes)};
  std::string out = program + bytes;
  out.append(reinterpret_cast<const char*>(end), sizeof end);
  return out.append(kWord);
}

std::optional<Embedded> embedded_in(const std::string& executable) {
  if (executable.size() < kEnd || !executable.ends_with(kWord)) return {};
  std::uint64_t end[2] = {};
  std::memcpy(end, executable.data() + executable.size() - kEnd, sizeof end);
  if (end[0] > executable.size() - kEnd) return {};
  const std::string bytes = executable.substr(executable.size() - kEnd - end[0], end[0]);
  if (digest(bytes) != end[1]) return {};
  Archive archive(bytes);
  Embedded out;
  archive(out);
  if (!archive.good() || !archive.at_end() || out.file_names.size() != out.file_texts.size()) return {};
  return out;
}

}  // namespace mbc::tools
