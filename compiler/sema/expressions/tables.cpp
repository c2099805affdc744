// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/tables.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/sema/expressions/evaluator.h"

namespace mbc::sema {

Value Tables::table(const ast::Call& c, Span span, const Scope& scope) {
  Value x;
  const std::optional<TablePoints> given = points(c, span, scope, {}, x);
  if (given && given->data->method() == Method::hold) {
    refuse(span, "is held between its points, `smooth = 0`, only where it is the signal of an input");
    return invalid(span);
  }
  return given ? at(*given, x, span) : invalid(span);
}

Value Tables::at(const TablePoints& points, const Value& argument, Span span) {
  Value r =
      scalar(evaluator_.defined().table(argument.node(), points.data), points.value.dimension, argument.level, span);
  r.type.any_dimension = points.value.any_dimension;
  r.angle = points.angle;
  return r;
}

std::optional<TablePoints> Tables::points(const ast::Call& c, Span span, const Scope& scope, const Usual& usual,
                                          Value& x) {
  const std::optional<Options> o = options(c, span);
  if (!o) return {};
  x = evaluator_.evaluate(*o->lists[0], scope);
  const Method method = o->method.value_or(usual.method);
  const Beyond beyond = o->beyond.value_or(Beyond::error);
  std::optional<TablePoints> given =
      o->lists.size() == 3 ? literal(*o, scope, method, beyond) : from_file(*o, scope, method, beyond, usual.column);
  const std::string what = "the argument of the table";
  if (!given || !evaluator_.expect_scalar(x, what)) return {};
  const std::string help = o->lists.size() == 3 ? "" : "the first line of the file gives units: `t [s],F [N]`";
  if (!given->argument.any_dimension && !evaluator_.expect_dimension(x, given->argument.dimension, what, help))
    return {};
  return given;
}

std::optional<TablePoints> Tables::refuse(Span span, const std::string& why) {
  return mbc::refuse(sink_, Kind::table_arguments, span, why);
}

// ---- options

std::optional<Tables::Options> Tables::options(const ast::Call& c, Span span) {
  Options out;
  for (const ast::Argument& a : c.args) {
    if (a.name.empty())
      out.lists.push_back(a.value.get());
    else if (!option(a, out))
      return {};
  }
  if (out.lists.size() != 2 && out.lists.size() != 3) {
    refuse(span, "takes an argument and two lists of numbers, or an argument and a file; " +
                     counted_or_no(out.lists.size(), "argument") + " given by position");
    return {};
  }
  return out;
}

bool Tables::option(const ast::Argument& a, Options& out) {
  const auto twice = [&](bool given) {
    const bool method = a.name == "method" || a.name == "smooth";  // two words for one property
    if (given)
      sink_.report(Kind::duplicate_argument, a.name_span, "table", method ? "method` or `smooth" : printable(a.name));
    return given;
  };
  if (a.name == "method")
    return !twice(out.method.has_value()) &&
           choose<Method>(a, {{"linear", Method::linear}, {"cubic", Method::cubic}}, out.method);
  if (a.name == "beyond")
    return !twice(out.beyond.has_value()) &&
           choose<Beyond>(a, {{"error", Beyond::error}, {"hold", Beyond::hold}, {"line", Beyond::line}}, out.beyond);
  if (a.name == "smooth") return !twice(out.method.has_value()) && smooth(a, out);
  if (a.name == "column" || a.name == "argument") {
    const ast::Expr*& place = a.name == "column" ? out.column : out.argument;
    if (twice(place != nullptr)) return false;
    place = a.value.get();
    return true;
  }
  return mbc::refuse(sink_, Kind::unknown_argument, a.name_span, "table", printable(a.name))
      .hint(did_you_mean(a.name, {"method", "smooth", "beyond", "column", "argument"},
                         "it takes `method` or `smooth`, `beyond`, and of a file `column` and `argument`"));
}

// Reads `smooth = 2`: the number of derivatives that the table has.
bool Tables::smooth(const ast::Argument& a, Options& out) {
  const auto* n = std::get_if<ast::Number>(&a.value->node);
  if (n && (n->value == 0 || n->value == 1 || n->value == 2)) {
    out.method = n->value == 0 ? Method::hold : n->value == 1 ? Method::linear : Method::cubic;
    return true;
  }
  refuse(a.value->span, "has 0, 1 or 2 derivatives, `smooth = 2`");
  return false;
}

template <class Choice>
bool Tables::choose(const ast::Argument& a, const std::vector<std::pair<const char*, Choice>>& choices,
                    std::optional<Choice>& out) {
  const auto* word = std::get_if<ast::Name>(&a.value->node);
  std::string known;
  for (const auto& [name, choice] : choices) {
    if (word && word->text == name) out = choice;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  if (out) return true;
  const std::string written = word ? printable(word->text) : "an expression";
  return mbc::refuse(sink_, Kind::unknown_choice, a.value->span, written, "`" + a.name + "` of a table")
      .hint("the choices are " + known);
}

std::optional<std::string> Tables::text(const ast::Expr& e, const Scope& scope, const char* what) {
  const Value v = evaluator_.evaluate(e, scope);
  if (v.type.shape == Shape::text) return *v.text;
  if (!v.invalid()) sink_.report(Kind::wrong_shape, e.span, what, "a name in quotes", describe_shape(v));
  return {};
}

// ---- points in the text

std::optional<TablePoints> Tables::literal(const Options& o, const Scope& scope, Method method, Beyond beyond) {
  for (const ast::Expr* e : {o.column, o.argument})
    if (e) return refuse(e->span, "with two lists of numbers has no `column` and no `argument`: those are of a file");
  const std::optional<List> x = list(*o.lists[1], scope, "an argument");
  const std::optional<List> y = list(*o.lists[2], scope, "a value");
  return x && y ? made(*x, *y, method, beyond) : std::nullopt;
}

// (0, 1, 2) [mm]    (0, 1 [cm], 20 [mm])
std::optional<Tables::List> Tables::list(const ast::Expr& e, const Scope& scope, const char* what) {
  const auto* measured = std::get_if<ast::Measured>(&e.node);
  const auto* tuple = std::get_if<ast::Tuple>(measured ? &measured->value->node : &e.node);
  if (!tuple) {
    refuse(e.span, "takes lists of numbers, `(0, 1, 2) [mm]`");
    return {};
  }
  List out;
  out.span = e.span;
  out.type = {Shape::scalar, {}, true};
  for (const ast::ExprPtr& p : tuple->elements)
    if (!element(*p, scope, what, out)) return {};
  if (!measured) return out;
  const std::optional<std::pair<double, Dimension>> unit = unit_value(measured->unit, sink_);
  if (!unit) return {};
  if (!out.type.any_dimension && !out.type.dimension.dimensionless())
    return mbc::refuse(sink_, Kind::wrong_dimension, e.span, "what stands before a unit", "a pure number",
                       describe(out.type.dimension));
  for (double& v : out.values) v *= unit->first;
  out.angle |= unit->second.dimensionless();
  out.type = {Shape::scalar, unit->second, false};
  return out;
}

bool Tables::element(const ast::Expr& e, const Scope& scope, const char* what, List& out) {
  const Value v = evaluator_.evaluate(e, scope);
  if (!evaluator_.expect_scalar(v, std::string(what) + " of the table")) return false;
  const std::optional<double> number = evaluator_.number(v);
  if (!number) return mbc::refuse(sink_, Kind::table_number, e.span, what);
  if (out.type.any_dimension)
    out.type = v.type;
  else if (!v.type.any_dimension &&
           !evaluator_.expect_dimension(v, out.type.dimension, std::string(what) + " of the table"))
    return false;
  out.angle |= v.angle;
  out.values.push_back(*number);
  out.spans.push_back(e.span);
  return true;
}

// ---- points in a file

std::optional<std::size_t> Tables::column(const DataFiles::File& file, const std::string& path, const std::string& name,
                                          Span span) {
  std::string known;
  for (std::size_t k = 0; k < file.columns.size(); ++k) {
    if (file.columns[k].name == name) return k;
    known += (known.empty() ? "`" : ", `") + printable(file.columns[k].name) + "`";
  }
  return mbc::refuse(sink_, Kind::table_column, span, printable(path), printable(name), known);
}

std::optional<TablePoints> Tables::from_file(const Options& o, const Scope& scope, Method method, Beyond beyond,
                                             const std::string& usual_column) {
  const ast::Expr& written = *o.lists[1];
  const auto* measured = std::get_if<ast::Measured>(&written.node);
  if (measured || std::holds_alternative<ast::Tuple>(written.node))
    return refuse(written.span, "has arguments and no values: a second list is missing");
  const std::optional<std::string> path = text(written, scope, "the file of a table");
  if (!path) return {};
  const DataFiles::File* file = context_.files.open(*path, written.span, sink_);
  model_.reads_files = true;
  model_.asked_files = context_.files.asked();
  if (!file || !context_.files.has_arguments(*file, written.span, sink_)) return {};
  std::optional<std::size_t> x = 0, y;
  if (o.argument) {
    const std::optional<std::string> name = text(*o.argument, scope, "`argument`");
    x = name ? column(*file, *path, *name, o.argument->span) : std::nullopt;
  }
  if (o.column) {
    const std::optional<std::string> name = text(*o.column, scope, "`column`");
    y = name ? column(*file, *path, *name, o.column->span) : std::nullopt;
  } else if (file->columns.size() == 2 && x) {
    y = 1 - *x;
  } else if (const auto own = std::find_if(file->columns.begin(), file->columns.end(),
                                           [&](const DataColumn& c) { return c.name == usual_column; });
             own != file->columns.end()) {
    y = static_cast<std::size_t>(own - file->columns.begin());
  } else {
    return refuse(written.span, "of a file with " + counted(file->columns.size(), "column") +
                                    " says which one it means, `column = \"" + printable(file->columns.back().name) +
                                    "\"`");
  }
  if (!x || !y) return {};
  for (const std::size_t of : {*x, *y})
    if (const DataColumn& c = file->columns[of]; !model_.has_units && !c.unit.dimension.dimensionless())
      return mbc::refuse(sink_, Kind::table_header, c.header,
                         "`" + printable(c.name) + "` has a unit, and the model has no units")
          .label(written.span, "read here");
  const auto key = std::tuple{file->source, *x, *y, method, beyond};
  if (const auto known = files_.find(key); known != files_.end()) return known->second;
  std::vector<DataColumnValues> read;
  const std::optional<Label> outer = sink_.set_context(Label{written.span, "read here"});
  const bool good = context_.files.read(*file, {*x, *y}, read, sink_);
  const auto list_of = [&](std::size_t k, std::size_t of) {
    const DataColumn& c = file->columns[of];
    const Type type{Shape::scalar, c.unit.dimension, false};
    const bool angle = c.unit_written && type.dimension.dimensionless();
    return List{std::move(read[k].values), std::move(read[k].cells), type, c.header, angle};
  };
  const std::optional<TablePoints> given = good ? made(list_of(0, *x), list_of(1, *y), method, beyond) : std::nullopt;
  sink_.set_context(outer);
  if (given) files_.emplace(key, *given);
  return given;
}

// ---- both

std::optional<TablePoints> Tables::made(const List& x, const List& y, Method method, Beyond beyond) {
  const std::size_t n = x.values.size();
  if (n != y.values.size())
    return mbc::refuse(sink_, Kind::table_lengths, y.span, counted(n, "argument"), counted(y.values.size(), "value"))
        .label(x.span, "the arguments");
  if (n < 2) return mbc::refuse(sink_, Kind::table_short, x.span, counted_or_no(n, "point"));
  for (std::size_t k = 1; k < n; ++k)
    if (!(x.values[k] > x.values[k - 1]))
      return mbc::refuse(sink_, Kind::table_order, x.spans[k], text::short_number(x.values[k], 12),
                         text::short_number(x.values[k - 1], 12));
  TablePoints out{std::make_shared<kernel::DataTable>(x.values, y.values, method, beyond), x.type, y.type, y.angle};
  if (out.data->finite()) return out;
  return mbc::refuse(sink_, Kind::table_steep, y.span);
}

}  // namespace mbc::sema
