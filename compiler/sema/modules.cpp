// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/modules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/diagnostics/refusal.h"
#include "base/read_file.h"
#include "base/text.h"
#include "compiler/parse/parse.h"
#include "compiler/sema/confined_path.h"

namespace mbc::sema {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = 8u << 20;  // as for a model

std::optional<std::string> read(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  std::string text;
  char buffer[1 << 16];
  while (text.size() <= kMaxBytes && (in.read(buffer, sizeof buffer) || in.gcount() > 0))
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

namespace {

// Returns the first `shape` among them, or null.
const ast::Instance* first_shape(const std::vector<ast::StmtPtr>& statements) {
  const ast::Instance* found = nullptr;
  for (const auto& s : statements) {
    if (const auto* i = std::get_if<ast::Instance>(&s->node)) found = i->shape ? i : nullptr;
    if (const auto* c = std::get_if<ast::Component>(&s->node)) found = first_shape(c->body);
    if (const auto* loop = std::get_if<ast::For>(&s->node)) found = first_shape(loop->body);
    if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
      found = first_shape(choice->then_body);
      if (!found) found = first_shape(choice->else_body);
    }
    if (found) return found;
  }
  return nullptr;
}

}  // namespace

struct ModuleSet::Loading {
  const Library& library;
  SourceSet& sources;
  Sink& sink;
  std::vector<std::string> chain;  // paths being loaded, outermost first
};

void ModuleSet::load(const ast::File& file, const Library& library, SourceSet& sources, Sink& sink) {
  folder_ = library.root;
  loader_ = library.loader;
  Loading loading{library, sources, sink, {}};
  load_from(file, library.loader ? "" : library.root, loading);
}

void ModuleSet::load_from(const ast::File& file, const std::string& folder, Loading& loading) {
  for (const auto& s : file.statements)
    if (const auto* use = std::get_if<ast::Use>(&s->node))
      for (const ast::Use::Item& item : use->items) load_item(item, folder, loading);
  if (const ast::Instance* shape = shapes_ ? nullptr : first_shape(file.statements)) {
    const ast::Use::Item item{"shapes", false, shape->type_span};
    load_item(item, folder, loading);
    shapes_ = find(item);
  }
}

// Returns the path of a file or module, the same for all who use it. Reports a path that may not be used, and returns
// nothing.
std::optional<std::string> ModuleSet::path_of(const ast::Use::Item& item, const std::string& folder, Loading& loading) {
  if (!item.file) return "module " + item.name;
  const bool loaded = loading.library.loader != nullptr;
  const auto refuse = [&](const std::string& name, const char* why) {
    return mbc::refuse(loading.sink, Kind::use_failed, item.span, name, why);
  };
  if (loading.library.root.empty() && !loaded)
    return refuse(printable(item.name), "a model that is not a file has no folder to look in");
  if (item.name.empty()) return refuse("\"\"", "the name is empty");
  std::optional<std::string> path =
      loaded ? path_below(item.name, folder) : confined_path(item.name, folder, loading.library.root);
  return path ? path : refuse(printable(item.name), kNotConfined);
}

// Returns whether the file is being loaded already because it uses itself, and reports it.
bool ModuleSet::circular(const ast::Use::Item& item, const std::string& path, Loading& loading) {
  const auto first = std::find(loading.chain.begin(), loading.chain.end(), path);
  if (first == loading.chain.end()) return false;
  std::string chain;
  for (auto it = first; it != loading.chain.end(); ++it) chain += printable(*it) + " -> ";
  loading.sink.report(Kind::circular_use, item.span, printable(item.name), chain + printable(path));
  return true;
}

// Returns the text of a file of the user, or of a folder that replaces the standard library.
std::optional<std::string> ModuleSet::file_text(const ast::Use::Item& item, const std::string& file, Loading& loading) {
  const bool loaded = item.file && loading.library.loader;
  std::optional<std::string> found = loaded ? loading.library.loader(file) : read(file);
  if (found) return found;
  std::error_code error;
  Diagnostic& d = loading.sink.report(Kind::use_failed, item.span, printable(item.name),
                                      !loaded && fs::is_directory(file, error)
                                          ? std::string("it is a folder")
                                          : "there is no file `" + printable(file) + "` that can be read");
  if (const std::string stem = fs::path(item.name).stem().string(); item.file && standard_module(stem))
    d.hint("a module of the standard library is named without quotes: `use " + printable(stem) + "`");
  return {};
}

std::optional<std::string> ModuleSet::standard_text(const ast::Use::Item& item, Loading& loading) {
  if (const char* text = standard_module(item.name)) return text;
  const std::vector<std::string> known = standard_modules();
  return mbc::refuse(loading.sink, Kind::use_failed, item.span, printable(item.name),
                     "the standard library has no such module")
      .hint(did_you_mean(item.name, known,
                         "its modules are " + joined(known) + "; a file is named in quotes: `use \"my_parts.mbd\"`"));
}

// Returns the path in the first folder that has the file; in the last folder if none has.
std::string ModuleSet::in_folders(const std::string& list, const std::string& file) {
  std::string path;
  std::error_code error;
  for (const std::string& folder : folders_in(list))
    if (path = (fs::path(folder) / file).string(); fs::exists(path, error)) break;
  return path;
}

void ModuleSet::load_item(const ast::Use::Item& item, const std::string& folder, Loading& loading) {
  const std::optional<std::string> path = path_of(item, folder, loading);
  if (!path || circular(item, *path, loading)) return;
  if (const auto it = by_path_.find(*path); it != by_path_.end()) {
    used_[{item.span.file, item.name}] = it->second;
    return;
  }
  const bool in_file = item.file || !loading.library.stdlib.empty();
  const std::string shown = item.file ? *path
                            : in_file ? in_folders(loading.library.stdlib, item.name + ".mbd")
                                      : "stdlib/" + item.name + ".mbd";
  std::optional<std::string> text = in_file ? file_text(item, shown, loading) : standard_text(item, loading);
  if (!text) return;
  const std::uint32_t source = loading.sources.add(shown, std::move(*text));
  Module& made = *modules_.emplace_back(std::make_unique<Module>());
  made.name = item.name;
  made.standard = !item.file;
  made.source = source;
  made.file = parse(loading.sources, source, ParseMode::file, loading.sink);
  by_path_[*path] = used_[{item.span.file, item.name}] = &made;
  loading.chain.push_back(*path);
  load_from(made.file, item.file ? fs::path(*path).parent_path().string() : folder, loading);
  loading.chain.pop_back();
}

std::string ModuleSet::folder_of(std::uint32_t source, const SourceSet& sources) const {
  for (const auto& module : modules_)
    if (module->source == source) return fs::path(sources[source].name()).parent_path().string();
  return loader_ ? "" : folder_;
}

std::string standard_module_with(const std::string& name, std::uint32_t space) {
  std::string found;
  for (const std::string& module : standard_modules()) {
    const std::string text = "\n" + std::string(standard_module(module));
    bool has = text.find("\nlet " + name + " =") != std::string::npos;
    for (const char* word : {"joint ", "model ", "def "})
      has |= text.find("\n" + (word + name) + "(") != std::string::npos;
    if (has && (found.empty() || module.starts_with("planar") == (space == 2))) found = module;
  }
  return found;
}

}  // namespace mbc::sema
