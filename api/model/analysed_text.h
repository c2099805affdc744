// SPDX-License-Identifier: Apache-2.0
// A text, analysed for one representation of free bodies and the input signals of one `simulate` block: tree, model and
// system of equations, and the data that a run needs of them. All variants with these choices and all their simulations
// share it.
//
// The data in `facts` never changes. Tree, model and system are accessed under a lock, because access adds to them
// (derivatives of initial targets are nodes of the model's graph), and because those of a large model take more memory
// than its run: they are dropped after the formulation and made again from the text on demand.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/model/host_values.h"
#include "api/model/initial.h"
#include "api/model/questions.h"
#include "api/model/written_values.h"
#include "compiler/pipeline.h"
#include "kernel/partials.h"
#include "kernel/problem/problem.h"
#include "kernel/step_function.h"
#include "mbc/mbc.h"

namespace mbc::api {

// Inputs of the compilation besides the text.
struct Source {
  std::string name;
  std::vector<std::string> set;
  sema::Library library;
  std::vector<std::string> parameters{};  // arguments that become parameters
  bool facts = false;                     // facts of expressions are kept
};

struct Facts {
  problem::Problem info;
  std::vector<Quantity> parameters;
  std::vector<std::string> works;  // names as in lower::System::works
  std::vector<std::string> quasi_velocities;
  std::vector<sema::Simulation> simulations;
  std::vector<TestInfo> tests;
  WrittenValues written;
  HostValues host_values;
  std::string description;       // the `///` lines above the first statement
  std::vector<ModelText> texts;  // without their texts, which are at `sources` of SourceSet
  std::vector<std::uint32_t> sources;
  settings::Representation bodies{};        // never `auto`
  settings::Representation asked_bodies{};  // by the block that shapes the model, or by whoever asked for it
  sema::InputSignals signals;               // signals of the inputs
  bool has_bodies = false, bodies_alike = false, soft_values = false, large = false;
};

// The equations that are solved. The momenta that a formulation keeps follow from the model.
struct Wanted {
  const formulate::Formulation* method = &formulate::kUdwadiaKalaba;
  bool baumgarte = false;
  InertiaRows inertia_rows = InertiaRows::structure;
  bool contacts_apart = false;  // rows of contacts are off during every evaluation of accelerations
  bool operator==(const Wanted&) const = default;
};

struct Equations {
  formulate::FormulateOptions options;
  formulate::Formulated formulated;
  std::vector<std::string> momenta;  // the momenta kept as rows
  double seconds = 0;
};

// Returns whether the model is the one for bodies that a block asks for.
[[nodiscard]] inline bool serves(const Facts& facts, settings::Representation asked) {
  return asked == facts.bodies || asked == facts.asked_bodies;
}

class AnalysedText {
 public:
  // Without `bodies` or `signals`, those of the first `simulate` block are used. alike: bodies that name their
  // coordinates have the representation of the others.
  AnalysedText(std::shared_ptr<const Source> source, std::string text, std::optional<settings::Representation> bodies,
               std::optional<sema::InputSignals> signals, bool alike = false);
  // Makes the analysis of a file that could not be read.
  AnalysedText(const std::string& path, const std::string& error);

  [[nodiscard]] bool ok() const { return !sink_.has_errors(); }
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] const Sink& sink() const { return sink_; }
  [[nodiscard]] const std::vector<std::string>& parameters_asked_for() const { return source_->parameters; }
  [[nodiscard]] const SourceSet& sources() const { return c_.sources; }
  // Returns the facts of its expressions, if they are kept.
  [[nodiscard]] const sema::Observed& observed() const { return observed_; }
  [[nodiscard]] bool keeps_facts() const { return source_ && source_->facts; }
  // Returns the library of the text, which finds its files and modules.
  [[nodiscard]] sema::Library library() const { return source_ ? source_->library : sema::Library{}; }
  [[nodiscard]] std::string text() const { return sources().size() > 0 ? std::string(sources()[0].text()) : ""; }

  // ---- these lock
  [[nodiscard]] Equations formulate(const Wanted& wanted);
  // Formulates the same system with the values of checks after its outputs.
  [[nodiscard]] formulate::Formulated formulate_checks(const formulate::FormulateOptions& options);
  // Returns the partial derivatives of the equations that were formulated to this layout.
  [[nodiscard]] kernel::Partials partials(const kernel::SystemLayout& layout, kernel::PartialsScope scope);
  // Returns a step as one function; nothing if the system has none or was dropped.
  [[nodiscard]] std::optional<kernel::StepFunction> step(const kernel::StepShape& shape,
                                                         formulate::FormulateOptions options);
  [[nodiscard]] std::vector<PassTime> times() const;
  void took(const PassTime& pass);

  // Gives access to tree, model and system; they are made again if they were dropped. There is one holder at a time,
  // and no other call of an AnalysedText is allowed while it lives.
  struct Tree {
    std::unique_lock<std::mutex> lock;
    Compilation& compilation;
    [[nodiscard]] sema::Model& model() const { return compilation.model; }
  };
  [[nodiscard]] Tree tree();

  // Returns the evaluator of expressions for the model of `tree`, which stays open between expressions; null if the
  // model may be dropped or has errors.
  [[nodiscard]] Questions* questions(const Tree& tree, bool colour);

  // Returns the problem of the soft initial values; it is made once.
  [[nodiscard]] const InitialProblem& initial_problem();

  // Returns the place for E0301 when a kernel would be too large because of its many rows.
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
  mutable std::mutex mutex_;  // guards the members below, except c_.sources, which never changes
  Compilation c_;
  bool model_dropped_ = false, system_dropped_ = false, formulated_ = false, may_drop_ = false;
  std::optional<InitialProblem> initial_problem_;
  std::unique_ptr<Questions> questions_;
};

}  // namespace mbc::api
