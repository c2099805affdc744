// SPDX-License-Identifier: Apache-2.0
#include "compiler/parse/statement_trees.h"

#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/syntax_errors.h"

namespace mbc::syntax {

namespace {

// New forms are parsed together, this many tokens at a time. The number is small because recent data are in the cache.
constexpr std::size_t kPiece = 1'000;
// The tree of a token takes about a kilobyte.
constexpr std::size_t kMostKept = 30'000;

std::vector<std::unique_ptr<antlr4::Token>> tokens_of(const std::u16string& types) {
  std::vector<std::unique_ptr<antlr4::Token>> out;
  out.reserve(types.size() + 1);
  for (const char16_t type : types) out.push_back(std::make_unique<antlr4::CommonToken>(type));
  out.push_back(std::make_unique<antlr4::CommonToken>(kEndOfFile));
  return out;
}

}  // namespace

struct Parsed {
  antlr4::ListTokenSource source;
  antlr4::CommonTokenStream stream;
  MbcParser parser;
  MbcParser::FileContext* file;

  explicit Parsed(const std::u16string& types)
      : source(tokens_of(types)), stream(&source), parser(&stream), file(nullptr) {
    parser.removeErrorListeners();
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
    parser.setErrorHandler(make_probe());
    file = parser.file();
  }
};

void StatementTrees::form(const std::vector<Token>& tokens, const StatementRange& range, Form& out) {
  out.clear();
  for (std::size_t k = range.begin; k < range.end; ++k) out.push_back(static_cast<char16_t>(tokens[k].type));
}

void StatementTrees::parse(const std::vector<Fresh>& fresh) {
  if (fresh.empty()) return;
  Form all;
  for (const Fresh one : fresh) all += one->first;
  const auto made = std::make_shared<const Parsed>(all);
  const std::vector<MbcParser::StatementContext*> found = made->file->statement();
  if (found.size() != fresh.size()) throw ProbeFailed{};
  std::size_t first = 0;
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    fresh[k]->second = {made, found[k], first};
    first += fresh[k]->first.size();
  }
}

std::vector<StatementTree> StatementTrees::of(const std::vector<Token>& tokens,
                                              const std::vector<StatementRange>& statements, std::size_t from) {
  if (kept_ > kMostKept) {
    trees_.clear();
    kept_ = 0;
  }
  std::vector<Fresh> fresh, all;
  Form form;
  std::size_t size = 0;
  for (std::size_t k = from; k < statements.size() && size < kPiece; ++k) {
    this->form(tokens, statements[k], form);
    const auto [entry, is_new] = trees_.try_emplace(form);
    all.push_back(&*entry);
    if (!is_new) continue;
    fresh.push_back(&*entry);
    size += form.size();
  }
  kept_ += size;
  try {
    parse(fresh);
  } catch (...) {
    for (const Fresh one : fresh) trees_.erase(Form(one->first));  // a copy: erasing ends the key
    kept_ -= size;
    throw;
  }
  std::vector<StatementTree> out;
  out.reserve(all.size());
  for (const Fresh one : all) out.push_back(one->second);
  return out;
}

}  // namespace mbc::syntax
