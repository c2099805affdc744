// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/syntax_errors.h"

#include <exception>
#include <utility>

#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/describe_mistake.h"

namespace mbc::syntax {
namespace {

using P = MbcParser;

// Returns whether a rule is a whole statement: a mistake inside costs this statement and no other.
bool is_statement_rule(std::size_t rule) {
  switch (rule) {
    case P::RuleHeader:
    case P::RuleStatement:
    case P::RuleInit_entry:
    case P::RuleSetting:
    case P::RuleCheck:
    case P::RuleSweep_entry:
    case P::RuleAssign:
      return true;
    default:
      return false;
  }
}

std::uint32_t index_of(const antlr4::Token* token) { return static_cast<std::uint32_t>(token->getTokenIndex()); }

class Strategy : public antlr4::ANTLRErrorStrategy {
 public:
  void reset(antlr4::Parser*) override {}
  void sync(antlr4::Parser*) override {}
  void reportMatch(antlr4::Parser*) override {}
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  antlr4::Token* recoverInline(antlr4::Parser* parser) override { throw antlr4::InputMismatchException(parser); }
  void recover(antlr4::Parser*, std::exception_ptr e) override { std::rethrow_exception(e); }
};

class Probe final : public Strategy {
 public:
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override { throw ProbeFailed{}; }
};

class Reporter final : public Strategy {
 public:
  Reporter(const Statements& statements, Sink& sink) : statements_(statements), sink_(sink) {}

  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override {
    if (std::exchange(reported_, true)) return;  // on its way up to the statement
    describe_mistake(statements_.list, mistake(parser, e), sink_);
    if (sink_.full()) throw EnoughErrors{};
  }

  // Skips to the END of the statement, past the blocks in it.
  void recover(antlr4::Parser* parser, std::exception_ptr e) override {
    antlr4::ParserRuleContext* context = parser->getContext();
    if (!is_statement_rule(context->getRuleIndex())) std::rethrow_exception(e);
    reported_ = false;
    const std::uint32_t level = statements_.blocks.at(index_of(context->getStart()));
    antlr4::TokenStream* input = parser->getTokenStream();
    for (std::size_t type = input->LA(1); type != kEndOfFile; type = input->LA(1)) {
      const std::uint32_t at = index_of(input->LT(1));
      input->consume();
      if (type == P::END && statements_.blocks.at(at) == level) return;
    }
  }

 private:
  [[nodiscard]] Mistake mistake(antlr4::Parser* parser, const antlr4::RecognitionException& e) const {
    Mistake m;
    m.at = index_of(e.getOffendingToken());
    m.rule = parser->getContext()->getRuleIndex();
    const antlr4::misc::IntervalSet expected = e.getExpectedTokens();
    for (const auto& interval : expected.getIntervals()) {
      for (ssize_t type = interval.a; type <= interval.b; ++type) m.expected.push_back(static_cast<TokenType>(type));
    }
    for (auto* node = dynamic_cast<antlr4::ParserRuleContext*>(parser->getContext()); node != nullptr;
         node = dynamic_cast<antlr4::ParserRuleContext*>(node->parent)) {
      if (!is_statement_rule(node->getRuleIndex())) continue;
      m.statement = index_of(node->getStart());
      m.statement_rule = node->getRuleIndex();
      break;
    }
    return m;
  }

  const Statements& statements_;
  Sink& sink_;
  bool reported_ = false;
};

}  // namespace

std::shared_ptr<antlr4::ANTLRErrorStrategy> make_probe() { return std::make_shared<Probe>(); }

std::shared_ptr<antlr4::ANTLRErrorStrategy> make_reporter(const Statements& statements, Sink& sink) {
  return std::make_shared<Reporter>(statements, sink);
}

}  // namespace mbc::syntax
