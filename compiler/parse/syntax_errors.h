// SPDX-License-Identifier: Apache-2.0
// The handlers that ANTLR calls on a mistake. ANTLR's own messages are not shown: the messages use the words of the
// language, made from the rule that failed, the tokens that were possible, and the one that stood there.
#pragma once
#include <memory>

#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/split_statements.h"

namespace antlr4 {
class ANTLRErrorStrategy;
}

namespace mbc::syntax {

struct ProbeFailed {};   // the first, quick pass met a mistake
struct EnoughErrors {};  // the sink is full

// Throws ProbeFailed at the first mistake.
std::shared_ptr<antlr4::ANTLRErrorStrategy> make_probe();
// Reports one mistake a statement and continues after it; throws EnoughErrors.
std::shared_ptr<antlr4::ANTLRErrorStrategy> make_reporter(const Statements& statements, Sink& sink);

}  // namespace mbc::syntax
