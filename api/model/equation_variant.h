// SPDX-License-Identifier: Apache-2.0
// An equation variant is the kernel of a text for one representation of bodies, one formulation and one set of inertia
// rows, with or without Baumgarte's terms. It never changes. Native code of its functions, the kernel with the values
// of tests, and steps as one function are made once, under a lock, when the first simulation asks for them.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/model/analysed_text.h"
#include "api/model/function_code.h"
#include "runtime/equations/jets.h"
#include "runtime/equations/rate_jacobian.h"
#include "runtime/step/fused_step.h"

namespace mbc::api {

// Options for native code.
struct CodeOptions {
  bool interpret = false, native_at_once = false, colour = false;
  int optimise = 2;
};

// Returns the right-hand side of a kernel as a Taylor series; the call compiles no native code.
[[nodiscard]] runtime::JetCode jet_code(const formulate::Formulated& formulated, std::uint32_t order, bool all_rows,
                                        bool at_once);

class EquationVariant {
 public:
  // A text with errors, or one whose kernel would be too large, gives a variant with these errors and without a kernel.
  EquationVariant(std::shared_ptr<AnalysedText> analysis, const Wanted& wanted, const CodeOptions& how,
                  std::shared_ptr<NativeCode> native);
  EquationVariant(const EquationVariant&) = delete;
  EquationVariant& operator=(const EquationVariant&) = delete;

  [[nodiscard]] bool ok() const { return !sink_.has_errors(); }
  [[nodiscard]] const Sink& sink() const { return sink_; }
  [[nodiscard]] const SourceSet& sources() const { return analysis_->sources(); }
  [[nodiscard]] const Facts& facts() const { return analysis_->facts(); }
  [[nodiscard]] const problem::Problem& info() const { return facts().info; }
  [[nodiscard]] const Wanted& wanted() const { return wanted_; }
  [[nodiscard]] const std::vector<std::string>& momenta() const { return equations_.momenta; }
  [[nodiscard]] const kernel::Kernel& kernel() const { return equations_.formulated.kernel; }
  [[nodiscard]] const kernel::SystemLayout& layout() const { return equations_.formulated.layout; }
  [[nodiscard]] bool too_large() const { return !equations_.formulated.too_large.empty(); }
  [[nodiscard]] AnalysedText& analysis() const { return *analysis_; }
  [[nodiscard]] const std::vector<std::string>& parameters_asked_for() const {
    return analysis_->parameters_asked_for();
  }
  [[nodiscard]] const std::shared_ptr<AnalysedText>& analysis_shared() const { return analysis_; }
  [[nodiscard]] const Equations& made() const { return equations_; }
  [[nodiscard]] NativeCode* native() const { return native_.get(); }
  [[nodiscard]] const CodeOptions& how() const { return how_; }

  // The kernel for one simulation; it runs native code where this is wanted and available.
  [[nodiscard]] std::unique_ptr<runtime::Equations> equations(const std::vector<double>& params) const;
  // The same with the values that tests check.
  [[nodiscard]] std::unique_ptr<runtime::Equations> check_equations(const std::vector<double>& params) const;
  // The partial derivatives of its equations; the first call makes them.
  [[nodiscard]] const runtime::PartialsCode& partials(kernel::PartialsScope scope = kernel::PartialsScope::rates) const;
  // Its right-hand side as a Taylor series (runtime/equations/jets.h); the first call makes it.
  [[nodiscard]] const runtime::JetCode& jets(std::uint32_t order, bool all_rows) const;
  // The steps of this run as one function; null if there is none or if compiling it does not pay.
  [[nodiscard]] runtime::FusedCode* fused_code(const runtime::SimulateOptions& run) const;
  // Everything that may be compiled for this run, each function as a kernel of its own.
  [[nodiscard]] std::vector<kernel::Kernel> parts(const runtime::SimulateOptions& run) const;

 private:
  [[nodiscard]] bool can_fuse(const runtime::SimulateOptions& run) const;

  std::unique_ptr<runtime::Equations> equations_of(const formulate::Formulated& formulated, FunctionCode::Slots& slots,
                                                   const std::vector<double>& params) const;

  std::shared_ptr<AnalysedText> analysis_;
  Wanted wanted_;
  CodeOptions how_;
  std::shared_ptr<NativeCode> native_;
  Sink sink_;
  Equations equations_;
  mutable FunctionCode code_;
  mutable FunctionCode::Slots slots_, check_slots_;
  mutable std::mutex mutex_;  // guards the members below
  mutable std::unique_ptr<formulate::Formulated> checks_;
  mutable std::array<std::unique_ptr<runtime::PartialsCode>, 3> partials_;  // by PartialsScope
  mutable std::map<std::pair<std::uint32_t, bool>, runtime::JetCode> jets_;
  mutable std::array<std::unique_ptr<runtime::FusedCode>, 2> steps_;  // without and with projection
};

}  // namespace mbc::api
