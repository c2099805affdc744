// SPDX-License-Identifier: Apache-2.0
// Writes rows to the dataset `/rows`. They are gathered in chunks and written after several chunks, and at least once a
// second.
#pragma once
#include <memory>

#include "api/output/hdf5_library.h"

namespace mbc::output {

[[nodiscard]] std::unique_ptr<RowWriter> hdf5_writer(FileSink& sink, Hdf5Facts facts);

}  // namespace mbc::output
