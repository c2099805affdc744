// SPDX-License-Identifier: Apache-2.0
// Compiling for one simulation. The representation of bodies is structure of the model, the formulation and the rows
// added to a singular mass matrix are structure of the kernel: a simulation that needs others is compiled anew.
//
// A large model takes more memory than its run. It may be dropped, with its tree and its system, once what a run asks
// of it is known; whoever asks for more has it made again from the text.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/pipeline.h"

namespace mbc::api {

enum class Changed : std::uint8_t { nothing, kernel, model };

class Build {
 public:
  explicit Build(Compilation& compilation) : c_(compilation) {}

  // For the first `simulate` block.
  void compile(const std::string& name, const std::string& text, const std::vector<std::string>& set,
               const sema::Library& library);
  std::optional<SweepTexts> sweep;  // set before compile(): the model holds what is asked for
  // Called with a model that is new and without errors, before its equations are formulated: the time to drop it.
  std::function<void()> analysed;
  [[nodiscard]] const formulate::FormulateOptions& options() const { return options_; }
  // For a block of the model; its simulations are then others, though equal ones.
  Changed shape_for(const sema::Simulation& s);
  // Rows for a mass matrix that is singular at a state: those of representations, then all. Whether the kernel changed.
  bool complete_inertia(double t, const std::vector<double>& y, const std::vector<double>& params);

  // The tree, the model and, when it is formulated, the system.
  void drop_model();
  // They are there again, equal to what they were; nothing when they are.
  void restore_model();
  [[nodiscard]] bool dropped() const { return dropped_; }
  // Of the model, dropped or not.
  [[nodiscard]] const std::vector<sema::Simulation>& simulations() const { return simulations_; }
  [[nodiscard]] bool has_bodies() const { return has_bodies_; }

 private:
  void compile_for_block(const std::string& name, const std::string& text);
  [[nodiscard]] PipelineOptions pipeline_options() const;
  bool formulate_for(const sema::Simulation& s);
  void formulate_again();
  void drop_system();

  Compilation& c_;
  std::vector<std::string> set_;
  sema::Library library_;
  std::string simulation_;  // the block that shapes the model; "" before one was chosen
  formulate::FormulateOptions options_;
  std::vector<sema::Simulation> simulations_;
  sema::Representation bodies_default_ = sema::Representation::quaternion;
  bool has_bodies_ = false, dropped_ = false, system_dropped_ = false;
};

}  // namespace mbc::api
