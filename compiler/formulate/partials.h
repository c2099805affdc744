// SPDX-License-Identifier: Apache-2.0
// The partial derivatives of a system's equations as a kernel of one function, `partials`: loops over the instances of
// the templates, as long as the derivatives that do not vanish. Made for those who ask, beside the kernel of a run.
#pragma once
#include "compiler/formulate/blocks/names.h"
#include "kernel/partials.h"

namespace mbc::formulate {

// `layout`: of the kernel that the system was formulated to. With Baumgarte's terms where that has them.
kernel::Partials formulate_partials(const System& system, const SystemLayout& layout);

}  // namespace mbc::formulate
