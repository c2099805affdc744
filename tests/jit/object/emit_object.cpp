// SPDX-License-Identifier: Apache-2.0
// Writes a kernel as an object file for the object-file test, and a C header with calls of its functions and the
// results of the interpreter as bit patterns. This tool runs at build time.
//
//   mbc_emit_object MODEL.o MODEL_DATA.h
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

#include "jit/engine.h"
#include "kernel/interpreter.h"
#include "tests/kernel/random_kernel.h"

namespace {

using namespace mbc;

std::string array(const std::string& type, const std::string& name, const std::vector<double>& values) {
  std::string text = "static " + type + " " + name + "[] = {";
  char word[32];
  for (const double v : values) {
    std::snprintf(word, sizeof word, "0x%" PRIx64 "u,", std::bit_cast<std::uint64_t>(v));
    text += word;
  }
  return text + "};\n";
}

// Writes one call per function: its input arrays, its status, and work and deriv afterwards.
std::string header_of(const kernel::Kernel& kernel) {
  test::Random random(3);
  kernel::Registers registers = kernel::make_registers(kernel);
  std::string text, table;
  for (const kernel::Function& f : kernel.functions) {
    test::KernelData d = test::random_data(kernel, random, true);
    text += "int32_t model_" + f.name +
            "(double, const double*, const double*, const double*, const double*, double*, double*);\n";
    const auto put = [&](const char* what, const std::vector<double>& values) {
      text += array("uint64_t", f.name + "_" + what, values);
      table += ", " + f.name + "_" + what;
    };
    table += "  {model_" + f.name;
    put("t", {d.t});
    put("state", d.state);
    put("params", d.params);
    put("inputs", d.inputs);
    put("mask", d.mask);
    put("work", d.work);
    put("deriv", d.deriv);
    const std::int32_t status = kernel::interpret(f, d.t, d.state.data(), d.params.data(), d.inputs.data(),
                                                  d.mask.data(), d.work.data(), d.deriv.data(), registers);
    put("work_after", d.work);
    put("deriv_after", d.deriv);
    table += ", " + std::to_string(status) + "},\n";
  }
  return text + "enum { kWork = " + std::to_string(kernel.n_work) + ", kDeriv = " + std::to_string(kernel.n_state) +
         " };\nstatic const struct Call calls[] = {\n" + table + "};\n";
}

bool write(const char* path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  return file.good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  test::RandomKernelOptions options;
  options.functions = 40;
  options.max_length = 200;
  const kernel::Kernel kernel = test::random_kernel(2024, options);
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  const std::string object =
      engine != nullptr ? engine->emit(kernel, jit::Artifact::object, "model", {}, error) : std::string();
  if (object.empty()) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  return write(argv[1], object) && write(argv[2], header_of(kernel)) ? 0 : 1;
}
