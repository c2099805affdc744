// SPDX-License-Identifier: Apache-2.0
// `output`, the columns that are recorded without being asked for, and what pictures show.
#pragma once
#include <map>

#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Outputs : private Statement {
 public:
  explicit Outputs(Elaboration& shared) : Statement(shared) {}
  void output(const ast::Output& o);
  using Statement::show_in;
  void visibility(const ast::Visibility& v);  // visibility.cpp
  // Adds outputs for the columns of prescribed bodies, which have no coordinates of their own.
  void record_prescribed();
  // Checks the names of columns once the blocks are known: a run with `rows = events` has a column `event`.
  void check_column_of_time();
  void check_column_of_events();
  // Returns the plots of a `simulate` block, which are read last: a quantity without a column gets one.
  [[nodiscard]] std::vector<Plot> plots(const ast::Simulate& block, const Scope& scope);

 private:
  std::vector<PlottedColumn> plotted(const ast::Shown& item, const Scope& scope);
  bool choose_shown(const Meaning& what, bool shown);
  [[nodiscard]] bool drawn_load(const std::string& name) const;
  std::string column_of(NodeId node, const std::string& text) const;
  bool is_column(const std::string& name);
  [[nodiscard]] bool is_column_of(const std::string& name, const graph::Node& node) const;
  [[nodiscard]] bool shows_already(const std::string& name, const Value& v) const;
  bool first_of_name(const ast::Output& o, const std::string& name, const Value& v, Span place);

  std::map<std::string, Span> declared_;
};

}  // namespace mbc::sema
