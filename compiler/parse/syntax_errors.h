// SPDX-License-Identifier: Apache-2.0
// What ANTLR calls on a mistake. It never sees the user: the messages are ours, in the words of the language, made from
// the rule that failed, the tokens it could have taken, and the one that stood there.
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
// Reports one mistake a statement and goes on after it; throws EnoughErrors.
std::shared_ptr<antlr4::ANTLRErrorStrategy> make_reporter(const Statements& statements, Sink& sink);

}  // namespace mbc::syntax
