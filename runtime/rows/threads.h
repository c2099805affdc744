// SPDX-License-Identifier: Apache-2.0
// Matrices of several threads at once.
#pragma once

namespace mbc::runtime {

// To be called once, before threads that decide ranks are started: the library of matrices looks up the sizes of the
// caches at its first product and keeps them unguarded.
void prepare_for_threads();

}  // namespace mbc::runtime
