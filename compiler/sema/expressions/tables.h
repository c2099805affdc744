// SPDX-License-Identifier: Apache-2.0
// Functions given by points: `table(x, (0, 1, 2) [mm], (0, 10, 35) [N], method = cubic)` and those from files,
// `table(t, "wind.csv", column = "v")`.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"

namespace mbc::sema {

// The points of a table and the types of argument and value.
struct TablePoints {
  std::shared_ptr<const kernel::DataTable> data;
  Type argument, value;
  bool angle = false;  // as of a Value
};

class Tables : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  Value table(const ast::Call& c, Span span, const Scope& scope);
  // The defaults of a table.
  struct Usual {
    kernel::DataTable::Method method = kernel::DataTable::Method::linear;
    std::string column{};  // of a file, if it has such a column
  };
  // Returns the points, and the evaluated argument in `argument`.
  std::optional<TablePoints> points(const ast::Call& c, Span span, const Scope& scope, const Usual& usual,
                                    Value& argument);
  // Returns the value of a table at an argument that fits it.
  Value at(const TablePoints& points, const Value& argument, Span span);

 private:
  using Method = kernel::DataTable::Method;
  using Beyond = kernel::DataTable::Beyond;

  struct Options {
    std::vector<const ast::Expr*> lists;  // by position, the argument first
    const ast::Expr *column = nullptr, *argument = nullptr;
    std::optional<Method> method;
    std::optional<Beyond> beyond;
  };
  struct List {
    std::vector<double> values;
    std::vector<Span> spans;
    Type type;
    Span span;
    bool angle = false;
  };
  std::optional<Options> options(const ast::Call& c, Span span);
  bool option(const ast::Argument& a, Options& out);
  bool smooth(const ast::Argument& a, Options& out);
  template <class Choice>
  bool choose(const ast::Argument& a, const std::vector<std::pair<const char*, Choice>>& choices,
              std::optional<Choice>& out);
  std::optional<List> list(const ast::Expr& e, const Scope& scope, const char* what);
  bool element(const ast::Expr& e, const Scope& scope, const char* what, List& out);
  std::optional<TablePoints> literal(const Options& o, const Scope& scope, Method method, Beyond beyond);
  std::optional<TablePoints> from_file(const Options& o, const Scope& scope, Method method, Beyond beyond,
                                       const std::string& usual_column);
  std::optional<TablePoints> made(const List& x, const List& y, Method method, Beyond beyond);
  std::optional<std::string> text(const ast::Expr& e, const Scope& scope, const char* what);
  std::optional<std::size_t> column(const DataFiles::File& file, const std::string& path, const std::string& name,
                                    Span span);
  std::optional<TablePoints> refuse(Span span, const std::string& why);
  // Tables read before: by file, columns, method, and the rule beyond the points.
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t, Method, Beyond>, TablePoints> files_;
};

}  // namespace mbc::sema
