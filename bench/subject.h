// SPDX-License-Identifier: Apache-2.0
// A Subject is one compiled model that offers every way of evaluating its right-hand side. Its rows are certified as at
// the start of a run.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench/models.h"
#include "compiler/pipeline.h"
#include "jit/engine.h"
#include "kernel/problem/problem.h"
#include "mbc/mbc.h"
#include "runtime/equations/equations.h"

namespace mbc::bench {

class Subject {
 public:
  // If `engine` is null, there is no native code. Throws std::runtime_error if the model does not compile.
  Subject(const BenchModel& model, jit::Engine* engine);

  // Returns a separate Equations object in the requested mode. It is compiled if `native` is set and interpreted
  // otherwise.
  runtime::Equations& equations(bool native, runtime::SolveMode mode);
  [[nodiscard]] Simulation& program() { return program_; }
  [[nodiscard]] bool has_native() const { return engine_ != nullptr; }

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const std::vector<double>& state() const { return state_; }
  [[nodiscard]] std::size_t speeds_at() const { return compilation_.formulated.layout.speeds_at(); }
  [[nodiscard]] std::size_t speeds() const { return compilation_.formulated.layout.n_speeds; }

 private:
  kernel::KernelFunction compile_function(const kernel::Function& function);

  Simulation program_;
  Compilation compilation_;
  problem::Problem info_;
  jit::Engine* engine_;
  std::vector<std::unique_ptr<jit::CompiledKernel>> code_;
  std::vector<std::unique_ptr<runtime::Equations>> equations_;
  std::vector<double> state_;
  double time_ = 0;
};

}  // namespace mbc::bench
