// SPDX-License-Identifier: Apache-2.0
// `sweep` blocks with the additions of `mbc sweep`: the parameters and inputs that are varied, their values, and the
// records of each run. Like the sides of checks, recorded expressions are values behind the outputs of the runs.
#pragma once
#include "compiler/sema/statements/varied_quantities.h"

namespace mbc::sema {

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

}  // namespace mbc::sema
