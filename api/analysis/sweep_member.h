// SPDX-License-Identifier: Apache-2.0
// One member of a sweep: the model with other values of some parameters and inputs, run from beginning to end. Every
// thread has its own SweepWorker with its own arrays. Shared data is constant or, in SweepCode, guarded by a lock.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "api/model/function_code.h"
#include "api/model/initial.h"
#include "api/simulation/simulation_impl.h"
#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/equations/rate_jacobian.h"
#include "runtime/run/batch.h"
#include "runtime/run/check_run.h"

namespace mbc::api {

// The kernel in the forms that members need (rows added to a singular mass matrix), and native code of their functions.
// Each form is made when the first member needs it.
class SweepCode {
 public:
  // Without native code everything is interpreted. `shape`: members may be stepped in lanes. All references must
  // outlive the object.
  SweepCode(const lower::System& system, formulate::FormulateOptions options, std::optional<kernel::StepShape> shape,
            NativeCode* native, bool at_once);
  SweepCode(const SweepCode&) = delete;
  SweepCode& operator=(const SweepCode&) = delete;

  struct Form {
    formulate::Formulated formulated;
    std::optional<kernel::StepFunction> step;
    FunctionCode::Slots slots;
    std::map<std::pair<std::uint32_t, bool>, runtime::JetCode> jets;
  };
  // `rows` is InertiaRows as a number. The equations stay usable as long as this object lives; null if the kernel is
  // too large.
  [[nodiscard]] std::unique_ptr<runtime::Equations> equations(std::size_t rows);
  [[nodiscard]] bool adds_inertia_rows() const { return options_.formulation->adds_inertia_rows; }

  // The partial derivatives of the equations. They serve all forms, whose states and parameters are the same.
  [[nodiscard]] const runtime::PartialsCode& partials();

  // The right-hand side of a form as a series (runtime/equations/jets.h).
  [[nodiscard]] const runtime::JetCode& jets(std::size_t rows, std::uint32_t order, bool all_rows);

  // has_lanes() returns whether members of the first form are stepped together. batch() makes the object that steps
  // them; `calls` is the number of right-hand sides that all workers are expected to evaluate.
  [[nodiscard]] bool has_lanes();
  [[nodiscard]] std::unique_ptr<runtime::Batch> batch(const problem::Problem& info, double calls);

 private:
  Form& form(std::size_t rows);

  std::mutex mutex_;
  const lower::System& system_;
  formulate::FormulateOptions options_;
  std::optional<kernel::StepShape> shape_;
  const bool interpreted_;
  FunctionCode code_;
  std::unique_ptr<Form> forms_[4];
  std::unique_ptr<runtime::PartialsCode> partials_;
};

// "E0602: these constraints contradict each other: a, b (at t = 0.5)"
[[nodiscard]] std::string reason_of(const DiagnosticInfo& d);

// Data that all members share.
struct SweepPlan {
  const Compilation& compilation;
  const sema::Sweep& sweep;
  problem::Problem info;
  runtime::SimulateOptions settings;  // without callbacks
  std::vector<std::size_t> columns;   // indices of recorded rows that replace expressions
  std::vector<std::string> names;     // names of the recorded values
  // The model of the members' initial runs, if values are assembled with bodies in another representation
  // (Simulation::Impl::in_quaternions).
  std::optional<Model> begins{};

  [[nodiscard]] const sema::Model& model() const { return compilation.model; }
  [[nodiscard]] std::vector<double> values(std::uint64_t member) const;  // member: from 0
  // Returns the recorded outputs of the kernel whose least or largest value is recorded.
  [[nodiscard]] std::vector<kernel::StepShape::Extreme> extremes() const;
};

class SweepWorker {
 public:
  // Adds nodes to the model's graph; therefore all workers are made before the first of them runs. `calls` is the
  // number of right-hand sides that all `jobs` workers will evaluate.
  SweepWorker(const SweepPlan& plan, sema::Model& model, SweepCode& code, double calls, unsigned jobs);
  SweepWorker(const SweepWorker&) = delete;
  SweepWorker& operator=(const SweepWorker&) = delete;

  // Returns the number of members that run together.
  [[nodiscard]] std::uint64_t group() const { return seats_.size(); }
  // Runs `count` members from `first` on, at most group(). The results are the same bits for every worker and in any
  // order. Their status is Status::interrupted if `stop` was set meanwhile.
  [[nodiscard]] std::vector<SweepMember> run(std::uint64_t first, std::uint64_t count);

  [[nodiscard]] kernel::EnginesUsed engines_used() const;
  [[nodiscard]] std::uint64_t steps_together() const { return batch_ ? batch_->steps_together() : 0; }
  [[nodiscard]] std::uint64_t steps_alone() const { return batch_ ? batch_->steps_alone() : 0; }

 private:
  // The data of a member while it runs.
  struct Seat {
    SweepMember out;
    std::vector<double> y, recorded, row;
    std::unique_ptr<runtime::Equations> equations[4];
    std::size_t form = 0;
    std::unique_ptr<runtime::CheckRun> gathered;
    runtime::Batch::Member member;
  };

  bool prepare(Seat& seat, std::uint64_t member);
  bool take_values(Seat& seat);
  void choose_form(Seat& seat);
  bool meet_constraints(Seat& seat);
  bool begin_as_run(Seat& seat);
  void watch(Seat& seat);
  void finish(Seat& seat, const runtime::RunData& data);
  void check_records(SweepMember& out) const;
  void fail(SweepMember& out, Status status, const Diagnostic& why) const;

  const SweepPlan& plan_;
  SweepCode& code_;
  WrittenValues written_;
  std::vector<double> params_, inputs_;
  std::unique_ptr<Simulation::Impl> alone_;  // a simulation of SweepPlan::begins
  InitialProblem initial_;
  runtime::AssemblyProblem problem_;  // reads params_
  std::vector<Seat> seats_;
  std::unique_ptr<runtime::Batch> batch_;
};

}  // namespace mbc::api
