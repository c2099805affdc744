// SPDX-License-Identifier: Apache-2.0
// The file driver of HDF5: it writes through the sink, which keeps the first failure. The library itself never sees a
// failure, since it cannot continue after one; after a failure nothing more is written.
#pragma once
#include <hdf5.h>

#include "api/output/file_sink.h"

namespace mbc::output {

// Returns properties for access to the file of a sink; the caller closes them. Negative if HDF5 fails.
[[nodiscard]] hid_t access_by(FileSink& sink);

}  // namespace mbc::output
