// SPDX-License-Identifier: Apache-2.0
// Native code that was compiled before: the output of MachineCode::Form::program in the executable of a model. A
// program that links this does not use libmbc-jit: functions whose kernels were compiled run as native code, others in
// the interpreter, with the same bits.
#pragma once
#include <string>
#include <vector>

namespace mbc::prebuilt {

// Called before the first model is made, with the bytes of the shared object and the processor features that it needs
// (processor_features). Returns false on failure, with the reason in `error`; then everything is interpreted.
bool use(const std::string& shared_object, const std::vector<std::string>& features, std::string& error);

}  // namespace mbc::prebuilt
