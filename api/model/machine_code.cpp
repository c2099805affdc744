// SPDX-License-Identifier: Apache-2.0
// Archives, bitcode, shared objects and the code of executables.
#include "mbc/machine_code.h"

#include <map>
#include <vector>

#include "api/model/expression.h"
#include "api/model/family.h"
#include "api/model/guard.h"
#include "api/model/settings.h"
#include "jit/engine_library.h"
#include "jit/kept/program_symbol.h"

namespace mbc {
namespace {

Error no_code(const std::string& why) { return {ErrorCode::no_native_code, why}; }

jit::CompileOptions compile_options(const api::EquationVariant& variant, const MachineCode& wanted) {
  jit::CompileOptions options;
  options.optimise = variant.how().optimise;
  options.cpu = wanted.processor;
  return options;
}

// Objects by the names of their kernels; blocks may share them.
using Objects = std::map<std::string, std::string>;

// Adds one object for each function that a run of the block calls.
Result<void> add_block(const Model& model, const std::string& block, const MachineCode& wanted, jit::Engine& engine,
                       Objects& objects) {
  const Result<Model> shaped = model.shaped(block);
  if (!shaped) return shaped.error();
  if (!shaped->ok()) return Error{ErrorCode::model_error, shaped->render_diagnostics()};
  const api::EquationVariant& variant = *shaped->state()->variant;
  runtime::SimulateOptions run;
  for (const sema::Simulation& s : variant.facts().simulations)
    if (s.name == block) run = api::settings_of(s, {});
  for (const kernel::Kernel& part : variant.parts(run)) {
    const std::string prefix = jit::program_prefix(part);
    const auto [object, fresh] = objects.try_emplace(prefix);
    if (!fresh) continue;
    std::string error;
    object->second = engine.emit(part, jit::Artifact::object, prefix, compile_options(variant, wanted), error);
    if (!error.empty()) return Error{ErrorCode::internal, error};
  }
  return {};
}

Result<std::string> program(const Model& model, const MachineCode& wanted, jit::Engine& engine,
                            const std::string& support) {
  Objects by_name;
  if (model.simulations().empty())
    return Error{ErrorCode::no_such_name, "the model has no `simulate` block that a program could run"};
  if (!wanted.simulation.empty()) {
    if (const auto added = add_block(model, wanted.simulation, wanted, engine, by_name); !added) return added.error();
  } else {
    for (const std::string& block : model.simulations())
      if (const auto added = add_block(model, block, wanted, engine, by_name); !added) return added.error();
  }
  std::vector<std::string> objects;
  for (auto& [name, object] : by_name) objects.push_back(std::move(object));
  std::string error;
  std::string linked = engine.link(objects, support, wanted.name, error);
  if (!error.empty()) return no_code(error);
  return linked;
}

Result<std::string> made(const Model& model, const MachineCode& wanted) {
  const api::EquationVariant& variant = *model.state()->variant;
  std::string error;
  jit::Engine* engine = variant.native()->engine(error);
  if (engine == nullptr) return no_code(error);
  const bool is_bitcode = wanted.form == MachineCode::Form::bitcode;
  const std::string support = is_bitcode ? "" : jit::support_library(error);
  if (!is_bitcode && support.empty()) return no_code(error);
  if (wanted.form == MachineCode::Form::program) return program(model, wanted, *engine, support);
  if (const Result<void> callable = api::check_callable(variant); !callable) return callable.error();
  std::string object = engine->emit(variant.kernel(), is_bitcode ? jit::Artifact::bitcode : jit::Artifact::object,
                                    wanted.prefix, compile_options(variant, wanted), error);
  if (!error.empty()) return Error{ErrorCode::internal, error};
  if (is_bitcode) return object;
  std::string bytes = wanted.form == MachineCode::Form::archive ? engine->archive(object, wanted.prefix, support, error)
                                                                : engine->link({object}, support, wanted.name, error);
  if (!error.empty()) return no_code(error);
  return bytes;
}

}  // namespace

Result<std::string> machine_code(const Model& model, const MachineCode& wanted) {
  if (!model.ok()) return Error{ErrorCode::model_error, model.render_diagnostics()};
#ifdef MBC_HAVE_JIT
  return api::guarded([&] { return made(model, wanted); });
#else
  static_cast<void>(made);
  return no_code("this build has no native back end");
#endif
}

std::vector<std::string> processor_features(const Model& model, const std::string& processor) {
  std::string error;
  jit::Engine* engine = model.ok() ? model.state()->variant->native()->engine(error) : nullptr;
  return engine != nullptr ? engine->features(processor) : std::vector<std::string>();
}

}  // namespace mbc
