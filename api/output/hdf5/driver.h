// SPDX-License-Identifier: Apache-2.0
// How HDF5 reaches the file: through the sink, which keeps the first failure. The library itself never sees one, since
// it cannot go on from there; after a failure nothing more is written.
#pragma once
#include <hdf5.h>

#include "api/output/file_sink.h"

namespace mbc::output {

// Properties of an access to the file of a sink; the caller closes them. Negative where HDF5 fails.
[[nodiscard]] hid_t access_by(FileSink& sink);

}  // namespace mbc::output
