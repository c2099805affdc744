// SPDX-License-Identifier: Apache-2.0
// The texts of `use`, parsed: modules of the standard library and the user's own files.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/ast/ast.h"

namespace mbc::sema {

struct Module {
  std::string name;  // as shown: "joints", "parts/wheel.mbd"
  ast::File file;
  bool standard = false;     // of the standard library
  std::uint32_t source = 0;  // its text
};

// The prefix of the name of a data file of the command line when a loader is asked for it.
inline constexpr const char* kCommandLineFile = "command line: ";

// The sources of texts.
struct Library {
  std::string root;  // folder whose files may be used; "" if the model is not a file: then none may
  // Folder, or folders with `:` between them, that replace the standard library built into the program; "" for the
  // latter.
  std::string stdlib;
  // Replaces the file system: returns the text of a file by its path from the model's folder, or nothing.
  std::function<std::optional<std::string>(const std::string& path)> loader{};
};

class ModuleSet {
 public:
  [[nodiscard]] const Module* find(const ast::Use::Item& item) const {
    const auto it = used_.find({item.span.file, item.name});
    return it == used_.end() ? nullptr : it->second;
  }
  // Reads and parses everything that `file` uses, directly or not; mistakes are reported at the `use`.
  void load(const ast::File& file, const Library& library, SourceSet& sources, Sink& sink);
  [[nodiscard]] const std::vector<std::unique_ptr<Module>>& all() const { return modules_; }
  // Returns the shapes and pairs of the standard library, which are read if a text has a `shape`; else null.
  [[nodiscard]] const Module* shapes() const { return shapes_; }
  // The folder of the model, as in Library::root.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  // Returns Library::loader, or null.
  [[nodiscard]] const std::function<std::optional<std::string>(const std::string& path)>& loader() const {
    return loader_;
  }
  // Returns the folder that file names in this text are relative to.
  [[nodiscard]] std::string folder_of(std::uint32_t source, const SourceSet& sources) const;

 private:
  struct Loading;
  void load_from(const ast::File& file, const std::string& folder, Loading& loading);
  void load_item(const ast::Use::Item& item, const std::string& folder, Loading& loading);
  static std::optional<std::string> path_of(const ast::Use::Item& item, const std::string& folder, Loading& loading);
  static bool circular(const ast::Use::Item& item, const std::string& path, Loading& loading);
  static std::optional<std::string> file_text(const ast::Use::Item& item, const std::string& file, Loading& loading);
  static std::string in_folders(const std::string& list, const std::string& file);
  static std::optional<std::string> standard_text(const ast::Use::Item& item, Loading& loading);

  std::string folder_;
  std::function<std::optional<std::string>(const std::string& path)> loader_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::uint32_t, std::string>, const Module*> used_;
  std::map<std::string, const Module*> by_path_;
  const Module* shapes_ = nullptr;
};

// Returns the text of a module built into the program, or null; the names of all of them.
const char* standard_module(const std::string& name);
std::vector<std::string> standard_modules();
// Returns the module of the standard library that declares a name, or "", for suggestions. Of two it is the one for
// this space.
std::string standard_module_with(const std::string& name, std::uint32_t space);

}  // namespace mbc::sema
