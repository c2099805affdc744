// SPDX-License-Identifier: Apache-2.0
// What a Program holds: the compilation, the model as the runtime sees it, and the code made of it when it is needed.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/build.h"
#include "api/fused_steps.h"
#include "api/initial.h"
#include "api/model_info.h"
#include "api/native_code.h"
#include "api/written_values.h"
#include "compiler/pipeline.h"
#include "jit/object_cache.h"
#include "mbc/mbc.h"
#include "runtime/simulation/simulate.h"

namespace mbc {

struct Program::Impl {
  Compilation compilation;
  api::Build build{compilation};
  runtime::ModelInfo info;
  // What a run asks of the model besides: a large one is dropped (api/build.h), and made again by model().
  std::vector<Quantity> parameters;
  std::vector<std::string> works;  // as lower::System::works
  bool soft_values = false;
  api::WrittenValues written;
  std::vector<double> params, inputs;
  std::vector<std::pair<std::uint32_t, double>> set_params, set_inputs;
  bool interpret = false;
  bool native_at_once = false;
  int optimise = 2;
  std::unique_ptr<api::NativeCode> native;  // after the equations that run it: they go first
  std::unique_ptr<runtime::Equations> equations;
  // the same with the values that tests look at, made for the first of them; and who looks, while a test runs
  formulate::Formulated with_tests;
  std::unique_ptr<runtime::Equations> test_equations;
  decltype(runtime::SimulateOptions::watch) watch;
  api::FusedSteps fused;

  Impl() {
    build.analysed = [this] { analysed(); };
  }
  sema::Model& model() {
    build.restore_model();
    return compilation.model;
  }

  // Between the model and its equations.
  void analysed() {
    discard_code();
    info = api::describe(model());
    parameters.clear();
    for (const sema::Param& p : model().params)
      parameters.push_back({p.name, model().has_units ? sema::to_text(p.dimension) : "", p.doc});
    works.clear();
    for (const std::uint32_t of : compilation.system.works)
      works.push_back(of == lower::System::kPrescribed ? "prescribed forces" : model().constraints[of].name.text());
    soft_values = api::has_soft_values(model());
    written = api::WrittenValues(model());
    update_params();
    // files that it uses may be others when it is made again
    if (!compilation.large || !compilation.modules.all().empty()) return;
    build.drop_model();
    trim(compilation);
  }

  void compiled() {
    discard_code();
    if (!compilation.ok()) return;
    trim(compilation);
    if (info.rows.size() > kernel::kMaxDenseRows && soft_values)
      compilation.sink.report(Kind::too_many_rows, info.rows.back().span, std::to_string(info.rows.size()),
                              "soft initial values are assembled with a full matrix, of at most " +
                                  std::to_string(kernel::kMaxDenseRows) + " rows");
  }

  // What was made of the formulated kernel.
  void discard_code() {
    fused.forget();
    equations.reset();
    test_equations.reset();
    if (native) native->discard();
  }

  // The model and its equations as a block wants them (api/build.h).
  void shape_for(const sema::Simulation& s) {
    const api::Changed changed = build.shape_for(s);
    if (changed == api::Changed::model) compiled();
    if (changed == api::Changed::kernel) discard_code();
  }
  void complete_inertia(double t, const std::vector<double>& y) {
    if (build.complete_inertia(t, y, params)) discard_code();
  }

  // The back end's library takes as long to open as a model to compile, so when native code is wanted at once that is
  // begun while the text is read.
  void choose_engine(const CompileOptions& options) {
    interpret = options.interpret;
    native_at_once = options.native_at_once;
    api::NativeCode::Options how;
    how.optimise = options.optimise;
#ifdef MBC_HAVE_JIT
    if (options.cache) how.cache = jit::cache_folder();
#endif
    native = std::make_unique<api::NativeCode>(std::move(how));
    if (!interpret && native_at_once) native->open();
  }

  // Native code when it can be had: on first use, or when a run is long enough for it.
  runtime::Equations& ready() {
    if (!equations) complete_inertia(0, initial());
    return make_ready(equations, compilation.formulated);
  }
  runtime::Equations& ready_for_tests() {
    if (!test_equations) with_tests = formulate::formulate(lower::lower(model(), true), build.options());
    return make_ready(test_equations, with_tests);
  }

  runtime::Equations& make_ready(std::unique_ptr<runtime::Equations>& made, const formulate::Formulated& formulated) {
    if (made) return *made;
    const kernel::Kernel& kernel = formulated.kernel;
    runtime::NativeSource source;
    if (!interpret && native_at_once)
      source.compiler = [this, &kernel](const kernel::Function& f) { return native->compile_now(kernel, f); };
    else if (!interpret)
      source.starter = [this, &kernel](const kernel::Function& f) { return native->start(kernel, f); };
    made = std::make_unique<runtime::Equations>(kernel, formulated.layout, std::move(source), params);
    made->set_inputs(inputs);
    return *made;
  }

  // The block of that name; "" means the only one.
  [[nodiscard]] const sema::Simulation* block(const std::string& name) const {
    const std::vector<sema::Simulation>& all = build.simulations();
    for (const sema::Simulation& s : all)
      if (s.name == name || (name.empty() && all.size() == 1)) return &s;
    return nullptr;
  }

  void update_params() {
    params = written.parameters(set_params);
    for (const auto* made : {&equations, &test_equations})
      if (*made) (*made)->set_params(params);
    update_inputs();
  }

  // Declared values follow the parameters; those that were set stay.
  void update_inputs() {
    inputs = written.inputs(params);
    for (const auto& [index, value] : set_inputs) inputs[index] = value;
    for (const auto* made : {&equations, &test_equations})
      if (*made) (*made)->set_inputs(inputs);
  }

  [[nodiscard]] std::vector<double> initial() const {
    return written.initial(params, compilation.formulated.layout.n_y());
  }
};

}  // namespace mbc
