// SPDX-License-Identifier: Apache-2.0
// Reads a file of rows: libmbc-hdf5.so.
#pragma once
#include <memory>
#include <string>

#include "api/output/hdf5_library.h"

namespace mbc::output {

[[nodiscard]] std::unique_ptr<Hdf5Table> open_table(const std::string& path, std::string& error);

}  // namespace mbc::output
