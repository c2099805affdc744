// SPDX-License-Identifier: Apache-2.0
// find_failure() walks from a result that is not finite back to the operation that made it so. The function is run once
// more. Whenever a value that is not finite is stored, its cause is traced through the registers of that instance and
// kept for the entry, so that later blocks that load the entry find it.
#include <algorithm>
#include <cmath>

#include "kernel/interpreter.h"
#include "kernel/routines.h"

namespace mbc::kernel {
namespace {

constexpr std::uint32_t kNoCause = 0xffffffffu;

struct Place {  // the point of execution
  std::uint32_t step = 0;
  std::uint32_t block = 0;
  std::uint32_t instance = 0;
  std::uint32_t lane = 0;
};

class FailureSearch {
 public:
  FailureSearch(const Kernel& kernel, const Function& function, const Arguments& arguments)
      : function_(function),
        arguments_(arguments),
        spaces_(arguments),
        registers_(make_registers(kernel)),
        work_cause_(kernel.n_work, kNoCause),
        deriv_cause_(kernel.n_state, kNoCause) {}

  std::optional<Failure> run() {
    for (std::uint32_t s = 0; s < function_.steps.size(); ++s) {
      const Step& step = function_.steps[s];
      if (step.is_block) {
        run_block(s, step);
      } else if (const std::int32_t status = run_routine(s, step.index); status != 0) {
        return routine_failure(s, step.index, status);
      }
    }
    return verdict();
  }

 private:
  void run_block(std::uint32_t number, const Step& step) {
    const Block& block = function_.blocks[step.index];
    for (std::uint32_t i = step.begin(); i < step.end(block); ++i)
      for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
        place_ = {number, step.index, i, lane};
        for (std::uint32_t n = 0; n < block.code.size(); ++n) execute(block, n);
      }
  }

  std::uint32_t entry(const Block& block, const Inst& inst) const {
    return place_of(block, inst, place_.instance, place_.lane);
  }

  void execute(const Block& block, std::uint32_t n) {
    const Inst& inst = block.code[n];
    const std::uint32_t at = entry(block, inst);
    kernel::execute(block, n, at, spaces_, registers_.values.data());
    if (inst.kind == Inst::Kind::store)
      causes(inst.space)[at] = std::isfinite(registers_.values[inst.a]) ? kNoCause : cause_of(block, inst.a);
  }

  std::vector<std::uint32_t>& causes(Space space) { return space == Space::work ? work_cause_ : deriv_cause_; }

  // Returns the operand to follow from an operation whose result is not finite; the arity if all operands that count
  // are finite.
  std::uint32_t guilty_operand(const Inst& inst) const {
    const std::vector<double>& v = registers_.values;
    const std::uint32_t operands[3] = {inst.a, inst.b, inst.c};
    if (inst.op == Op::select && std::isfinite(v[inst.a])) {
      const std::uint32_t chosen = v[inst.a] != 0 ? 1 : 2;
      return std::isfinite(v[operands[chosen]]) ? arity(inst.op) : chosen;
    }
    for (std::uint32_t k = 0; k < arity(inst.op); ++k)
      if (!std::isfinite(v[operands[k]])) return k;
    return arity(inst.op);
  }

  // Walks back through the operands of this instance. A load of a stored entry continues with the cause kept for it.
  std::uint32_t cause_of(const Block& block, std::uint32_t n) {
    for (;;) {
      const Inst& inst = block.code[n];
      if (inst.kind == Inst::Kind::table && std::isfinite(registers_.values[inst.a]))
        return record(table_failure(block, n));
      if (inst.kind == Inst::Kind::table) {
        n = inst.a;
        continue;
      }
      if (inst.kind != Inst::Kind::op) return cause_of_datum(block, n);
      const std::uint32_t k = guilty_operand(inst);
      if (k == arity(inst.op)) return record(operation_failure(block, n));
      n = k == 0 ? inst.a : (k == 1 ? inst.b : inst.c);
    }
  }

  std::uint32_t cause_of_datum(const Block& block, std::uint32_t n) {
    const Inst& inst = block.code[n];
    Failure failure = describe(block, n);
    failure.kind = Failure::Kind::input;
    if (inst.kind == Inst::Kind::load) {
      failure.space = inst.space;
      failure.index = entry(block, inst);
      const bool stored = inst.space == Space::work || inst.space == Space::deriv;
      if (stored && causes(inst.space)[failure.index] != kNoCause) return causes(inst.space)[failure.index];
    }
    return record(failure);
  }

  Failure describe(const Block& block, std::uint32_t n) const {
    Failure failure;
    failure.step = place_.step;
    failure.block = place_.block;
    failure.instance = place_.instance;
    failure.instruction = n;
    const Inst::Kind kind = block.code[n].kind;
    failure.op = kind == Inst::Kind::op ? block.code[n].op : kind == Inst::Kind::table ? Op::table : Op::leaf;
    failure.result = registers_.values[n];
    if (n < block.origin.size()) failure.origin = block.origin[n];
    return failure;
  }

  static bool is_sum(const Inst& inst) {
    return inst.kind == Inst::Kind::op && (inst.op == Op::add || inst.op == Op::fma);
  }

  // Returns true for a square root and for a radicand: derivatives of a length divide by both.
  static bool is_of_root(const Block& block, std::uint32_t n) {
    const auto root = [](const Inst& i) { return i.kind == Inst::Kind::op && i.op == Op::sqrt; };
    return root(block.code[n]) ||
           std::any_of(block.code.begin(), block.code.end(), [&](const Inst& i) { return root(i) && i.a == n; });
  }

  Failure operation_failure(const Block& block, std::uint32_t n) const {
    const Inst& inst = block.code[n];
    Failure failure = describe(block, n);
    failure.kind = Failure::Kind::operation;
    const std::uint32_t operands[3] = {inst.a, inst.b, inst.c};
    for (std::uint32_t k = 0; k < arity(inst.op); ++k) failure.operands[k] = registers_.values[operands[k]];
    const Inst& last = block.code[inst.b];
    failure.divisor_is_root = inst.op == Op::div && is_of_root(block, inst.b);
    if (inst.op == Op::div && last.kind == Inst::Kind::op && last.op == Op::mul) {
      // two lengths share a division (graph/merge_reciprocals.h); the cause is the factor that is zero
      for (const std::uint32_t factor : {last.a, last.b})
        if (registers_.values[factor] == 0 && is_sum(block.code[factor]) && block.origin[factor].known()) {
          failure.origin = block.origin[factor];
          break;
        }
    }
    return failure;
  }

  Failure table_failure(const Block& block, std::uint32_t n) const {
    const Inst& inst = block.code[n];
    const std::span<const double> points = block.tables[inst.b]->arguments();
    Failure failure = describe(block, n);
    failure.kind = Failure::Kind::operation;
    failure.operands[0] = registers_.values[inst.a];
    failure.operands[1] = points.front();
    failure.operands[2] = points.back();
    return failure;
  }

  std::uint32_t record(const Failure& failure) {
    found_.push_back(failure);
    return static_cast<std::uint32_t>(found_.size() - 1);
  }

  // A result that is not finite comes from the first input of the routine that is not finite, else from the routine.
  std::int32_t run_routine(std::uint32_t step, std::uint32_t index) {
    const RoutineRanges ranges = routine_ranges(function_.calls[index]);
    const std::uint32_t blame = cause_in(ranges.in);
    const std::int32_t status = call_routine(function_.calls[index], arguments_.mask, arguments_.work);
    std::uint32_t own = kNoCause;
    for (const WorkRange& range : ranges.out) {
      for (std::uint32_t k = range.offset; k < range.offset + range.size; ++k) {
        if (std::isfinite(arguments_.work[k])) {
          work_cause_[k] = kNoCause;
          continue;
        }
        if (blame == kNoCause && own == kNoCause) own = record(spoiled_by_routine(step, index, k));
        work_cause_[k] = blame != kNoCause ? blame : own;
      }
    }
    return status;
  }

  std::uint32_t cause_in(const std::vector<WorkRange>& ranges) const {
    for (const WorkRange& range : ranges)
      for (std::uint32_t k = range.offset; k < range.offset + range.size; ++k)
        if (work_cause_[k] != kNoCause) return work_cause_[k];
    return kNoCause;
  }

  Failure spoiled_by_routine(std::uint32_t step, std::uint32_t index, std::uint32_t entry_index) const {
    Failure failure;
    failure.kind = Failure::Kind::routine;
    failure.step = step;
    failure.block = index;
    failure.space = Space::work;
    failure.index = entry_index;
    failure.result = arguments_.work[entry_index];
    return failure;
  }

  Failure routine_failure(std::uint32_t step, std::uint32_t index, std::int32_t status) const {
    const std::uint32_t blame = cause_in(routine_ranges(function_.calls[index]).in);
    if (blame != kNoCause) return found_[blame];
    Failure failure;
    failure.kind = Failure::Kind::routine;
    failure.step = step;
    failure.block = index;
    failure.status = status;
    return failure;
  }

  std::optional<Failure> verdict() const {
    for (std::uint32_t k = function_.check_begin; k < function_.check_end; ++k)
      if (deriv_cause_[k] != kNoCause) return found_[deriv_cause_[k]];
    const auto first =
        std::find_if(work_cause_.begin(), work_cause_.end(), [](std::uint32_t c) { return c != kNoCause; });
    if (first != work_cause_.end()) return found_[*first];
    return std::nullopt;
  }

  const Function& function_;
  const Arguments& arguments_;
  Spaces spaces_;
  Registers registers_;
  Place place_;
  std::vector<Failure> found_;
  std::vector<std::uint32_t> work_cause_, deriv_cause_;  // per entry: index into found_
};

}  // namespace

std::optional<Failure> find_failure(const Kernel& kernel, const Function& function, const Arguments& arguments) {
  return FailureSearch(kernel, function, arguments).run();
}

}  // namespace mbc::kernel
