// SPDX-License-Identifier: Apache-2.0
// Index tables and plans that compiled code reads where the kernel keeps them. In code for this process the long ones
// are symbols with the address of the kernel's own array, because a compilation makes half a dozen copies of each
// constant of the module. Object files contain all of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace mbc::jit {

struct ExternalTable {
  const kernel::SharedIndices* words;                          // of a block or call of the kernel
  std::shared_ptr<const kernel::SharedIndices::List> storage;  // to be kept as long as the code
  std::string symbol;
};

// Returns the external tables of a kernel. The symbols follow from its functions and sizes alone.
std::vector<ExternalTable> external_tables(const kernel::Kernel& kernel, const std::string& prefix);

}  // namespace mbc::jit
