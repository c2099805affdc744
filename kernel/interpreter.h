// SPDX-License-Identifier: Apache-2.0
// The reference execution of kernels: a direct interpreter, and two diagnostic ways to run a kernel, with a running
// error analysis and in search of the first undefined operation. verify() checks a kernel once; the functions here
// check nothing again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::kernel {

// The values of one block's instructions, their error bounds, and a row of its table. Each thread has one, made once
// and large enough for every function of the kernel.
struct Registers {
  std::vector<double> values;
  std::vector<double> errors;
  std::vector<std::uint32_t> row;
};
Registers make_registers(const Kernel& kernel);

// The arguments of a kernel function (kernel/kernel.h) as one object.
struct Arguments {
  double t = 0;
  const double* state = nullptr;
  const double* params = nullptr;
  const double* inputs = nullptr;
  const double* mask = nullptr;
  double* work = nullptr;
  double* deriv = nullptr;
};

// Computes what the compiled function computes, bit for bit. Allocates nothing.
std::int32_t interpret(const Function& function, double t, const double* state, const double* params,
                       const double* inputs, const double* mask, double* work, double* deriv, Registers& registers);

// Computes the same values, and for each of them a first-order bound of its rounding error, in units of the machine
// epsilon 2^-52: |computed - exact| <= error * 2^-52 (1 + small) when the constants and the mask are exact and t,
// state, parameters and inputs are off by at most one unit in the last place. Errors of stored entries go to work_error
// and deriv_error (sizes of work and deriv), from where loads read them back. Entries that are never stored, among them
// the results of support routines, keep the caller's values.
//
// If `sizes` of the state are given (by entry), the state is off by these instead, and t, parameters and inputs are
// exact. The bounds are then sizes of the terms that each value consists of, also where the state itself vanishes.
std::int32_t interpret_with_error(const Function& function, const Arguments& arguments, double* work_error,
                                  double* deriv_error, Registers& registers, const double* sizes = nullptr);

// The cause of an undefined result: the first instruction whose result is not finite although its operands are. The
// search walks back from the first checked entry that is not finite, else from the first such entry of work.
struct Failure {
  enum class Kind : std::uint8_t {
    operation,  // an instruction: `op`, its operands and result
    input,      // a load from state, params, inputs, mask, time or work never stored: the datum itself is not finite
    routine,    // a support routine: it returned `status`, or made the value out of finite input
  } kind{};
  std::uint32_t step = 0;         // into Function::steps
  std::uint32_t block = 0;        // into Function::blocks (operation, input), Function::calls (routine)
  std::uint32_t instance = 0;     // of the block
  std::uint32_t instruction = 0;  // of the block's code
  Op op{};
  double operands[3] = {0, 0, 0};  // of a table: its argument, its first and its last point
  bool divisor_is_root = false;    // operation `/`: its divisor is a square root or a radicand
  double result = 0;
  Space space{};            // input: the space of the load; routine: work
  std::uint32_t index = 0;  // input: the entry; routine: the first entry it spoiled
  std::int32_t status = 0;  // routine
  Span origin;
};
// Runs the function again on the given arrays (work and deriv are overwritten). Returns nothing if all results are
// finite.
std::optional<Failure> find_failure(const Kernel& kernel, const Function& function, const Arguments& arguments);

// Returns whether a function has an operation whose result jumps.
bool can_switch(const Function& function);
// Returns an operation whose result jumps (a sign, a comparison, a floor, the angle of atan2) and differs between the
// two runs of the function, if there is one; work and deriv are overwritten.
std::optional<Span> find_switch(const Kernel& kernel, const Function& function, const Arguments& first,
                                const Arguments& second);

// Returns the first operation whose result has grown by this factor between the two runs though no operand has, as the
// quotient of a load that has a pole. The arrays work and deriv are overwritten.
std::optional<Span> find_growth(const Kernel& kernel, const Function& function, const Arguments& first,
                                const Arguments& second, double grown);

// Returns "" if the kernel keeps every rule of kernel/kernel.h, else the first broken rule and its place.
std::string verify(const Kernel& kernel);
// Throws InternalError if verify() finds a mistake. Debug builds call it on every kernel that is made.
void require_verified(const Kernel& kernel);

}  // namespace mbc::kernel
