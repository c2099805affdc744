// SPDX-License-Identifier: Apache-2.0
// `sweep` blocks with the additions of `mbc sweep`: the parameters and inputs that are varied, their values, and the
// records of each run. Like the sides of checks, recorded expressions are values behind the outputs of the runs.
#pragma once
#include <utility>

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

class Sweeps : private Statement {
 public:
  explicit Sweeps(Elaboration& shared) : Statement(shared) {}
  void block(const ast::Sweep& s, Span span, const Scope& scope);
  // Chooses the requested sweep, when all blocks are read.
  void choose(const SweepRequest& request);

 private:
  std::optional<SweepText> text_of(const ast::Sweep& s, Span span, const Scope& scope);
  std::optional<SweepText> asked(const SweepRequest& request);
  std::optional<std::uint32_t> run_of(const SweepRequest& request);
  Refusal refuse_choice(const std::string& why, const std::string& help);
  [[nodiscard]] std::string known_blocks() const;
  void sweep(const SweepText& text);
  void records(const SweepText& text, Sweep& out);

  std::vector<SweepText> blocks_;
};

// The quantities of one sweep.
class VariedQuantities : private Statement {
 public:
  VariedQuantities(Elaboration& shared, const SweepText& text) : Statement(shared), text_(text) {}
  bool vary(const ast::Setting& setting, bool outside, Sweep& out);
  // Checks that ranges and settings of the run do not depend on the varied quantities.
  void check_fixed(const Sweep& sweep);

 private:
  std::optional<Varied> quantity(const ast::Setting& setting);
  std::optional<Varied> not_varied(const ast::Setting& setting, const std::vector<std::string>& known);
  Refusal refuse_to_vary(const ast::Setting& setting, const std::string& why, const std::string& help);
  bool show_in_unit(const ast::Setting& setting, Varied& out);
  bool values(const ast::Setting& setting, bool outside, Varied& out);
  bool range(const ast::Range& range, bool outside, Varied& out);
  bool count_of(const ast::Range& range, const std::string& ends, Varied& out);
  bool count_steps(double step, Span span, const std::string& ends, Varied& out);
  Diagnostic& bad_range(const Varied& of, Span span, const std::string& why);
  std::optional<double> number(const ast::Expr& e, bool outside, Varied& of);
  [[nodiscard]] bool in_shown_unit(const Value& v, const Varied& of) const;
  void take_in_unit(Value& v) const;
  bool fits(const Value& v, const std::string& what, Varied& of);

  const SweepText& text_;
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
