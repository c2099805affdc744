// SPDX-License-Identifier: Apache-2.0
// What Model::emit() gives, made ready for those who link, load or run it. All of it needs the back end (libmbc-jit).
#pragma once
#include <string>
#include <vector>

#include "mbc/model.h"

namespace MBC_API mbc {

struct MachineCode {
  enum class Form : std::uint8_t {
    bitcode,        // of LLVM 19, optimised
    archive,        // the object and the support library: for linkers, with the mathematics of the C library
    shared_object,  // needs the C library and its mathematics; shows the functions of the object
    program         // a shared object for an executable: all that runs of `simulation` call, under names of its own
  };
  Form form = Form::shared_object;
  std::string prefix = "model";  // of the names of functions, as of Model::emit
  std::string processor{};       // as of Model::emit
  std::string name{};            // of a shared object (SONAME): what programs linked to it look for
  std::string simulation{};      // program: the block; "" are all
};

// Its bytes.
[[nodiscard]] Result<std::string> machine_code(const Model& model, const MachineCode& wanted);

// What a processor must have for such code that not all of its architecture have: "avx2", "fma". Without it, or a part
// of it, the code ends a program by a signal.
[[nodiscard]] std::vector<std::string> processor_features(const Model& model, const std::string& processor);

}  // namespace mbc
