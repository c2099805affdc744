// SPDX-License-Identifier: Apache-2.0
// The stages of parsing, top to bottom: text, tokens, header, brackets, statements, parse tree, syntax tree.
#include "compiler/parse/parse.h"

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
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
#include "compiler/parse/statement_trees.h"
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

// The number of tokens beyond which a text is read statement by statement.
constexpr std::size_t kLongText = 1'000;

// Returns the statements that are in no other one, from token `begin` on; none if there is anything between them.
std::vector<syntax::StatementRange> outer_statements(const std::vector<syntax::Token>& tokens, std::size_t begin) {
  std::vector<syntax::StatementRange> out;
  std::size_t depth = 0;
  for (std::size_t k = begin; k + 1 < tokens.size(); ++k) {
    if (tokens[k].type == MbcParser::START) ++depth;
    if (depth == 0) return {};
    if (tokens[k].type != MbcParser::END || --depth > 0) continue;
    out.push_back({begin, k + 1});
    begin = k + 1;
  }
  return depth == 0 ? out : std::vector<syntax::StatementRange>{};
}

// Parses a long text some statements at a time, because their parse trees take a hundred times the memory of the text.
// Returns nothing if there is a mistake anywhere; the pass over the whole text then reports it.
std::optional<ast::File> parse_in_pieces(const syntax::Statements& statements) {
  static syntax::StatementTrees trees;  // guarded by antlr_mutex
  const std::vector<syntax::Token>& tokens = statements.list.tokens;
  Sink mistakes;
  ast::File out;
  std::size_t begin = 0;
  if (tokens[1].type == MbcParser::MBD) {  // START MBD NUMBER END
    if (tokens[2].type != MbcParser::NUMBER || tokens[3].type != MbcParser::END) return {};
    out.version_span = statements.list.span(tokens[2]);
    begin = 4;
  }
  const std::vector<syntax::StatementRange> ranges = outer_statements(tokens, begin);
  if (ranges.empty()) return {};
  try {
    for (std::size_t k = 0; k < ranges.size();)
      for (const syntax::StatementTree& one : trees.of(tokens, ranges, k)) {
        syntax::Builder(statements.list, mistakes, ranges[k++].begin - one.first).statement(one.tree, out.statements);
      }
  } catch (const syntax::ProbeFailed&) {
    return {};
  }
  if (!mistakes.sorted().empty()) return {};
  return out;
}

// Runs the parser twice at most: a quick pass with SLL prediction that gives up at the first mistake, then one that
// reports.
ast::File parse_statements(const syntax::Statements& statements, Sink& sink) {
  const std::size_t end = statements.list.tokens.size() - 1;
  const bool in_pieces = end > kLongText && !sink.has_errors();
  if (in_pieces)
    if (std::optional<ast::File> file = parse_in_pieces(statements)) return std::move(*file);
  antlr4::ListTokenSource source(antlr_tokens(statements.list));
  antlr4::CommonTokenStream stream(&source);
  MbcParser parser(&stream);
  parser.removeErrorListeners();
  auto* simulator = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  syntax::Builder builder(statements.list, sink);
  if (!in_pieces) try {
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

// Runs all stages before the grammar.
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
  ast::File out = parse_statements(statements, sink);
  out.description = std::move(statements.description);
  return out;
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
