// SPDX-License-Identifier: Apache-2.0
// Decides when native code is requested for functions of a kernel.
#include "runtime/equations/kernel_engines.h"

#include <algorithm>

namespace mbc::runtime {

namespace {

// By KernelEngines::FunctionIndex.
constexpr const char* kNames[] = {"rhs",           "assemble",          "constraint_power",
                                  "residuals",     "correct_position",  "correct_velocity",
                                  "outputs",       "nonideal",          "rates",
                                  "expand",        "rhs_quasi",         "fast_rhs",
                                  "fast_position", "fast_velocity",     "fast_full",
                                  "contact_rows",  "contact_residuals", "energies"};

// Calls, or operations interpreted, after which a function is compiled while the caller waits.
constexpr std::uint32_t kWorthCompiling = 5000;
constexpr std::uint64_t kWorthOperations = 10'000'000;
// Calls of the compiled rhs that cost more than they need to by as much as compiling the fast function costs.
constexpr std::uint32_t kWorthFastCode = 100'000;
constexpr std::uint64_t kLongestCode = 100'000;  // instructions
constexpr std::uint32_t kAsked = 0xffff'ffff;    // in place of calls: native code has been asked for, or never will be

}  // namespace

KernelEngines::KernelEngines(const kernel::Kernel& kernel, bool laned, NativeSource source)
    : source_(std::move(source)), fast_bits_(!laned), registers_(kernel::make_registers(kernel)) {
  for (int k = 0; k < k_count; ++k) functions_[k] = kernel.function(kNames[k]);
  if (source_.compiler) plan_for_compiler();
  if (source_.starter) plan_for_starter();
}

void KernelEngines::plan_for_compiler() {
  for (int k = 0; k < k_count; ++k) {
    std::uint64_t operations = 1;
    if (functions_[k])
      for (const kernel::Block& b : functions_[k]->blocks) operations += std::uint64_t{b.code.size()} * b.count;
    worth_[k] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kWorthOperations / operations, 2, kWorthCompiling));
  }
  worth_[k_fast_rhs] = kWorthFastCode;
  for (int k = 0; k < k_count; ++k)
    if (too_long(k)) worth_[k] = kAsked;
  if (!fast_bits_) compiled_[k_fast_rhs] = source_.compiler(*functions_[k_fast_rhs]);
  for (const FunctionIndex k : {k_rhs, main_rhs()})
    if (functions_[k] && !compiled_[k]) compiled_[k] = source_.compiler(*functions_[k]);
}

void KernelEngines::plan_for_starter() {
  for (int k = 0; k < k_count; ++k) {
    if (!functions_[k]) continue;
    const kernel::FunctionSize size = size_of(*functions_[k]);
    worth_opening_[k] = calls_worth_compiling(size, true);
    worth_[k] = k == main_rhs() ? worth_opening_[k] : calls_worth_compiling(size, false);
    if (too_long(k)) worth_[k] = worth_opening_[k] = kAsked;
  }
  // Native code of fast_rhs is requested after that of rhs, in fast_is_faster().
  if (fast_bits_) worth_[k_fast_rhs] = worth_opening_[k_fast_rhs] = kAsked;
}

// Returns true for a function that is written out over very many parts, such as an energy in an output. Compiling it
// takes minutes, while a call takes a few milliseconds.
bool KernelEngines::too_long(int which) const {
  return functions_[which] && which != main_rhs() && size_of(*functions_[which]).code > kLongestCode;
}

void KernelEngines::expect_calls(double rhs_calls) {
  if (!source_.starter) return;
  for (const FunctionIndex which : {k_fast_rhs, main_rhs()})  // k_fast_rhs comes first because most calls go to it.
    if (functions_[which] && !slots_[which] && calls_[which] + rhs_calls >= worth_[which]) start(which);
}

kernel::EnginesUsed KernelEngines::used() const {
  return {.native = native_rhs_ || (!interpreted_rhs_ && compiled_[main_rhs()] != nullptr),
          .interpreter = interpreted_rhs_};
}

void KernelEngines::start(FunctionIndex which) {
  calls_[which] = kAsked;  // The request is made only once, whatever the answer is.
  slots_[which] = source_.starter(*functions_[which]);
  any_started_ = true;
}

// The caller is about to call a function that has no native code yet.
void KernelEngines::consider_native(FunctionIndex which) {
  if (source_.compiler) {
    if (calls_[which] < worth_[which] && ++calls_[which] == worth_[which])
      compiled_[which] = source_.compiler(*functions_[which]);
  } else if (slots_[which]) {
    compiled_[which] = slots_[which]->load(std::memory_order_acquire);
  } else if (source_.starter && calls_[which] < kAsked - 1 &&
             ++calls_[which] >= (any_started_ ? worth_ : worth_opening_)[which]) {
    start(which);
  }
}

bool KernelEngines::fast_is_faster() {
  if (!compiled_[k_rhs]) consider_native(k_rhs);  // A call of the fast function counts as a call of rhs.
  if (compiled_[k_fast_rhs] || !compiled_[k_rhs]) return true;
  if (source_.compiler) {
    if (calls_[k_fast_rhs] + 1 == worth_[k_fast_rhs]) return true;  // This call compiles the function.
    ++calls_[k_fast_rhs];
  } else if (slots_[k_fast_rhs]) {
    compiled_[k_fast_rhs] = slots_[k_fast_rhs]->load(std::memory_order_acquire);
  } else if (calls_[k_fast_rhs] != kAsked && ++calls_[k_fast_rhs] >= kWorthFastCode) {
    start(k_fast_rhs);
  }
  return compiled_[k_fast_rhs] != nullptr;
}

std::int32_t KernelEngines::call(FunctionIndex which, const kernel::Arguments& a) {
  if (!compiled_[which]) consider_native(which);
  const bool native = compiled_[which] != nullptr;
  if (which == k_rhs || which == main_rhs() || which == k_fast_rhs) (native ? native_rhs_ : interpreted_rhs_) = true;
  if (native) return compiled_[which](a.t, a.state, a.params, a.inputs, a.mask, a.work, a.deriv);
  return interpret(*functions_[which], a.t, a.state, a.params, a.inputs, a.mask, a.work, a.deriv, registers_);
}

}  // namespace mbc::runtime
