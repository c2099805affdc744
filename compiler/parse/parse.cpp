// The stages of parsing, top to bottom: text, tokens, header, brackets, statements, parse tree, syntax tree.
#include "compiler/parse/parse.h"

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "MbcLexer.h"
#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/build_ast.h"
#include "compiler/parse/check_header.h"
#include "compiler/parse/check_text.h"
#include "compiler/parse/classified.h"
#include "compiler/parse/match_brackets.h"
#include "compiler/parse/read_tokens.h"
#include "compiler/parse/split_statements.h"
#include "compiler/parse/syntax_errors.h"

namespace mbc {
namespace {

// The 4.9 runtime shares its prediction caches between all parsers without a lock.
std::mutex& antlr_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::vector<std::unique_ptr<antlr4::Token>> antlr_tokens(const syntax::TokenList& list) {
  std::vector<std::unique_ptr<antlr4::Token>> out;
  out.reserve(list.tokens.size());
  for (const syntax::Token& t : list.tokens) out.push_back(std::make_unique<antlr4::CommonToken>(t.type));
  return out;
}

// Twice at most: a quick pass with SLL prediction that gives up at the first mistake, then one that reports.
ast::File parse_statements(const syntax::Statements& statements, Sink& sink) {
  antlr4::ListTokenSource source(antlr_tokens(statements.list));
  antlr4::CommonTokenStream stream(&source);
  MbcParser parser(&stream);
  parser.removeErrorListeners();
  auto* simulator = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  syntax::Builder builder(statements.list, sink);
  try {
    simulator->setPredictionMode(antlr4::atn::PredictionMode::SLL);
    parser.setErrorHandler(syntax::make_probe());
    return builder.file(parser.file());
  } catch (const syntax::ProbeFailed&) {
    parser.reset();
  }
  simulator->setPredictionMode(antlr4::atn::PredictionMode::LL);
  parser.setErrorHandler(syntax::make_reporter(statements, sink));
  return builder.file(parser.file());
}

// Everything before the grammar.
bool read_statements(const SourceSet& sources, std::uint32_t file, ParseMode mode, Sink& sink,
                     syntax::TokenList& tokens, syntax::Statements& statements) {
  if (!syntax::check_text(sources, file, sink)) return false;
  if (!syntax::read_tokens(sources, file, sink, tokens)) return false;
  if (mode == ParseMode::file && !syntax::check_header(tokens, sink)) return false;
  syntax::match_brackets(tokens, sink);
  statements = syntax::split_statements(tokens, mode, sink);
  return !sink.full();
}

ast::File parse_guarded(const SourceSet& sources, std::uint32_t file, ParseMode mode, Sink& sink) {
  const std::lock_guard lock(antlr_mutex());
  syntax::TokenList tokens;
  syntax::Statements statements;
  if (!read_statements(sources, file, mode, sink, tokens, statements)) return {};
  return parse_statements(statements, sink);
}

}  // namespace

ast::File parse(const SourceSet& sources, std::uint32_t file, ParseMode mode, Sink& sink) {
  try {
    return parse_guarded(sources, file, mode, sink);
  } catch (const syntax::EnoughErrors&) {
  } catch (const std::exception& e) {
    sink.report(Kind::internal_error, {file, 0, 0}, e.what());
  }
  return {};
}

namespace syntax {

std::vector<ClassifiedToken> classified_tokens(const SourceSet& sources, std::uint32_t file, Sink& sink) {
  const std::lock_guard lock(antlr_mutex());
  TokenList tokens;
  Statements statements;
  if (!read_statements(sources, file, ParseMode::file, sink, tokens, statements) || sink.has_errors()) return {};
  return classify(tokens, statements);
}

}  // namespace syntax

bool wants_more(std::string_view text) {
  try {
    const std::lock_guard lock(antlr_mutex());
    SourceSet sources;
    Sink sink;
    syntax::TokenList tokens;
    const std::uint32_t file = sources.add("", std::string(text));
    if (!syntax::check_text(sources, file, sink) || !syntax::read_tokens(sources, file, sink, tokens)) return false;
    return syntax::is_unfinished(tokens);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace mbc
