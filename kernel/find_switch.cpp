// SPDX-License-Identifier: Apache-2.0
// find_switch() finds an operation whose result jumps and differs between two states; find_growth() finds one whose
// result grew. The function is run at both states. Results of the first run are kept in the order of execution and
// compared in the second.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/interpreter.h"
#include "kernel/routines.h"

namespace mbc::kernel {
namespace {

bool has_cut(Op op) { return traits(op).continuity == OpTraits::Continuity::cut; }

// An angle that has changed by more than half a turn has crossed its cut.
bool jumped(const Inst& inst, double before, double after) {
  const bool angle = inst.kind == Inst::Kind::op && has_cut(inst.op);
  return angle ? std::fabs(after - before) > std::numbers::pi : after != before;
}

bool can_jump(const Block& block, const Inst& inst) {
  if (inst.kind == Inst::Kind::table) return inst.c == block.tables[inst.b]->highest_order();
  return inst.kind == Inst::Kind::op && (jumps(inst.op) || has_cut(inst.op));
}

class Comparison {
 public:
  // Results have to grow by the factor `grown`. If it is 0, the search is for results that jump.
  Comparison(const Kernel& kernel, const Function& function, double grown = 0)
      : function_(function), registers_(make_registers(kernel)), grown_(grown) {}

  std::optional<Span> run(const Arguments& first, const Arguments& second) {
    pass(first);
    compares_ = true;
    pass(second);
    return found_;
  }

 private:
  void pass(const Arguments& arguments) {
    Spaces spaces(arguments);
    at_ = 0;
    for (const Step& step : function_.steps) {
      if (step.is_block)
        run_block(function_.blocks[step.index], step, spaces);
      else if (call_routine(function_.calls[step.index], arguments.mask, arguments.work) != 0)
        return;
    }
  }

  void run_block(const Block& block, const Step& step, Spaces& spaces) {
    for (std::uint32_t i = step.begin(); i < step.end(block); ++i)
      for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
        for (std::uint32_t n = 0; n < block.code.size(); ++n) {
          execute(block, n, place_of(block, block.code[n], i, lane), spaces, registers_.values.data());
          if (grown_ > 0)
            look_at_growth(block, n);
          else if (can_jump(block, block.code[n]))
            look(block, n);
        }
  }

  [[nodiscard]] bool grew(std::size_t first, std::uint32_t n) const {
    return std::fabs(registers_.values[n]) >= grown_ * std::fabs(results_[first + n]);
  }

  // Growth begins at a result that grew although no operand did.
  void look_at_growth(const Block& block, std::uint32_t n) {
    if (!compares_) return results_.push_back(registers_.values[n]);
    const std::size_t first = at_++ - n;
    const Inst& inst = block.code[n];
    if (found_ || at_ > results_.size() || inst.kind != Inst::Kind::op || results_[first + n] == 0 || !grew(first, n))
      return;
    const std::uint32_t operands[] = {inst.a, inst.b, inst.c};
    for (std::uint32_t k = 0; k < arity(inst.op); ++k)
      if (grew(first, operands[k]) && registers_.values[operands[k]] != 0) return;
    if (n < block.origin.size() && block.origin[n].known()) found_ = block.origin[n];
  }

  void look(const Block& block, std::uint32_t n) {
    const double result = registers_.values[n];
    if (!compares_) return results_.push_back(result);
    const bool other = at_ < results_.size() && jumped(block.code[n], results_[at_], result);
    ++at_;
    if (other && !found_ && n < block.origin.size() && block.origin[n].known()) found_ = block.origin[n];
  }

  const Function& function_;
  Registers registers_;
  std::vector<double> results_;  // of the first run
  std::size_t at_ = 0;
  bool compares_ = false;
  double grown_;
  std::optional<Span> found_;
};

}  // namespace

bool can_switch(const Function& function) {
  return std::any_of(function.blocks.begin(), function.blocks.end(), [](const Block& block) {
    return std::any_of(block.code.begin(), block.code.end(), [&](const Inst& inst) { return can_jump(block, inst); });
  });
}

std::optional<Span> find_switch(const Kernel& kernel, const Function& function, const Arguments& first,
                                const Arguments& second) {
  return Comparison(kernel, function).run(first, second);
}

std::optional<Span> find_growth(const Kernel& kernel, const Function& function, const Arguments& first,
                                const Arguments& second, double grown) {
  return Comparison(kernel, function, grown).run(first, second);
}

}  // namespace mbc::kernel
