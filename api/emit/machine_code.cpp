// SPDX-License-Identifier: Apache-2.0
// Archives, bitcode, shared objects and the code of executables.
#include "mbc/machine_code.h"

#include "api/family.h"
#include "api/guard.h"
#include "api/settings.h"
#include "jit/engine_library.h"
#include "jit/program_symbol.h"

namespace mbc {
namespace {

Error no_code(const std::string& why) { return {ErrorCode::no_native_code, why}; }

jit::CompileOptions compile_options(const api::Shape& shape, const MachineCode& wanted) {
  jit::CompileOptions options;
  options.optimise = shape.how().optimise;
  options.cpu = wanted.processor;
  return options;
}

// An object for each function that a run of the block calls.
Result<std::string> program(const Model& model, const MachineCode& wanted, jit::Engine& engine,
                            const std::string& support) {
  const Result<Model> shaped = model.simulations().empty() ? Result<Model>(model) : model.shaped(wanted.simulation);
  if (!shaped) return shaped.error();
  if (!shaped->ok()) return Error{ErrorCode::model_error, shaped->render_diagnostics()};
  const api::Shape& shape = *shaped->state()->shape;
  const std::vector<sema::Simulation>& blocks = shape.facts().simulations;
  runtime::SimulateOptions run;
  for (const sema::Simulation& s : blocks)
    if (s.name == wanted.simulation || (wanted.simulation.empty() && &s == &blocks.front()))
      run = api::settings_of(s, {});
  std::vector<std::string> objects;
  for (const kernel::Kernel& part : shape.parts(run)) {
    std::string error;
    objects.push_back(
        engine.emit(part, jit::Artifact::object, jit::program_prefix(part), compile_options(shape, wanted), error));
    if (!error.empty()) return Error{ErrorCode::internal, error};
  }
  std::string error;
  std::string linked = engine.link(objects, support, wanted.name, error);
  if (!error.empty()) return no_code(error);
  return linked;
}

Result<std::string> made(const Model& model, const MachineCode& wanted) {
  const api::Shape& shape = *model.state()->shape;
  std::string error;
  jit::Engine* engine = shape.native()->engine(error);
  if (engine == nullptr) return no_code(error);
  const bool is_bitcode = wanted.form == MachineCode::Form::bitcode;
  const std::string support = is_bitcode ? "" : jit::support_library(error);
  if (!is_bitcode && support.empty()) return no_code(error);
  if (wanted.form == MachineCode::Form::program) return program(model, wanted, *engine, support);
  std::string object = engine->emit(shape.kernel(), is_bitcode ? jit::Artifact::bitcode : jit::Artifact::object,
                                    wanted.prefix, compile_options(shape, wanted), error);
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

}  // namespace mbc
