// SPDX-License-Identifier: Apache-2.0
// find_switch(): an operation whose result jumps, and did between two states. The function is run at both; results of
// the operations that can jump are kept from the first run, in the order of execution, and compared in the second.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/interpreter.h"
#include "kernel/routines.h"

namespace mbc::kernel {
namespace {

bool has_cut(Op op) { return traits(op).continuity == OpTraits::Continuity::cut; }

// An angle that has changed by more than half a turn went over its cut.
bool jumped(const Inst& inst, double before, double after) {
  const bool angle = inst.kind == Inst::Kind::op && has_cut(inst.op);
  return angle ? std::fabs(after - before) > std::numbers::pi : after != before;
}

bool can_jump(const Block& block, const Inst& inst) {
  if (inst.kind == Inst::Kind::table) return inst.c == block.tables[inst.b]->highest_order();
  return inst.kind == Inst::Kind::op && (jumps(inst.op) || has_cut(inst.op));
}

class SwitchSearch {
 public:
  SwitchSearch(const Kernel& kernel, const Function& function)
      : function_(function), registers_(make_registers(kernel)) {}

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
          if (can_jump(block, block.code[n])) look(block, n);
        }
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
  return SwitchSearch(kernel, function).run(first, second);
}

}  // namespace mbc::kernel
