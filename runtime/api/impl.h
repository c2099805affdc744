// What a Program holds: the compilation, the model as the runtime sees it, and the code made of it when it is needed.
#pragma once
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/pipeline.h"
#include "jit/engine.h"
#include "mbc/mbc.h"
#include "runtime/api/build.h"
#include "runtime/api/describe.h"
#include "runtime/api/initial.h"
#include "runtime/simulate.h"

namespace mbc {

struct Program::Impl {
  Compilation compilation;
  api::Build build{compilation};
  runtime::ModelInfo info;
  std::vector<double> params, inputs;
  std::vector<std::pair<std::uint32_t, double>> set_params, set_inputs;
  bool interpret = false;
  int optimise = 2;
  // destroyed in reverse order: equations, code, engine
  std::string load_error;
  std::future<std::unique_ptr<jit::Engine>> loading;
  std::unique_ptr<jit::Engine> engine;
  std::vector<std::unique_ptr<jit::CompiledKernel>> code;
  std::unique_ptr<runtime::Equations> equations;
  // the same with the values that tests look at, made for the first of them; and who looks, while a test runs
  formulate::Formulated with_tests;
  std::unique_ptr<runtime::Equations> test_equations;
  decltype(runtime::SimulateOptions::watch) watch;
  std::string engine_name, engine_note;

  [[nodiscard]] const sema::Model& model() const { return compilation.model; }

  void compiled() {
    discard_code();
    if (!compilation.ok()) return;
    info = api::describe(model());
    update_params();
    if (info.rows.size() > formulate::kMaxDenseRows && api::has_soft_values(model()))
      compilation.sink.report(Kind::too_many_rows, info.rows.back().span, std::to_string(info.rows.size()),
                              "soft initial values are assembled with a full matrix, of at most " +
                                  std::to_string(formulate::kMaxDenseRows) + " rows");
  }

  // What was made of the formulated kernel.
  void discard_code() {
    equations.reset();
    test_equations.reset();
    code.clear();
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

  // The back end's library takes as long to open as a model to compile, so that is begun while the text is read.
  void begin_loading() {
#ifdef MBC_HAVE_JIT
    loading = std::async(std::launch::async, [this] { return jit::load_engine(load_error); });
#endif
  }

  bool load_engine(std::string& error) {
#ifdef MBC_HAVE_JIT
    if (loading.valid())
      engine = loading.get();
    else if (!engine)
      engine = jit::load_engine(load_error);
    error = load_error;
#else
    error = "this build has no native back end";
#endif
    return engine != nullptr;
  }

  kernel::KernelFunction compile_function(kernel::Kernel part, const kernel::Function& function) {
    part.functions = {function};
    jit::CompileOptions options;
    options.optimise = optimise;
    std::unique_ptr<jit::CompiledKernel> made = engine->compile(part, options, engine_note);
    if (!made) return nullptr;
    code.push_back(std::move(made));
    const jit::CompileTimes& t = code.back()->times();
    const std::string of = " (" + function.name + ")";
    compilation.times.push_back({"emit LLVM IR" + of, t.emit});
    compilation.times.push_back({"optimise" + of, t.optimise});
    compilation.times.push_back({"code generation" + of, t.codegen});
    compilation.times.push_back({"link" + of, t.link});
    return code.back()->function(function.name);
  }

  // Native code when it can be had, on first use; otherwise the interpreter, and why.
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
    engine_name = "interpreter";
    runtime::Compiler compiler;
    if (!interpret) {
      const auto begin = std::chrono::steady_clock::now();
      if (load_engine(engine_note))
        compiler = [this, &formulated](const kernel::Function& f) { return compile_function(formulated.kernel, f); };
      compilation.times.push_back(
          {"wait for LLVM", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
    }
    made = std::make_unique<runtime::Equations>(formulated.kernel, formulated.layout, compiler);
    if (!code.empty()) engine_name = "native code";
    made->set_params(params);
    made->set_inputs(inputs);
    return *made;
  }

  // The block of that name; "" means the only one.
  [[nodiscard]] const sema::Simulation* block(const std::string& name) const {
    for (const sema::Simulation& s : model().simulations)
      if (s.name == name || (name.empty() && model().simulations.size() == 1)) return &s;
    return nullptr;
  }

  void update_params() {
    params = sema::parameter_values(model(), set_params);
    for (const auto* made : {&equations, &test_equations})
      if (*made) (*made)->set_params(params);
    update_inputs();
  }

  // Declared values follow the parameters; those that were set stay.
  void update_inputs() {
    std::vector<NodeId> nodes;
    for (const sema::Input& i : model().inputs) nodes.push_back(i.value);
    inputs = sema::constant_values(model(), nodes, params);
    for (const auto& [index, value] : set_inputs) inputs[index] = value;
    for (const auto* made : {&equations, &test_equations})
      if (*made) (*made)->set_inputs(inputs);
  }

  std::vector<double> initial() const {
    std::vector<NodeId> nodes;
    for (const sema::Coordinate& c : model().coordinates) nodes.push_back(c.initial);
    for (const sema::Speed& s : model().speeds) nodes.push_back(s.initial);
    for (const sema::State& s : model().states) nodes.push_back(s.initial);
    std::vector<double> y = sema::constant_values(model(), nodes, params);
    y.resize(compilation.formulated.layout.n_y(), 0.0);
    return y;
  }

  using NodeId = graph::NodeId;
};

}  // namespace mbc
