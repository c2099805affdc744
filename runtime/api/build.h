// Compiling for one simulation. The representation of bodies is structure of the model, the formulation and the rows
// added to a singular mass matrix are structure of the kernel: a simulation that needs others is compiled anew.
#pragma once
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
  [[nodiscard]] const formulate::FormulateOptions& options() const { return options_; }
  // For a block of the model; its simulations are then others, though equal ones.
  Changed shape_for(const sema::Simulation& s);
  // Rows for a mass matrix that is singular at a state: those of representations, then all. Whether the kernel changed.
  bool complete_inertia(double t, const std::vector<double>& y, const std::vector<double>& params);

 private:
  void compile_for_block();
  bool formulate_for(const sema::Simulation& s);
  void formulate_again();

  Compilation& c_;
  std::string name_, text_;
  std::vector<std::string> set_;
  sema::Library library_;
  std::string simulation_;  // the block that shapes the model; "" before one was chosen
  formulate::FormulateOptions options_;
};

}  // namespace mbc::api
