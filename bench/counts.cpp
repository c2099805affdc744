// SPDX-License-Identifier: Apache-2.0
// Counts the operations of the straight-line kernels in the kernels themselves, which is free of noise
// (docs/benchmarks.md, "Operations of small kernels"). With the arguments MODEL FUNCTION N it calls the native function
// N times, for a program that counts instructions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/models.h"
#include "compiler/pipeline.h"
#include "jit/engine.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

using graph::Op;
using kernel::Inst;

// Returns the approximate number of cycles from operands to result on the processors of the table. The critical path
// uses these weights.
std::uint32_t latency(Op op) {
  switch (op) {
    case Op::neg:
    case Op::abs:
      return 1;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::fma:
      return 4;
    case Op::div:
      return 14;
    case Op::sqrt:
      return 19;
    case Op::select:
    case Op::lt:
    case Op::logical_and:
      return 3;
    default:
      return 40;  // A call takes about this long.
  }
}

struct Counts {
  std::uint32_t operations = 0, roots = 0, calls = 0, selects = 0, path = 0, loads = 0, stores = 0;
};

// Negations are not counted, because native code merges them into the adjacent operation.
Counts counts_of(const kernel::Function& f) {
  Counts c;
  for (const kernel::Block& b : f.blocks) {
    std::vector<std::uint32_t> ready(b.code.size());
    for (std::size_t i = 0; i < b.code.size(); ++i) {
      const Inst& inst = b.code[i];
      c.loads += inst.kind == Inst::Kind::load;
      c.stores += inst.kind == Inst::Kind::store;
      if (inst.kind == Inst::Kind::store) c.path = std::max(c.path, ready[inst.a]);
      if (inst.kind != Inst::Kind::op) continue;
      const std::uint32_t operands[] = {inst.a, inst.b, inst.c};
      for (std::uint32_t k = 0; k < graph::arity(inst.op); ++k) ready[i] = std::max(ready[i], ready[operands[k]]);
      ready[i] += latency(inst.op);
      c.operations += inst.op != Op::neg;
      c.roots += inst.op == Op::div || inst.op == Op::sqrt;
      c.selects += inst.op == Op::select || inst.op == Op::lt || inst.op == Op::logical_and;
      c.calls += latency(inst.op) == 40;
    }
  }
  return c;
}

std::vector<BenchModel> counted_models() {
  std::vector<BenchModel> models;
  for (BenchModel& m : bench_models())
    if (m.count <= 10 && m.shape != Shape::redundant_chain) models.push_back(std::move(m));
  for (const int n : {1, 3, 10}) models.push_back({fmt::format("chain_{}_params", n), chain_with_params(n), {}, n, 0});
  models.push_back({"rotary_pendulum", rotary_pendulum_text(), {}, 0, 0});
  models.push_back({"sleigh", sleigh_text(), {}, 0, 0});
  for (const char* bodies : {"quaternion", "euler_parameters", "natural"})
    models.push_back({fmt::format("triple_{}", bodies), triple_pendulum_text(bodies), Shape::chain, 3, 0.5});
  return models;
}

void print_counts(const std::string& wanted) {
  fmt::print("| model | function | operations | divisions, roots | functions | tests, selects | path |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const BenchModel& m : counted_models()) {
    if (m.name.find(wanted) == std::string::npos) continue;
    const Compilation made = compile(m.name, m.text, {});
    for (const char* name : {"rhs", "fast_rhs"})
      if (const kernel::Function* f = made.formulated.kernel.function(name)) {
        const Counts c = counts_of(*f);
        fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", m.name, name, c.operations, c.roots, c.calls, c.selects,
                   c.path);
      }
  }
}

#ifdef MBC_HAVE_JIT
void make_calls(const std::string& model, const std::string& function, int count) {
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  if (!engine) throw std::runtime_error(error);
  for (const BenchModel& m : counted_models()) {
    if (m.name != model) continue;
    const Compilation made = compile(m.name, m.text, {});
    kernel::Kernel part = made.formulated.kernel;
    const kernel::Function* f = made.formulated.kernel.function(function);
    if (!f) throw std::runtime_error(model + " has no function " + function);
    part.functions = {*f};
    const std::unique_ptr<jit::CompiledKernel> code = engine->compile(part, {}, error);
    if (!code) throw std::runtime_error(error);
    Simulation program = Simulation::create(Model::from_string(m.text, m.name)).value();
    std::vector<double> state = program.initial_state(), params, work(part.n_work + 1), rate(state.size() + 1);
    for (std::size_t i = 0; i < program.model().parameters().size(); ++i)
      params.push_back(program.parameter(i).value());
    const std::vector<double> mask(part.n_mask + 1, 1.0), inputs(part.n_inputs + 1, 0.0);
    params.resize(params.size() + 2);
    const kernel::KernelFunction call = code->function(function);
    for (int k = 0; k < count; ++k)
      if (call(0.0, state.data(), params.data(), inputs.data(), mask.data(), work.data(), rate.data()) != 0)
        throw std::runtime_error("the function gave up");
    return;
  }
  throw std::runtime_error("no model " + model);
}
#endif

int run(int argc, char** argv) {
#ifdef MBC_HAVE_JIT
  if (argc == 4) {
    make_calls(argv[1], argv[2], std::atoi(argv[3]));
    return 0;
  }
#endif
  print_counts(wanted_of(argc, argv));
  return 0;
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  try {
    return mbc::bench::run(argc, argv);
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
