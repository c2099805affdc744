// SPDX-License-Identifier: Apache-2.0
// The partial derivatives of a system's equations as a kernel of one function, `partials`: loops over the instances of
// the templates, with the derivatives that do not vanish. They are made on demand, separately from the kernel of a run.
#pragma once
#include "compiler/formulate/blocks/names.h"
#include "kernel/partials.h"

namespace mbc::formulate {

// `layout` is that of the kernel that the system was formulated to. The derivatives include Baumgarte's terms if the
// kernel has them.
kernel::Partials formulate_partials(const System& system, const SystemLayout& layout,
                                    kernel::PartialsScope scope = kernel::PartialsScope::rates);

}  // namespace mbc::formulate
