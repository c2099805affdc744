// SPDX-License-Identifier: Apache-2.0
// The output of Model::emit() in forms that can be linked, loaded or run. All functions here need the back end
// (libmbc-jit).
#pragma once
#include <string>
#include <vector>

#include "mbc/model.h"

namespace MBC_API mbc {

struct MachineCode {
  enum class Form : std::uint8_t {
    bitcode,        // LLVM 19 bitcode, optimised
    archive,        // the object and the support library for linkers; needs the mathematics of the C library
    shared_object,  // needs the C library and its mathematics; exports the functions of the object
    program         // a shared object for an executable: all functions of runs of `simulation`, under their own names
  };
  Form form = Form::shared_object;
  std::string prefix = "model";  // prefix of the names of functions, as in Model::emit
  std::string processor{};       // as in Model::emit
  std::string name{};            // SONAME of a shared object: the name that programs linked to it look for
  std::string simulation{};      // program: name of the block; "": all blocks
};

// Returns the bytes of that form.
[[nodiscard]] Result<std::string> machine_code(const Model& model, const MachineCode& wanted);

// Returns the features that this code needs and that not all processors of the architecture have: "avx2", "fma". On a
// processor without one of them, the code ends a program by a signal.
[[nodiscard]] std::vector<std::string> processor_features(const Model& model, const std::string& processor);

}  // namespace mbc
