// SPDX-License-Identifier: Apache-2.0
// The stages of parsing, top to bottom: text, tokens, header, brackets, statements, parse tree, syntax tree.
#include "compiler/parse/parse.h"

#include <exception>
#include <iterator>
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
#include "compiler/parse/syntax_errors.h"

namespace mbc {
namespace {

// The 4.9 runtime shares its prediction caches between all parsers without a lock.
std::mutex& antlr_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Those from `begin` to before `end`, and the end of the file.
std::vector<std::unique_ptr<antlr4::Token>> antlr_tokens(const syntax::TokenList& list, std::size_t begin,
                                                         std::size_t end) {
  std::vector<std::unique_ptr<antlr4::Token>> out;
  out.reserve(end - begin + 1);
  for (std::size_t k = begin; k < end; ++k) out.push_back(std::make_unique<antlr4::CommonToken>(list.tokens[k].type));
  out.push_back(std::make_unique<antlr4::CommonToken>(syntax::kEndOfFile));
  return out;
}

// Tokens after which a long text is cut: few, since what was just used is at hand.
constexpr std::size_t kPiece = 1'000;

// Behind the statement with which a piece of that length is full; or the end of the file.
std::size_t end_of_piece(const std::vector<syntax::Token>& tokens, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t k = begin; k + 1 < tokens.size(); ++k) {
    if (tokens[k].type == MbcParser::START) ++depth;
    if (tokens[k].type == MbcParser::END && --depth == 0 && k - begin >= kPiece) return k + 1;
  }
  return tokens.size() - 1;
}

// A long text, some statements at a time: their parse tree, which takes a hundred times what the text does, is gone
// before the next. Nothing when there is a mistake anywhere; it is told by those who see all of the text.
std::optional<ast::File> parse_in_pieces(const syntax::Statements& statements) {
  const std::vector<syntax::Token>& tokens = statements.list.tokens;
  Sink mistakes;
  ast::File out;
  for (std::size_t begin = 0, end = 0; begin + 1 < tokens.size(); begin = end) {
    end = end_of_piece(tokens, begin);
    if (begin > 0 && tokens[begin + 1].type == MbcParser::MBD) return {};  // a header is one at the beginning only
    antlr4::ListTokenSource source(antlr_tokens(statements.list, begin, end));
    antlr4::CommonTokenStream stream(&source);
    MbcParser parser(&stream);
    parser.removeErrorListeners();
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
    parser.setErrorHandler(syntax::make_probe());
    ast::File piece;
    try {
      piece = syntax::Builder(statements.list, mistakes, begin).file(parser.file());
    } catch (const syntax::ProbeFailed&) {
      return {};
    }
    if (!mistakes.sorted().empty()) return {};
    if (begin == 0) out.version_span = piece.version_span;
    std::move(piece.statements.begin(), piece.statements.end(), std::back_inserter(out.statements));
  }
  return out;
}

// Twice at most: a quick pass with SLL prediction that gives up at the first mistake, then one that reports.
ast::File parse_statements(const syntax::Statements& statements, Sink& sink) {
  const std::size_t end = statements.list.tokens.size() - 1;
  const bool in_pieces = end > kPiece && !sink.has_errors();
  if (in_pieces)
    if (std::optional<ast::File> file = parse_in_pieces(statements)) return std::move(*file);
  antlr4::ListTokenSource source(antlr_tokens(statements.list, 0, end));
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
