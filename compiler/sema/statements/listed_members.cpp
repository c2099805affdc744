// SPDX-License-Identifier: Apache-2.0
// The members of a sweep from a file: `members = "parts.csv"`, a column for each quantity, a row for each member.
#include "base/text.h"
#include "compiler/sema/statements/varied_quantities.h"

namespace mbc::sema {

const ast::String* list_of_members(const ast::Setting& setting) {
  const bool lists = setting.key == "members" && !setting.drawn && setting.value;
  return lists ? std::get_if<ast::String>(&setting.value->node) : nullptr;
}

std::vector<DataColumn> columns_of_list(const ast::Setting& setting, EvaluationContext& context) {
  const ast::String* name = list_of_members(setting);
  Sink unheard;  // mistakes are reported where the sweep is read
  const DataFiles::File* file = name ? context.files.open(name->text, setting.value->span, unheard) : nullptr;
  return file ? file->columns : std::vector<DataColumn>{};
}

bool VariedQuantities::listed(Sweep& out) {
  if (!list_) return true;
  const ast::Expr& written = *list_->value;
  DataFiles& files = shared_.context.files;
  const DataFiles::File* file = files.open(list_of_members(*list_)->text, written.span, sink_);
  model_.reads_files = true;
  model_.asked_files = files.asked();
  if (!file) return false;
  const std::optional<Label> outer = sink_.set_context(Label{written.span, "read here"});
  const bool good = listed(*file, out);
  sink_.set_context(outer);
  return good;
}

bool VariedQuantities::listed(const DataFiles::File& file, Sweep& out) {
  std::vector<std::size_t> columns;
  for (const DataColumn& c : file.columns) {
    std::optional<Varied> made = listed_quantity(c);
    if (!made) return false;
    if (!columns.empty()) made->joined = static_cast<std::uint32_t>(out.varied.size() - columns.size());
    columns.push_back(columns.size());
    out.varied.push_back(std::move(*made));
  }
  std::vector<DataColumnValues> read;
  if (!shared_.context.files.read(file, columns, read, sink_)) return false;
  if (read[0].values.empty())
    return mbc::refuse(sink_, Kind::sweep_range, list_->value->span, "members", "the file has no rows");
  for (const std::size_t k : columns) {
    Varied& v = out.varied[out.varied.size() - columns.size() + k];
    v.count = read[k].values.size();
    v.list = std::move(read[k].values);
  }
  return true;
}

// Returns the quantity of a column.
std::optional<Varied> VariedQuantities::listed_quantity(const DataColumn& column) {
  ast::Setting named;
  named.key = column.name;
  named.key_span = column.header;
  std::optional<Varied> made = quantity(named);
  if (!made) return {};
  if (made->shapes)
    return refuse_to_vary(named, "it shapes the model, which would be compiled for every member",
                          "give its values as a list: `" + printable(made->name) + " = (1, 2, 3)`");
  const Dimension& unit = column.unit.dimension;
  if (!model_.has_units && !unit.dimensionless())
    return mbc::refuse(sink_, Kind::sweep_range, column.header, printable(made->name), "the model has no units");
  const Value one = evaluator_.scalar(model_.graph.one(), unit, Level::constant, column.header);
  if (any_dimension_)
    made->dimension = unit;
  else if (!evaluator_.expect_dimension(one, made->dimension, "the column of " + quoted(made->name),
                                        "the first line of the file gives units: `m [kg],k [N/m]`"))
    return {};
  made->drawn_text = one_line(sources_.text(list_->value->span));
  return made;
}

}  // namespace mbc::sema
