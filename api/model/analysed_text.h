// SPDX-License-Identifier: Apache-2.0
// A text, analysed for one representation of free bodies and the input signals that one `simulate` block gives:
// tree, model and system of equations, and what a run asks of them. Shared by all variants of these and all their
// simulations.
//
// What is in `facts` never changes. Tree, model and system are looked at under a lock, since looking makes something of
// them (derivatives of initial targets are nodes of the model's graph), and since those of a large model take more
// memory than its run: they are dropped once it is formulated, and made again from the text for whoever asks for more.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/model/initial.h"
#include "api/model/questions.h"
#include "api/model/written_values.h"
#include "compiler/pipeline.h"
#include "kernel/partials.h"
#include "kernel/problem/problem.h"
#include "kernel/step_function.h"
#include "mbc/mbc.h"

namespace mbc::api {

// What was given to compile, besides the text.
struct Source {
  std::string name;
  std::vector<std::string> set;
  sema::Library library;
  std::vector<std::string> parameters{};  // arguments that are to be
  bool facts = false;                     // of expressions are kept
};

struct Facts {
  problem::Problem info;
  std::vector<Quantity> parameters;
  std::vector<std::string> works;  // as lower::System::works
  std::vector<std::string> quasi_velocities;
  std::vector<sema::Simulation> simulations;
  std::vector<TestInfo> tests;
  WrittenValues written;
  std::string description;       // what stands above the first statement
  std::vector<ModelText> texts;  // without their texts, those at `sources` of SourceSet
  std::vector<std::uint32_t> sources;
  settings::Representation bodies{};
  sema::InputSignals signals;  // of the inputs
  bool has_bodies = false, bodies_alike = false, soft_values = false, large = false;
};

// Which equations are solved; the momenta that a formulation keeps follow from the model.
struct Wanted {
  const formulate::Formulation* method = &formulate::kUdwadiaKalaba;
  bool baumgarte = false;
  InertiaRows inertia_rows = InertiaRows::structure;
  bool contacts_apart = false;  // rows of contacts are off whenever accelerations are asked for
  bool operator==(const Wanted&) const = default;
};

struct Equations {
  formulate::FormulateOptions options;
  formulate::Formulated formulated;
  std::vector<std::string> momenta;  // those that are kept
  double seconds = 0;
};

class AnalysedText {
 public:
  // Without `bodies` those of the first `simulate` block, without `signals` those of that. alike: bodies that name
  // their coordinates are described as the others.
  AnalysedText(std::shared_ptr<const Source> source, std::string text, std::optional<settings::Representation> bodies,
               std::optional<sema::InputSignals> signals, bool alike = false);
  // Of a file that could not be read.
  AnalysedText(const std::string& path, const std::string& error);

  [[nodiscard]] bool ok() const { return !sink_.has_errors(); }
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] const Sink& sink() const { return sink_; }
  [[nodiscard]] const std::vector<std::string>& parameters_asked_for() const { return source_->parameters; }
  [[nodiscard]] const SourceSet& sources() const { return c_.sources; }
  // Of its expressions, where they were to be kept.
  [[nodiscard]] const sema::Observed& observed() const { return observed_; }
  [[nodiscard]] bool keeps_facts() const { return source_ && source_->facts; }
  // Where it finds files and modules.
  [[nodiscard]] sema::Library library() const { return source_ ? source_->library : sema::Library{}; }
  [[nodiscard]] std::string text() const { return sources().size() > 0 ? std::string(sources()[0].text()) : ""; }

  // ---- these lock
  [[nodiscard]] Equations formulate(const Wanted& wanted);
  // The same system with the values that tests look at behind its outputs.
  [[nodiscard]] formulate::Formulated formulate_checks(const formulate::FormulateOptions& options);
  // The partial derivatives of the equations that were formulated to this layout.
  [[nodiscard]] kernel::Partials partials(const kernel::SystemLayout& layout);
  // A step as one function, where the system has one; nothing for a system that was dropped.
  [[nodiscard]] std::optional<kernel::StepFunction> step(const kernel::StepShape& shape,
                                                         formulate::FormulateOptions options);
  [[nodiscard]] std::vector<PassTime> times() const;
  void took(const PassTime& pass);

  // Tree, model and system, made again where they were dropped. One holder at a time: no other call of an AnalysedText
  // while it lives.
  struct Tree {
    std::unique_lock<std::mutex> lock;
    Compilation& compilation;
    [[nodiscard]] sema::Model& model() const { return compilation.model; }
  };
  [[nodiscard]] Tree tree();

  // Expressions of the model of `tree`, which stays open between them; null where it is dropped now and then, or has
  // mistakes.
  [[nodiscard]] Questions* questions(const Tree& tree, bool colour);

  // The problem that soft initial values pose, made once.
  [[nodiscard]] const InitialProblem& initial_problem();

  // Of E0301 for a kernel that would be too large; where there are too many rows.
  [[nodiscard]] Span too_many_at() const { return too_many_at_; }
  [[nodiscard]] std::uint32_t n_rows() const { return n_rows_; }

 private:
  void gather();
  void gather_texts();
  [[nodiscard]] std::string loader_name(const std::string& path, const std::string& by_command_line) const;
  void restore();
  void drop_model();
  void drop_system();
  [[nodiscard]] PipelineOptions pipeline_options();

  std::shared_ptr<const Source> source_;
  sema::Observed observed_;
  std::optional<settings::Representation> bodies_;
  bool alike_ = false;
  std::optional<sema::InputSignals> signals_;
  Facts facts_;
  Sink sink_;
  Span too_many_at_;
  std::uint32_t n_rows_ = 0;
  mutable std::mutex mutex_;  // of what follows, but for c_.sources, which never changes
  Compilation c_;
  bool model_dropped_ = false, system_dropped_ = false, formulated_ = false, may_drop_ = false;
  std::optional<InitialProblem> initial_problem_;
  std::unique_ptr<Questions> questions_;
};

}  // namespace mbc::api
