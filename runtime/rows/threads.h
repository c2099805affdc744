// SPDX-License-Identifier: Apache-2.0
// Prepares the matrix library for use by several threads.
#pragma once

namespace mbc::runtime {

// Must be called once before threads that decide ranks start. The matrix library looks up the sizes of the caches at
// its first product and stores them without a lock.
void prepare_for_threads();

}  // namespace mbc::runtime
