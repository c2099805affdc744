// SPDX-License-Identifier: Apache-2.0
// Provides kernels of models as tests use them: initial states, single functions, the examples.
#pragma once
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/pipeline.h"
#include "kernel/interpreter.h"

namespace mbc::test {

// Returns [q; u; s] as in the text; integrals of work are 0.
inline std::vector<double> initial_state(const Compilation& c, std::size_t n_state) {
  std::vector<sema::NodeId> nodes;
  for (const sema::Coordinate& q : c.model.coordinates) nodes.push_back(q.initial);
  for (const sema::Speed& u : c.model.speeds) nodes.push_back(u.initial);
  for (const sema::State& s : c.model.states) nodes.push_back(s.initial);
  std::vector<double> y = sema::constant_values(c.model, nodes, sema::parameter_values(c.model));
  y.resize(n_state);
  return y;
}

// An Outcome holds the results of one call of a kernel's function. Both arrays are filled with `untouched` before the
// call.
struct Outcome {
  std::int32_t status = 0;
  std::vector<double> work, deriv;

  explicit Outcome(const kernel::Kernel& k, double untouched = 12345)
      : work(k.n_work, untouched), deriv(k.n_state, untouched) {}
};

struct KernelArguments {
  double t = 0;
  const std::vector<double>&state, &params, &inputs, &mask;
};

inline Outcome interpreted(const kernel::Kernel& k, const char* function, const KernelArguments& a) {
  kernel::Registers registers = kernel::make_registers(k);
  Outcome o(k);
  o.status = kernel::interpret(*k.function(function), a.t, a.state.data(), a.params.data(), a.inputs.data(),
                               a.mask.data(), o.work.data(), o.deriv.data(), registers);
  return o;
}

inline Outcome executed(const kernel::Kernel& k, kernel::KernelFunction function, const KernelArguments& a) {
  Outcome o(k);
  o.status =
      function(a.t, a.state.data(), a.params.data(), a.inputs.data(), a.mask.data(), o.work.data(), o.deriv.data());
  return o;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Returns the files in order, including those of inner folders.
inline std::vector<std::filesystem::path> example_files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MBC_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".mbd") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace mbc::test
