// One member of a sweep: the model with other values of some parameters and inputs, run from beginning to end. Every
// thread has a SweepWorker of its own, with its own arrays; what they share is constant or, in SweepCode, guarded.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/api/initial.h"
#include "runtime/api/native_code.h"
#include "runtime/simulate.h"

namespace mbc::api {

// The kernel in the forms that members need (rows added to a singular mass matrix, api/build.h), and native code of
// their functions; each is made when the first member asks for it.
class SweepCode {
 public:
  // Without native code everything is interpreted. What is referred to outlives the object.
  SweepCode(const lower::System& system, formulate::FormulateOptions options, NativeCode* native, bool at_once);

  struct Form {
    formulate::Formulated formulated;
    std::map<std::string, std::shared_ptr<const runtime::NativeSlot>> functions;
  };
  // `rows`: InertiaRows as a number. Equations of a form stay usable as long as this object; null when it is too large.
  [[nodiscard]] std::unique_ptr<runtime::Equations> equations(std::size_t rows);
  [[nodiscard]] bool adds_inertia_rows() const { return options_.method->adds_inertia_rows; }

 private:
  std::shared_ptr<const runtime::NativeSlot> slot_of(Form& form, const kernel::Function& function);

  std::mutex mutex_;
  const lower::System& system_;
  formulate::FormulateOptions options_;
  NativeCode* native_;
  bool at_once_;
  std::unique_ptr<Form> forms_[3];
};

// What all members have in common.
struct SweepPlan {
  const Compilation& compilation;
  const sema::Sweep& sweep;
  runtime::ModelInfo info;
  runtime::SimulateOptions settings;  // without anybody who watches
  std::vector<std::size_t> columns;   // recorded in place of expressions: of the recorded rows
  std::vector<std::string> names;     // of what is recorded

  [[nodiscard]] const sema::Model& model() const { return compilation.model; }
  [[nodiscard]] std::vector<double> values(std::uint64_t member) const;  // from 0; by name varied
};

class SweepWorker {
 public:
  // Adds nodes to the model's graph: all workers are made before the first of them runs.
  SweepWorker(const SweepPlan& plan, sema::Model& model, SweepCode& code);
  SweepWorker(const SweepWorker&) = delete;
  SweepWorker& operator=(const SweepWorker&) = delete;

  // The same for every worker and in any order, bit for bit. Status::interrupted when `stop` was set meanwhile.
  [[nodiscard]] SweepMember run(std::uint64_t member);

  // That many right-hand sides are about to be asked for, by all workers.
  void expect_calls(double rhs_calls) { equations_[0]->expect_calls(rhs_calls); }
  [[nodiscard]] runtime::EnginesUsed engines_used() const;

 private:
  bool take_values(SweepMember& out);
  runtime::Equations& choose_form();
  bool meet_constraints(runtime::Equations& equations, SweepMember& out);
  void integrate(runtime::Equations& equations, SweepMember& out);
  void check_records(SweepMember& out) const;
  void fail(SweepMember& out, Status status, const Diagnostic& why) const;
  [[nodiscard]] std::vector<double> initial_values() const;

  const SweepPlan& plan_;
  SweepCode& code_;
  std::vector<double> params_, inputs_, y_;
  runtime::AssemblyProblem problem_;  // reads params_
  std::unique_ptr<runtime::Equations> equations_[3];
};

}  // namespace mbc::api
