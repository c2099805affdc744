// SPDX-License-Identifier: Apache-2.0
// Provides kernels of one function and one block, and the arrays for running them.
#pragma once
#include <doctest/doctest.h>

#include <utility>

#include "kernel/interpreter.h"
#include "tests/kernel/block_builder.h"
#include "tests/kernel/random_kernel.h"

namespace mbc::test {

// Returns a kernel of one function and one block over small arrays.
inline kernel::Kernel kernel_of(kernel::Block block) {
  kernel::Kernel kernel;
  kernel.name = "test";
  kernel.n_state = 4;
  kernel.n_params = 2;
  kernel.n_inputs = 1;
  kernel.n_mask = 2;
  kernel.n_work = 8;
  kernel::Function f;
  f.name = "rhs";
  add_block(f, std::move(block));
  kernel.functions.push_back(std::move(f));
  return kernel;
}

inline KernelData data_of(const kernel::Kernel& kernel) {
  KernelData data;
  data.state.assign(kernel.n_state, 0);
  data.params.assign(kernel.n_params, 0);
  data.inputs.assign(kernel.n_inputs, 0);
  data.mask.assign(kernel.n_mask, 1);
  data.work.assign(kernel.n_work, 0);
  data.deriv.assign(kernel.n_state, 0);
  return data;
}

inline kernel::Arguments arguments_of(KernelData& d) {
  return {d.t, d.state.data(), d.params.data(), d.inputs.data(), d.mask.data(), d.work.data(), d.deriv.data()};
}

inline std::int32_t run(const kernel::Kernel& kernel, KernelData& d) {
  REQUIRE(kernel::verify(kernel) == "");
  kernel::Registers registers = kernel::make_registers(kernel);
  return kernel::interpret(kernel.functions[0], d.t, d.state.data(), d.params.data(), d.inputs.data(), d.mask.data(),
                           d.work.data(), d.deriv.data(), registers);
}

}  // namespace mbc::test
