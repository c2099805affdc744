// SPDX-License-Identifier: Apache-2.0
// The quantities that a sweep varies, with their values: a range, a list, or draws from a distribution.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/sema/names.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// The text of a sweep, from a block, from the command line, or from both.
struct SweepText {
  std::string name;
  std::uint32_t simulation = 0;
  std::vector<std::pair<const ast::Setting*, bool>> settings;  // true: from outside, where bare numbers are SI
  std::vector<const ast::Shown*> records;
  Span span;
  const Scope* scope = nullptr;
};

// Returns the word of the setting `points`.
const char* points_text(Points points);

// Returns whether a word sets the draws of a sweep: `members`, `points`, `seed`, `correlation`. A declared name comes
// before it.
bool sets_draws(std::string_view key);

// Returns the name of the file if `members` is a list of members.
const ast::String* list_of_members(const ast::Setting& setting);
// Returns the columns of such a list, which name what is varied; none if there is no list.
std::vector<DataColumn> columns_of_list(const ast::Setting& setting, EvaluationContext& context);

// Returns the name of the column of a recorded expression: `final(p.x)` if the column `p.x` has what is varied.
[[nodiscard]] std::string recorded_name(const std::vector<Varied>& varied, const std::string& expression);

// The quantities of one sweep.
class VariedQuantities : private Statement {
 public:
  VariedQuantities(Elaboration& shared, const SweepText& text) : Statement(shared), text_(text) {}
  // Reads the settings of the draws, `members`, `points` and `seed`. Returns false after reporting one that does not
  // fit.
  bool read_sample();
  // Returns whether an entry is one of these settings. A parameter or input of that name comes first.
  [[nodiscard]] bool is_of_sample(const ast::Setting& setting) const;
  // Adds the quantities of the list of members, if there is one.
  bool listed(Sweep& out);
  bool vary(const ast::Setting& setting, bool outside, Sweep& out);
  // Correlates the normal quantities that `correlation` names, when all quantities are known.
  bool correlate(Sweep& sweep);
  // Checks that ranges and settings of the run do not depend on the varied quantities.
  void check_fixed(const Sweep& sweep);

 private:
  std::optional<Varied> quantity(const ast::Setting& setting);
  std::optional<Varied> not_varied(const ast::Setting& setting, const std::vector<std::string>& known);
  Refusal refuse_to_vary(const ast::Setting& setting, const std::string& why, const std::string& help);
  bool show_in_unit(const ast::Setting& setting, Varied& out);
  bool values(const ast::Setting& setting, bool outside, Varied& out);
  bool read_sample(const ast::Setting& setting);
  // listed_members.cpp
  bool listed(const DataFiles::File& file, Sweep& out);
  std::optional<Varied> listed_quantity(const DataColumn& column);
  // DrawnIn says what the numbers of a distribution are in: with `outside` bare ones are SI; `unit` stands behind it.
  struct DrawnIn {
    bool outside = false;
    std::optional<std::pair<double, Dimension>> unit;
  };
  bool draws(const ast::Setting& setting, bool outside, const Sweep& sweep, Varied& out);
  std::optional<Distribution> distribution(const ast::Expr& written, bool outside, Varied& of);
  bool wrong_arguments(const Varied& of, Span span);
  bool arguments(const ast::Call& call, Span span, const DrawnIn& in, Varied& of, Distribution& out);
  bool listed_values(const ast::Call& call, Span span, const DrawnIn& in, Varied& of, Distribution& out);
  std::optional<double> drawn_number(const ast::Expr& e, const DrawnIn& in, Varied& of);
  std::optional<double> pure_number(const ast::Expr& e, const Varied& of);
  // correlated_draws.cpp
  Refusal refuse_correlation(const ast::Expr& at, const std::string& why);
  std::optional<std::vector<std::uint32_t>> correlated(const ast::Expr& names, const Sweep& sweep);
  std::optional<double> coefficient(const ast::Expr& e);
  bool range(const ast::Range& range, bool outside, Varied& out);
  bool count_of(const ast::Range& range, const std::string& ends, Varied& out);
  bool count_steps(double step, Span span, const std::string& ends, Varied& out);
  Diagnostic& bad_range(const Varied& of, Span span, const std::string& why);
  std::optional<double> number(const ast::Expr& e, bool outside, Varied& of);
  std::optional<double> number(Value v, bool outside, Varied& of);
  [[nodiscard]] bool in_shown_unit(const Value& v, const Varied& of) const;
  void take_in_unit(Value& v) const;
  bool fits(const Value& v, const std::string& what, Varied& of);

  const SweepText& text_;
  Sample sample_;
  const ast::Setting* list_ = nullptr;  // of members
  const ast::Setting* correlation_ = nullptr;
  bool any_dimension_ = false;                        // the quantity is a 0 without a dimension
  std::optional<std::pair<double, Dimension>> unit_;  // of an input: the unit for pure numbers in the file
  struct RangeNumber {
    NodeId node;
    Span span;
    std::string of;
  };
  std::vector<RangeNumber> numbers_;
};

}  // namespace mbc::sema
