// SPDX-License-Identifier: Apache-2.0
// Names of enumerations, codes of diagnostics, versions; layout of texts and parts of session entries.
#include "mbc/texts.h"

#include <algorithm>
#include <variant>

#include "base/diagnostics/render.h"
#include "compiler/format/format.h"
#include "compiler/parse/parse.h"
#include "compiler/sema/modules.h"
#include "mbc/settings.h"
#include "mbc_version.h"
#ifdef MBC_HAVE_JIT
#include "jit/engine.h"
#include "jit/engine_library.h"
#endif

namespace mbc {

namespace {

template <class Enum, std::size_t n>
const char* name_of(const char* const (&names)[n], Enum value) {
  const auto k = static_cast<std::size_t>(value);
  return k < n ? names[k] : "?";
}

constexpr const char* kErrorCodes[] = {"model_error", "no_such_name",     "out_of_range",    "wrong_size",
                                       "not_finite",  "invalid_argument", "undefined_value", "inconsistent",
                                       "stopped",     "interrupted",      "wrong_bytes",     "no_native_code",
                                       "too_large",   "no_threads",       "internal"};
constexpr const char* kInertiaRows[] = {"structure", "representations", "all", "light"};
constexpr const char* kEngines[] = {"interpreter", "native code", "interpreter, then native code"};
constexpr const char* kEntities[] = {"particle", "body", "point", "frame"};
constexpr const char* kLoads[] = {"force", "torque", "load", "friction", "potential", "dissipation", "kinetic"};
constexpr const char* kLevels[] = {"position", "velocity", "acceleration", "mixed"};

// Returns a part with its text and place; its declarations are filled in later.
EntryPart cut(const SourceFile& source, std::size_t begin, std::size_t end) {
  const Position place = source.position(static_cast<std::uint32_t>(begin));
  EntryPart part;
  // Blanks keep the columns of diagnostics right.
  part.text = std::string(place.column - 1, ' ') + std::string(source.text().substr(begin, end - begin));
  part.line = place.line;
  part.begin = begin;
  part.end = end;
  return part;
}

// The kind of a statement and the key that identifies it.
struct Known {
  std::string word;
  std::string name{}, key{};
  bool item = false;  // an item of a list: its span does not include the word
};

Known named(const SourceFile& source, const char* word, const ast::Declared& d, bool item = false) {
  Known out{word, d.name, d.name, item};
  for (const ast::ExprPtr& index : d.indices)
    out.key += "[" + std::string(source.text().substr(index->span.begin, index->span.end - index->span.begin)) + "]";
  return out;
}

// Makes the key of a name that may be the same as that of a quantity.
Known apart(const char* word, const std::string& name) { return {word, name, word + (" " + name)}; }

Known known(const SourceFile& source, const ast::Stmt& s) {
  const auto text = [&](Span span) { return std::string(source.text().substr(span.begin, span.end - span.begin)); };
  if (const auto* n = std::get_if<ast::Param>(&s.node)) return named(source, "param", n->name, true);
  if (const auto* n = std::get_if<ast::Let>(&s.node)) return named(source, "let", n->name, true);
  if (const auto* n = std::get_if<ast::Coord>(&s.node)) return named(source, "coord", n->name, true);
  if (const auto* n = std::get_if<ast::Speed>(&s.node)) return named(source, "speed", n->name, true);
  if (const auto* n = std::get_if<ast::StateVar>(&s.node)) return named(source, "state", n->name, true);
  if (const auto* n = std::get_if<ast::Input>(&s.node)) return named(source, "input", n->name, true);
  if (const auto* n = std::get_if<ast::Output>(&s.node)) {
    Known out = apart("output", n->name.name.empty() && n->value ? text(n->value->span) : n->name.name);
    out.item = true;
    return out;
  }
  if (const auto* n = std::get_if<ast::Def>(&s.node)) return named(source, "def", n->name);
  if (const auto* n = std::get_if<ast::Entity>(&s.node)) return named(source, name_of(kEntities, n->kind), n->name);
  if (const auto* n = std::get_if<ast::Load>(&s.node)) return named(source, name_of(kLoads, n->kind), n->name);
  if (const auto* n = std::get_if<ast::Constraint>(&s.node)) return named(source, "constraint", n->name);
  if (const auto* n = std::get_if<ast::When>(&s.node)) return named(source, "event", n->name);
  if (const auto* n = std::get_if<ast::Component>(&s.node))
    return named(source, n->is_joint ? "joint" : "model", n->name);
  if (const auto* n = std::get_if<ast::Instance>(&s.node))
    return named(source, n->shape ? "shape" : "instance", n->name);
  if (std::holds_alternative<ast::Space>(s.node)) return {"space", "", "space"};
  if (std::holds_alternative<ast::Gravity>(s.node)) return {"gravity", "", "gravity"};
  if (const auto* n = std::get_if<ast::Visibility>(&s.node))
    return {n->shown ? "show" : "hide", text(n->target->span), "picture of " + text(n->target->span), true};
  if (const auto* n = std::get_if<ast::Simulate>(&s.node)) return apart("simulate", n->name.name);
  if (const auto* n = std::get_if<ast::Test>(&s.node)) return apart("test", n->title);
  if (const auto* n = std::get_if<ast::Sweep>(&s.node)) return apart("sweep", n->name.name);
  if (std::holds_alternative<ast::Use>(s.node)) return {"use", "", text(s.span)};
  if (std::holds_alternative<ast::Init>(s.node)) return {"init"};
  if (std::holds_alternative<ast::For>(s.node)) return {"for"};
  if (std::holds_alternative<ast::IfBlock>(s.node)) return {"if"};
  return {"expression"};
}

// Returns whether only a comma, blanks and comments stand between two items of a list.
bool one_list(std::string_view between) {
  bool comma = false;
  for (std::size_t k = 0; k < between.size(); ++k) {
    if (between.substr(k).starts_with("//")) {
      k = std::min(between.find('\n', k), between.size() - 1);
    } else if (between[k] == ',' && !comma) {
      comma = true;
    } else if (between[k] != ' ' && between[k] != '\t' && between[k] != '\n' && between[k] != '\r') {
      return false;
    }
  }
  return comma;
}

Error syntax_error(const Sink& sink, const SourceSet& sources, bool colour) {
  Error error{ErrorCode::invalid_argument, render_text(sink, sources, {colour})};
  if (error.message.ends_with('\n')) error.message.pop_back();
  for (const Diagnostic& d : sink.sorted()) error.diagnostics.push_back(to_info(d, sources));
  return error;
}

}  // namespace

const char* to_text(ErrorCode value) { return name_of(kErrorCodes, value); }
const char* to_text(InertiaRows value) { return name_of(kInertiaRows, value); }
const char* to_text(EngineUsed value) { return name_of(kEngines, value); }
const char* to_text(Level value) { return name_of(kLevels, value); }

std::string version() { return MBC_VERSION; }

std::string back_end_version() {
#ifdef MBC_HAVE_JIT
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  return engine ? engine->version() : "";
#else
  return "";
#endif
}

std::string back_end_library() {
#ifdef MBC_HAVE_JIT
  return jit::engine_library();
#else
  return "";
#endif
}

std::string explain(const std::string& code) {
  for (const KindInfo& k : all_kinds())
    if (k.code == code) return std::string(k.explanation);
  return "";
}

std::vector<CodeInfo> all_codes() {
  std::vector<CodeInfo> out;
  for (const KindInfo& k : all_kinds())
    out.push_back({std::string(k.code), std::string(k.name), k.severity, std::string(k.message)});
  return out;
}

std::vector<LibraryModule> library_modules() {
  std::vector<LibraryModule> out;
  for (const std::string& name : sema::standard_modules()) out.push_back({name, sema::standard_module(name)});
  return out;
}

Result<FormattedText> format_text(const std::string& text, const std::string& name, bool colour) {
  SourceSet sources;
  Sink sink;
  std::optional<std::string> out = format::format(text, name, sources, sink);
  if (!out) return syntax_error(sink, sources, colour);
  return FormattedText{std::move(*out), render_text(sink, sources, {colour})};
}

Result<std::vector<EntryPart>> split_entry(const std::string& entry, const std::string& name, bool colour) {
  SourceSet sources;
  Sink sink;
  sources.add(name, entry);
  const ast::File file = parse(sources, 0, ParseMode::repl, sink);
  if (sink.has_errors()) return syntax_error(sink, sources, colour);
  const SourceFile& source = sources[0];
  const std::string_view text = source.text();
  std::vector<EntryPart> parts;
  std::size_t from = 0;
  for (std::size_t i = 0; i < file.statements.size();) {
    const Known what = known(source, *file.statements[i]);
    const bool expression = what.word == "expression";
    std::size_t last = i;
    const auto span = [&](std::size_t k) { return file.statements[k]->span; };
    while (what.item && last + 1 < file.statements.size() && known(source, *file.statements[last + 1]).item &&
           one_list(text.substr(span(last).end, span(last + 1).begin - span(last).end)))
      ++last;
    std::size_t begin = expression ? span(i).begin : from;
    while (begin < text.size() && (text[begin] == ';' || text[begin] == '\n' || text[begin] == ' ')) ++begin;
    from = span(last).end;
    EntryPart part = cut(source, begin, from);
    part.expression = expression;
    part.word = what.word;
    for (std::size_t k = i; k <= last; ++k) {
      const Known one = known(source, *file.statements[k]);
      const std::string written(text.substr(span(k).begin, span(k).end - span(k).begin));
      part.items.push_back({one.name, one.key, (one.item ? one.word + " " : "") + written});
    }
    parts.push_back(std::move(part));
    i = last + 1;
  }
  return parts;
}

bool entry_wants_more(const std::string& text) { return wants_more(text); }

std::string without_header(const std::string& given) {
  std::string text = given;
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");
  SourceSet sources;
  Sink sink;
  sources.add("", text);
  const ast::File file = parse(sources, 0, ParseMode::file, sink);
  const std::size_t word = text.rfind("mbd", file.version_span.begin);
  if (!file.version_span.known() || word == std::string::npos) return text;
  std::size_t end = file.version_span.end;
  const std::size_t next = text.find_first_not_of(" \t", end);
  if (next != std::string::npos && text[next] == ';') end = next + 1;
  return text.replace(word, end - word, end - word, ' ');
}

}  // namespace mbc
