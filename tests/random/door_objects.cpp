// SPDX-License-Identifier: Apache-2.0
#include "tests/random/door_objects.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/tools/program_runner.h"

namespace mbc::test {

SharedObject::SharedObject(const Model& model, bool links) {
  const std::string header = model.emit(Stage::header, "model").value();
  const auto size = [&](const std::string& of) {
    const std::string name = "model_" + of + "_size = ";
    return static_cast<std::size_t>(std::stoul(header.substr(header.find(name) + name.size())));
  };
  mask_.assign(size("mask") + 1, 1);
  work_.assign(size("work"), 0);
  params_ = size("params");
  inputs_ = size("inputs");
  const Folder folder;
  const std::string path = folder / "model.so", object = folder / "model.o";
  if (links) {
    std::ofstream(object, std::ios::binary) << model.emit(Stage::object, "model").value();
    const std::string command =
        MBC_CXX_COMPILER " -shared -o '" + path + "' '" + object + "' '" MBC_SUPPORT_LIBRARY "' -lm";
    REQUIRE(std::system(command.c_str()) == 0);
  } else {
    std::ofstream(path, std::ios::binary) << machine_code(model, {}).value();
  }
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library_ != nullptr, dlerror());
  function_ = reinterpret_cast<Function*>(dlsym(library_, "model_rhs"));
  REQUIRE((function_ != nullptr));
}

SharedObject::~SharedObject() { dlclose(library_); }

std::vector<double> SharedObject::rates(double time, const std::vector<double>& state, std::vector<double> params,
                                        std::vector<double> inputs) {
  CHECK(params.size() == params_);
  CHECK(inputs.size() == inputs_);
  params.push_back(0);  // an array of no entries has an address
  inputs.push_back(0);
  std::vector<double> rate(state.size());
  const std::int32_t failed =
      function_(time, state.data(), params.data(), inputs.data(), mask_.data(), work_.data(), rate.data());
  CHECK(failed == 0);
  return rate;
}

std::unique_ptr<Fmu> exported_fmu(const Folder& folder, const std::string& file, const std::vector<std::string>& set,
                                  std::string& why) {
  const std::string out = folder / "model.fmu";
  std::vector<std::string> arguments = {"compile", file, "-o", out, "--fmi", "3"};
  for (const std::string& s : set) arguments.insert(arguments.end(), {"--set", s});
  const Ran ran = run_mbc(arguments);
  why = ran.err;
  return ran.code == 0 ? std::make_unique<Fmu>(out) : nullptr;
}

}  // namespace mbc::test
