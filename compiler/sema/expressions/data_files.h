// SPDX-License-Identifier: Apache-2.0
// Files of comma-separated values that a model reads tables from. Their texts are sources like that of the model, so
// that mistakes in them have a place, and comparisons of models include them.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/sema/modules.h"
#include "compiler/sema/units.h"

namespace mbc::sema {

// One column of a file, in SI units.
struct DataColumn {
  std::string name;
  UnitValue unit;
  Span header;
  bool unit_written = false;
};

struct DataColumnValues {
  std::vector<double> values;
  std::vector<Span> cells;
};

// The type of Model::asked_files.
using AskedFiles = std::set<std::pair<std::uint32_t, std::string>>;

class DataFiles {
 public:
  // Both outlive the object.
  DataFiles(SourceSet& sources, const ModuleSet& modules) : sources_(sources), modules_(modules) {}

  struct File {
    std::uint32_t source = 0;
    std::vector<DataColumn> columns;
    std::size_t rows_at = 0;  // byte behind the header
  };
  // Opens the file of that name, written at `span`. Reports a file that cannot be read, and returns null.
  const File* open(const std::string& name, Span span, Sink& sink);
  // Reports a file with one column, which is no table, and returns false.
  bool has_arguments(const File& file, Span span, Sink& sink) const;
  // Reads the values of some columns. Reports a row that is no row of numbers, and returns false.
  bool read(const File& file, const std::vector<std::size_t>& columns, std::vector<DataColumnValues>& out, Sink& sink);
  [[nodiscard]] const AskedFiles& asked() const { return asked_; }

 private:
  std::optional<std::uint32_t> text_of(const std::string& name, Span span, Sink& sink);
  bool given(const std::string& path, std::string& text) const;
  static bool read_text(const std::string& path, std::string& text, std::string& why);
  bool read_header(File& file, Sink& sink);
  bool header_cell(File& file, std::string_view cell, std::size_t at, Sink& sink);

  SourceSet& sources_;
  const ModuleSet& modules_;
  std::map<std::string, File> files_;  // by path
  AskedFiles asked_;
};

}  // namespace mbc::sema
