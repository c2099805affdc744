// SPDX-License-Identifier: Apache-2.0
// Blocks of entries: init, simulate, test, sweep, events.
#include <utility>

#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/build_ast.h"

namespace mbc::syntax {
namespace {

using P = MbcParser;
using antlr4::ParserRuleContext;

// Returns false for an entry with a mistake, which has been reported; the entry is left out.
template <class Entry>
bool whole(Entry* c) {
  return c->exception == nullptr && c->BROKEN() == nullptr;
}

std::string unquoted(const std::string& text) { return text.size() < 2 ? text : text.substr(1, text.size() - 2); }

// Returns the words and signs of a path, without blanks: a[2].length
std::string path_of(Builder& b, antlr4::tree::ParseTree* tree) {
  if (auto* word = dynamic_cast<antlr4::tree::TerminalNode*>(tree)) return b.text(word->getSymbol());
  std::string text;
  for (antlr4::tree::ParseTree* part : tree->children) text += path_of(b, part);
  return text;
}

ast::Setting setting(Builder& b, P::Setting_keyContext* key, P::Range_or_valueContext* value) {
  ast::Setting s;
  s.key = path_of(b, key);
  s.key_span = b.span(key);
  if (value != nullptr) s.value = b.expr(value);
  return s;
}

void once(Builder& b, bool already, P::Check_clauseContext* c) {
  if (already) b.report(Kind::repeated_modifier, b.span(c->getStart()), b.text(c->getStart()));
}

ast::Plot plot(Builder& b, P::PlotContext* c) {
  ast::Plot out;
  for (auto* item : c->shown()) out.items.push_back(b.shown(item));
  if (c->OVER() != nullptr) {
    out.over = std::move(out.items.back());
    out.items.pop_back();
  }
  out.span = b.span(c);
  return out;
}

ast::Check check(Builder& b, P::CheckContext* c) {
  ast::Check out;
  out.condition = b.expr(c->expression());
  for (auto* clause : c->check_clause()) {
    if (clause->ALWAYS() != nullptr) {
      once(b, out.always, clause);
      out.always = true;
      continue;
    }
    ast::ExprPtr& slot = clause->WITHIN() != nullptr ? out.within : out.at;
    once(b, slot != nullptr, clause);
    slot = b.expr(clause->expression());
  }
  out.span = out.condition->span;
  out.span =
      join(b.span(c->CHECK()->getSymbol()), c->check_clause().empty() ? out.span : b.span(c->check_clause().back()));
  return out;
}

}  // namespace

ast::Shown Builder::shown(ParserRuleContext* tree) {
  auto* c = static_cast<P::ShownContext*>(tree);
  ast::Shown out{expr(c->expression()), {}};
  if (c->unit() != nullptr) out.unit = unit(c->unit());
  return out;
}

ast::Init Builder::init(ParserRuleContext* tree) {
  ast::Init out;
  for (auto* c : static_cast<P::InitContext*>(tree)->init_entry()) {
    if (!whole(c)) continue;
    if (c->DISABLE() != nullptr) {
      for (auto* part : c->postfix()) out.disabled.push_back(expr(part));
      continue;
    }
    ast::InitEntry e{expr(c->postfix(0)), c->TILDE() != nullptr, expr(c->expression()), {}};
    e.span = join(e.target->span, e.value->span);
    out.entries.push_back(std::move(e));
  }
  return out;
}

ast::Simulate Builder::simulate(ParserRuleContext* tree) {
  auto* c = static_cast<P::SimulateContext*>(tree);
  ast::Simulate out;
  if (c->NAME() != nullptr) {
    out.name.name = text(c->NAME()->getSymbol());
    out.name.span = span(c->NAME()->getSymbol());
  }
  for (auto* s : c->setting()) {
    if (!whole(s)) continue;
    if (s->plot() != nullptr)
      out.plots.push_back(plot(*this, s->plot()));
    else
      out.settings.push_back(setting(*this, s->setting_key(), s->range_or_value()));
  }
  return out;
}

ast::Test Builder::test(ParserRuleContext* tree) {
  auto* c = static_cast<P::TestContext*>(tree);
  ast::Test out;
  out.title = unquoted(text(c->STRING()->getSymbol()));
  out.over = text(c->NAME()->getSymbol());
  out.over_span = span(c->NAME()->getSymbol());
  for (auto* entry : c->check()) {
    if (whole(entry)) out.checks.push_back(check(*this, entry));
  }
  return out;
}

ast::Requirement Builder::requirement(ParserRuleContext* tree) {
  auto* c = static_cast<P::RequirementContext*>(tree);
  return {expr(c->expression()), unquoted(text(c->STRING()->getSymbol()))};
}

ast::Sweep Builder::sweep(ParserRuleContext* tree) {
  auto* c = static_cast<P::SweepContext*>(tree);
  ast::Sweep out;
  out.name.name = text(c->NAME(0)->getSymbol());
  out.name.span = span(c->NAME(0)->getSymbol());
  out.over = text(c->NAME(1)->getSymbol());
  out.over_span = span(c->NAME(1)->getSymbol());
  for (auto* entry : c->sweep_entry()) {
    if (!whole(entry)) continue;
    if (entry->RECORD() == nullptr) {
      out.settings.push_back(setting(*this, entry->setting_key(), entry->range_or_value()));
      out.settings.back().drawn = entry->TILDE() != nullptr;
      if (entry->unit() != nullptr) out.settings.back().unit = unit(entry->unit());
    }
    for (auto* record : entry->shown()) out.records.push_back(shown(record));
  }
  return out;
}

namespace {

// Builds one entry of an event's block; `disable a, b` is two actions.
void actions(Builder& b, P::AssignContext* c, std::vector<ast::Action>& out) {
  using Kind = ast::Action::Kind;
  if (c->STOP() != nullptr) {
    ast::Action stop{Kind::stop, {}, {}, unquoted(b.text(c->STRING()->getSymbol())), {}};
    stop.span = join(b.span(c->STOP()->getSymbol()), b.span(c->STRING()->getSymbol()));
    return out.push_back(std::move(stop));
  }
  const Kind kind = c->ENABLE() != nullptr    ? Kind::enable
                    : c->DISABLE() != nullptr ? Kind::disable
                    : c->IMPULSE() != nullptr ? Kind::impulse
                                              : Kind::assign;
  for (auto* target : c->postfix()) {
    ast::Action made{kind, b.expr(target), c->expression() != nullptr ? b.expr(c->expression()) : nullptr, "", {}};
    made.span = made.value ? join(made.target->span, made.value->span) : made.target->span;
    out.push_back(std::move(made));
  }
}

}  // namespace

ast::When Builder::when(ParserRuleContext* tree) {
  auto* c = static_cast<P::WhenContext*>(tree);
  using Direction = ast::When::Direction;
  ast::When out;
  out.kind = c->AT_EVENT() != nullptr ? ast::When::Kind::at
             : c->EVERY() != nullptr  ? ast::When::Kind::every
                                      : ast::When::Kind::when;
  if (c->event_name() != nullptr) out.name = declared(c->event_name()->declared());
  out.condition = expr(c->expression(0));
  if (c->FROM() != nullptr) out.from = expr(c->expression(1));
  out.direction = c->RISING() != nullptr     ? Direction::rising
                  : c->FALLING() != nullptr  ? Direction::falling
                  : c->CROSSING() != nullptr ? Direction::crossing
                                             : Direction::none;
  for (auto* entry : c->assign())
    if (whole(entry)) actions(*this, entry, out.body);
  return out;
}

}  // namespace mbc::syntax
