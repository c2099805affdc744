// SPDX-License-Identifier: Apache-2.0
// Common names for types of the passes before and after this one.
#pragma once
#include "compiler/graph/graph.h"
#include "compiler/lower/system.h"
#include "kernel/kernel.h"
#include "kernel/layout.h"

namespace mbc::formulate {

using graph::Graph;
using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using graph::Op;
using kernel::Block;
using kernel::Inst;
using kernel::QuasiLayout;
using kernel::Space;
using kernel::SystemLayout;
using lower::Contribution;
using lower::Part;
using lower::System;
using lower::Target;

}  // namespace mbc::formulate
