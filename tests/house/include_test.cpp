// SPDX-License-Identifier: Apache-2.0
// Tests which folders may include which. compiler, runtime and jit are siblings above kernel and do not know each
// other. api joins them, and the program sees only the public interface. Each foreign library is included in few
// places.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/sources.h"

using namespace mbc::house;

namespace {

struct Room {
  std::string_view folder;  // The folder includes everything below it that is not a room of its own.
  std::vector<std::string_view> may_include;
};

// A room is above everything that it may include. "*" is for tests and benchmarks, which may include every room.
const std::vector<Room>& rooms() {
  static const std::vector<Room> kRooms = {
      {"include/mbc", {}},
      {"base", {"include/mbc"}},
      {"base/diagnostics", {"base", "include/mbc"}},

      {"kernel/support", {}},
      {"kernel", {"base", "kernel/support"}},
      {"kernel/problem", {"base", "kernel"}},

      {"compiler/ast", {"base"}},
      {"compiler/parse", {"base", "base/diagnostics", "compiler/ast"}},
      {"compiler/format", {"base", "base/diagnostics", "compiler/ast", "compiler/parse"}},
      {"compiler/graph", {"base", "kernel"}},
      {"compiler/ad", {"compiler/graph", "kernel/problem"}},
      {"compiler/reading", {"base", "compiler/graph", "kernel"}},
      {"compiler/sema",
       {"base", "base/diagnostics", "compiler/ad", "compiler/ast", "compiler/graph", "compiler/parse", "kernel",
        "kernel/problem"}},
      {"compiler/lower", {"base", "base/diagnostics", "compiler/ad", "compiler/graph", "compiler/sema", "kernel"}},
      {"compiler/formulate", {"base", "compiler/graph", "compiler/lower", "kernel", "kernel/support"}},
      {"compiler/equations",
       {"base", "compiler/ad", "compiler/formulate", "compiler/graph", "compiler/lower", "compiler/reading",
        "compiler/sema"}},
      {"compiler",
       {"base", "base/diagnostics", "compiler/ast", "compiler/formulate", "compiler/lower", "compiler/parse",
        "compiler/sema", "kernel"}},

      {"runtime", {}},
      {"runtime/rows", {"base", "runtime"}},
      {"runtime/integrators", {"base", "include/mbc", "kernel", "runtime"}},
      {"runtime/equations",
       {"base", "base/diagnostics", "kernel", "kernel/problem", "kernel/support", "runtime", "runtime/rows"}},
      {"runtime/constraints",
       {"base", "base/diagnostics", "kernel", "kernel/problem", "runtime", "runtime/equations", "runtime/rows"}},
      {"runtime/linear", {"base", "kernel", "runtime", "runtime/constraints", "runtime/equations", "runtime/rows"}},
      {"runtime/singular",
       {"base", "base/diagnostics", "kernel", "kernel/problem", "runtime", "runtime/constraints", "runtime/equations",
        "runtime/integrators", "runtime/record", "runtime/rows"}},
      {"runtime/contact",
       {"base", "base/diagnostics", "kernel", "kernel/problem", "runtime", "runtime/constraints", "runtime/equations",
        "runtime/rows"}},
      {"runtime/record",
       {"base", "base/diagnostics", "kernel", "kernel/problem", "runtime", "runtime/constraints", "runtime/contact",
        "runtime/equations", "runtime/integrators", "runtime/rows"}},
      {"runtime/events/functions", {"base", "base/diagnostics", "kernel", "kernel/problem", "runtime/equations"}},
      {"runtime/simulation",
       {"base", "runtime/constraints", "runtime/contact", "runtime/equations", "runtime/events/functions",
        "runtime/record", "runtime/state"}},
      {"runtime/state",
       {"base", "runtime/constraints", "runtime/equations", "runtime/integrators", "runtime/record",
        "runtime/singular"}},
      {"runtime/events",
       {"base", "runtime", "runtime/constraints", "runtime/equations", "runtime/events/functions", "runtime/record",
        "runtime/simulation", "runtime/singular", "runtime/state"}},
      {"runtime/step",
       {"base", "kernel", "kernel/problem", "runtime", "runtime/constraints", "runtime/contact", "runtime/equations",
        "runtime/events", "runtime/integrators", "runtime/record", "runtime/rows", "runtime/singular",
        "runtime/state"}},
      {"runtime/run",
       {"base", "kernel", "kernel/problem", "runtime/constraints", "runtime/contact", "runtime/equations",
        "runtime/events", "runtime/events/functions", "runtime/record", "runtime/singular", "runtime/state",
        "runtime/step"}},

      {"jit", {"kernel", "kernel/support"}},

      {"api/output", {"base", "include/mbc"}},
      {"api/report", {"base", "include/mbc"}},
      {"api/model",
       {"base",
        "base/diagnostics",
        "compiler",
        "compiler/ad",
        "compiler/ast",
        "compiler/equations",
        "compiler/format",
        "compiler/formulate",
        "compiler/graph",
        "compiler/lower",
        "compiler/parse",
        "compiler/sema",
        "include/mbc",
        "jit",
        "kernel",
        "kernel/problem",
        "runtime/constraints",
        "runtime/equations",
        "runtime/record",
        "runtime/run",
        "runtime/step"}},
      {"api/index", {"api/model", "base", "compiler/ast", "compiler/parse", "compiler/sema", "include/mbc"}},
      {"api/simulation",
       {"api/model", "base", "base/diagnostics", "compiler", "include/mbc", "runtime/constraints", "runtime/equations",
        "runtime/contact", "runtime/record", "runtime/run", "runtime/singular"}},
      {"api/scene",
       {"api/model", "api/simulation", "compiler/ad", "compiler/graph", "compiler/sema", "include/mbc", "kernel",
        "runtime/constraints"}},
      {"api/analysis",
       {"api/model",
        "api/simulation",
        "base",
        "base/diagnostics",
        "compiler",
        "compiler/ad",
        "compiler/formulate",
        "compiler/lower",
        "compiler/sema",
        "include/mbc",
        "kernel",
        "kernel/problem",
        "runtime",
        "runtime/constraints",
        "runtime/contact",
        "runtime/equations",
        "runtime/linear",
        "runtime/rows",
        "runtime/run",
        "runtime/singular"}},
      {"api/c", {"include/mbc"}},
      {"api/prebuilt", {"jit"}},
      {"api/octave", {"include/mbc"}},
      {"api/fmi", {"api/simulation", "base", "compiler/sema", "include/mbc"}},
      {"tools", {"api/fmi", "api/output", "api/prebuilt", "api/report", "base", "base/diagnostics", "include/mbc"}},

      {"examples", {"include/mbc"}},
      {"bench", {"*"}},
      {"tests", {"*"}},
  };
  return kRooms;
}

// A Door belongs to a foreign library. Headers that begin with one of `headers` may be included only in `places`.
struct Door {
  std::vector<std::string_view> headers;
  std::vector<std::string_view> places;
  bool only_cpp = true;
};

const std::vector<Door>& doors() {
  static const std::vector<Door> kDoors = {
      {{"llvm/", "lld/"}, {"jit"}},
      {{"antlr4-runtime.h", "MbcLexer.h", "MbcParser.h"}, {"compiler/parse"}},
      // Full matrices are the language of rank decisions; the equations give rows and take accelerations as such.
      {{"Eigen/"},
       {"runtime/rows", "runtime/equations", "runtime/constraints", "runtime/contact", "runtime/linear",
        "runtime/singular", "tools/import/robot_geometry.h", "tests"},
       false},
      {{"Eigen/"}, {"compiler/formulate/solve/elimination_order.cpp", "tools/import", "bench/net.cpp"}},
      {{"cvode/", "nvector/", "sunlinsol/", "sunmatrix/", "sundials/"}, {"runtime/integrators/bdf.cpp"}},
      {{"octave/"}, {"api/octave"}},
      // These files are a host that integrates the equations itself and the yardstick for the methods with adaptive
      // steps.
      {{"arkode/", "nvector/"}, {"examples/embed/sundials.c", "bench/arkode.cpp"}},
      {{"nlohmann/"}, {"base/diagnostics", "api", "tools", "tests"}},
      // The values of the protocol are JSON, which its parts exchange. Members of a stored description and the answers
      // of verbs are also JSON.
      {{"nlohmann/"},
       {"tools/lsp", "api/report/json_parts.h", "tools/answer.h", "tools/picture/stored_json.h", "tests/tools/lsp",
        "tests/tools/page_data.h"},
       false},
      {{"fmt/"}, {"api/report", "kernel/print.cpp", "kernel/verify.cpp", "tools", "bench"}, false},
      {{"CLI/"}, {"tools/options"}, false},
      {{"hdf5.h"}, {"api/output/hdf5"}, false},
      {{"histedit.h"}, {"tools/session/terminal_reader.cpp"}},
      {{"doctest/"}, {"tests"}, false},
      {{"benchmark/"}, {"bench"}, false},
      {{"zip.h"}, {"tools/fmu/zip_library.cpp", "tests/tools/fmu/importer.cpp"}},
      {{"pugixml.hpp"}, {"tools/import/robot_xml.h"}, false},
      {{"cholmod.h"}, {"bench/cholmod.cpp"}},
      {{"mbc_version.h"}, {"api", "jit"}},              // generated from the version in CMakeLists.txt
      {{"model_data.h"}, {"tests/jit/object"}, false},  // generated by the test itself
      {{"pendulum.h"}, {"examples/embed/object.c"}},    // written by mbc compile
  };
  return kDoors;
}

struct Include {
  const SourceText* from;
  std::size_t line;
  std::string header;  // as it is written

  [[nodiscard]] std::string place() const { return from->path + ":" + std::to_string(line) + " includes " + header; }
};

std::vector<Include> includes_of(const SourceText& file) {
  std::vector<Include> found;
  std::size_t number = 0;
  for (std::string_view line : lines_of(file.text)) {
    ++number;
    constexpr std::string_view directive = "#include ";
    if (!line.starts_with(directive) || line.size() < directive.size() + 2) continue;
    line.remove_prefix(directive.size() + 1);
    found.push_back({&file, number, std::string(line.substr(0, line.find_first_of(">\"")))});
  }
  return found;
}

const std::vector<Include>& all_includes() {
  static const std::vector<Include> includes = [] {
    std::vector<Include> all;
    for (const SourceText* file : code_files()) {
      const std::vector<Include> some = includes_of(*file);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return includes;
}

// Returns the file of the repository that an include names, or null.
const SourceText* included_file(const Include& include) {
  static const std::map<std::string, const SourceText*, std::less<>> by_path = [] {
    std::map<std::string, const SourceText*, std::less<>> paths;
    for (const SourceText* file : code_files()) {
      paths[file->path] = file;
      if (inside(file->path, "include")) paths[file->path.substr(std::string("include/").size())] = file;
    }
    return paths;
  }();
  const auto found = by_path.find(include.header);
  return found == by_path.end() ? nullptr : found->second;
}

// Returns the room of a file, which is the room with the longest matching name.
const Room* room_of(std::string_view path) {
  const Room* best = nullptr;
  for (const Room& room : rooms())
    if (inside(path, room.folder) && (best == nullptr || room.folder.size() > best->folder.size())) best = &room;
  return best;
}

bool allows(const Room& room, std::string_view other) {
  return std::any_of(room.may_include.begin(), room.may_include.end(),
                     [&](std::string_view folder) { return folder == "*" || folder == other; });
}

using Arrows = std::map<std::string, std::set<std::string>, std::less<>>;

bool reaches(const Arrows& arrows, const std::string& from, const std::string& to, std::set<std::string>& seen) {
  const auto next = arrows.find(from);
  if (next == arrows.end()) return false;
  return std::any_of(next->second.begin(), next->second.end(), [&](const std::string& folder) {
    return folder == to || (seen.insert(folder).second && reaches(arrows, folder, to, seen));
  });
}

// Returns "a -> b" for every arrow on a cycle.
std::vector<std::string> cycles(const Arrows& arrows) {
  std::vector<std::string> found;
  for (const auto& [from, targets] : arrows)
    for (const std::string& to : targets) {
      std::set<std::string> seen;
      if (reaches(arrows, to, from, seen)) found.push_back(from + " -> " + to);
    }
  return found;
}

bool in_place(const Include& include, const Door& door) {
  return std::any_of(door.places.begin(), door.places.end(),
                     [&](std::string_view place) { return inside(include.from->path, place); });
}

}  // namespace

TEST_CASE("every file lies in a room") {
  std::vector<std::string> offenders;
  for (const SourceText* file : code_files())
    if (room_of(file->path) == nullptr) offenders.push_back(file->path);
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("the table of rooms has no cycle") {
  Arrows table;
  for (const Room& room : rooms())
    for (std::string_view other : room.may_include)
      if (other != "*") table[std::string(room.folder)].insert(std::string(other));
  const std::vector<std::string> found = cycles(table);
  CHECK_MESSAGE(found.empty(), listed(found));
}

TEST_CASE("a file includes its own room and what its room may include") {
  std::vector<std::string> offenders;
  for (const Include& include : all_includes()) {
    const SourceText* file = included_file(include);
    if (file == nullptr) continue;
    const Room* from = room_of(include.from->path);
    const Room* to = room_of(file->path);
    if (from != nullptr && to != nullptr && from != to && !allows(*from, to->folder))
      offenders.push_back(include.place());
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

TEST_CASE("what a room may include it does include") {
  std::set<std::pair<std::string_view, std::string_view>> used;
  for (const Include& include : all_includes()) {
    const SourceText* file = included_file(include);
    if (file != nullptr) used.insert({room_of(include.from->path)->folder, room_of(file->path)->folder});
  }
  std::vector<std::string> idle;
  for (const Room& room : rooms())
    for (std::string_view other : room.may_include)
      if (other != "*" && !used.contains({room.folder, other}))
        idle.push_back(std::string(room.folder) + " -> " + std::string(other));
  CHECK_MESSAGE(idle.empty(), listed(idle));
}

// This test is finer than that of the rooms: it compares all folders, including those below a room.
TEST_CASE("no two folders include each other, directly or through others") {
  Arrows folders;
  for (const Include& include : all_includes()) {
    const SourceText* file = included_file(include);
    if (file == nullptr || inside(include.from->path, "tests")) continue;
    if (file->folder() != include.from->folder()) folders[include.from->folder()].insert(file->folder());
  }
  const std::vector<std::string> found = cycles(folders);
  CHECK_MESSAGE(found.empty(), listed(found));
}

TEST_CASE("no two files include each other, directly or through others") {
  Arrows files;
  for (const Include& include : all_includes())
    if (const SourceText* file = included_file(include)) files[include.from->path].insert(file->path);
  const std::vector<std::string> found = cycles(files);
  CHECK_MESSAGE(found.empty(), listed(found));
}

TEST_CASE("the libraries of others are included at their doors only") {
  std::vector<std::string> offenders;
  for (const Include& include : all_includes()) {
    if (included_file(include) != nullptr) continue;
    bool has_door = false, open = false;
    for (const Door& door : doors()) {
      const bool behind = std::any_of(door.headers.begin(), door.headers.end(),
                                      [&](std::string_view header) { return include.header.starts_with(header); });
      has_door |= behind;
      open |= behind && in_place(include, door) && (!door.only_cpp || !include.from->ends_with(".h"));
    }
    // Headers of the C++ library have no dots in their names. Headers of POSIX and of the compiler have no door.
    static const std::set<std::string_view> system_headers = {
        "cpuid.h",     "dirent.h",       "dlfcn.h",    "elf.h",      "fcntl.h",    "link.h",
        "malloc.h",    "math.h",         "poll.h",     "pty.h",      "stddef.h",   "signal.h",
        "pthread.h",   "spawn.h",        "stdint.h",   "stdio.h",    "string.h",   "sys/auxv.h",
        "sys/file.h",  "sys/ioctl.h",    "sys/mman.h", "sys/stat.h", "sys/time.h", "sys/mount.h",
        "sys/types.h", "sys/resource.h", "sys/wait.h", "unistd.h",   "xmmintrin.h"};
    const bool standard =
        include.header.find('.') == std::string::npos && include.header.find('/') == std::string::npos;
    if (has_door ? !open : !standard && !system_headers.contains(include.header)) offenders.push_back(include.place());
  }
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}

// base/check.h defines a macro with a name that doctest and the parser also use.
TEST_CASE("CHECK does not travel in headers") {
  std::vector<std::string> offenders;
  for (const Include& include : all_includes())
    if (include.header == "base/check.h" && include.from->ends_with(".h")) offenders.push_back(include.place());
  CHECK_MESSAGE(offenders.empty(), listed(offenders));
}
