// SPDX-License-Identifier: Apache-2.0
// The common base of unrolled and looped kernels: the layout of the arrays, places in them, and the functions made so
// far. Internal to this folder.
#pragma once
#include <vector>

#include "compiler/formulate/blocks/emit_block.h"
#include "compiler/formulate/builder/options.h"
#include "compiler/formulate/builder/places.h"
#include "compiler/formulate/solve/pattern.h"

namespace mbc::formulate {

class KernelBuilder {
 public:
  // Lays out the arrays. System and options outlive the object.
  KernelBuilder(const System& system, const FormulateOptions& options);
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const FormulateOptions& options() const { return options_; }
  [[nodiscard]] const Pattern& pattern() const { return pattern_; }
  [[nodiscard]] const std::vector<bool>& inertia_rows() const { return inertia_rows_; }
  [[nodiscard]] double no_inertia() const { return formulate::no_inertia(options_.inertia_rows); }
  [[nodiscard]] const SystemLayout& layout() const { return out_.layout; }
  [[nodiscard]] Formulated& out() { return out_; }
  [[nodiscard]] KernelPlaces& places() { return places_; }
  [[nodiscard]] const KernelPlaces& places() const { return places_; }

  // Allocates a field of work.
  std::uint32_t field(const char* name, std::uint32_t size);
  // Returns the number of doubles of work allocated so far. Fields may overlap others: set_work_at() moves the place of
  // the next field, and a caller that moves it back has to move it forward again, behind all fields.
  [[nodiscard]] std::uint32_t work_at() const { return work_; }
  void set_work_at(std::uint32_t at) { work_ = at; }
  // Returns D of the rows added to M, if the model does not define it: to be chosen (-1), or not added (0).
  [[nodiscard]] std::vector<double> plain_weights() const;

  [[nodiscard]] Block block_of(const char* name, const std::vector<Store>& stores, const Graph& g) const;
  void add_function(const char* name, const std::vector<Store>& stores, const Graph& g);
  void add_function(kernel::Function f) { out_.kernel.functions.push_back(std::move(f)); }

  // Returns the finished kernel: sizes, checked entries, equal tables stored once.
  Formulated take();

 private:
  void lay_out();
  void lay_out_state();
  void lay_out_work();
  void lay_out_quasi();

  const System& system_;
  const FormulateOptions& options_;
  Pattern pattern_;
  std::vector<bool> inertia_rows_;  // by row: whether it is added to the mass matrix
  Formulated out_;
  KernelPlaces places_;
  std::uint32_t work_ = 0;
};

}  // namespace mbc::formulate
