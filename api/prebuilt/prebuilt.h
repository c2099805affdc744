// SPDX-License-Identifier: Apache-2.0
// Native code that is there already: what MachineCode::Form::program gave, in the executable of a model. A program that
// is linked with this has no use for libmbc-jit: functions whose kernels are among those that were compiled run as
// native code, others by the interpreter, with the same bits.
#pragma once
#include <string>
#include <vector>

namespace mbc::prebuilt {

// Before the first model is made: the bytes of the shared object, and what processors must have for it
// (processor_features). False, and why; then all is interpreted.
bool use(const std::string& shared_object, const std::vector<std::string>& features, std::string& error);

}  // namespace mbc::prebuilt
