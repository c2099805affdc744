// SPDX-License-Identifier: Apache-2.0
// Names of enumerations, codes of diagnostics, versions; layout of texts and pieces of what is typed into a session.
#include "mbc/texts.h"

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
constexpr const char* kIntegrators[] = {
#define MBC_INTEGRATOR(name, word) #word,
#include "base/settings.def"
};
constexpr const char* kFormulations[] = {
#define MBC_FORMULATION(name, as) #name,
#include "base/settings.def"
};
constexpr const char* kRepresentations[] = {
#define MBC_REPRESENTATION(name) #name,
#include "base/settings.def"
};
constexpr const char* kStabilisations[] = {
#define MBC_STABILISATION(name) #name,
#include "base/settings.def"
};
constexpr const char* kInertiaRows[] = {"structure", "representations", "all"};
constexpr const char* kEngines[] = {"interpreter", "native code", "interpreter, then native code"};
constexpr const char* kLevels[] = {"position", "velocity", "acceleration", "mixed"};

EntryPart cut(const SourceFile& source, std::size_t begin, std::size_t end, bool expression) {
  const Position place = source.position(static_cast<std::uint32_t>(begin));
  // Blanks keep the columns of diagnostics right.
  return {std::string(place.column - 1, ' ') + std::string(source.text().substr(begin, end - begin)), place.line,
          expression};
}

Error syntax_error(const Sink& sink, const SourceSet& sources, bool colour) {
  Error error{ErrorCode::invalid_argument, render_text(sink, sources, {colour})};
  if (error.message.ends_with('\n')) error.message.pop_back();
  for (const Diagnostic& d : sink.sorted()) error.diagnostics.push_back(to_info(d, sources));
  return error;
}

}  // namespace

const char* to_text(ErrorCode value) { return name_of(kErrorCodes, value); }
const char* to_text(Integrator value) { return name_of(kIntegrators, value); }
const char* to_text(Formulation value) { return name_of(kFormulations, value); }
const char* to_text(Representation value) { return name_of(kRepresentations, value); }
const char* to_text(Stabilisation value) { return name_of(kStabilisations, value); }
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
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    const auto is_expression = [&](std::size_t k) {
      return std::holds_alternative<ast::ExprStmt>(file.statements[k]->node);
    };
    std::size_t last = i;
    while (!is_expression(i) && last + 1 < file.statements.size() && !is_expression(last + 1)) ++last;
    std::size_t begin = is_expression(i) ? file.statements[i]->span.begin : from;
    while (begin < text.size() && (text[begin] == ';' || text[begin] == '\n' || text[begin] == ' ')) ++begin;
    from = file.statements[last]->span.end;
    parts.push_back(cut(source, begin, from, is_expression(i)));
    i = last;
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
