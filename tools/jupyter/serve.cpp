// SPDX-License-Identifier: Apache-2.0
#include "tools/jupyter/serve.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "tools/interrupt.h"
#include "tools/jupyter/jupyter.h"
#include "tools/last_resort.h"
#include "tools/session/completion.h"
#include "tools/session/line_reader.h"
#include "tools/session/views.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPatience = 5;  // number of ineffective interrupts that end the process

std::string text_of(const Json& request, const char* key) {
  const auto found = request.find(key);
  return found != request.end() && found->is_string() ? found->get<std::string>() : "";
}

struct CellEntry {
  std::string text;
  std::uint32_t line = 1;
};

// Returns the entries of a cell as they would be typed: a line, or lines until the statement is complete.
std::vector<CellEntry> entries_of(const std::string& cell) {
  std::vector<CellEntry> out;
  std::string entry;
  std::uint32_t line = 0, begin = 1;
  for (std::size_t at = 0; at <= cell.size();) {
    const std::size_t end = std::min(cell.find('\n', at), cell.size());
    ++line;
    if (entry.empty()) begin = line;
    entry += cell.substr(at, end - at);
    at = end + 1;
    const bool more =
        !trimmed(entry).starts_with(':') && (entry_wants_more(entry) || only_doc_comments(trimmed(entry)));
    if (more && at <= cell.size()) {
      entry += '\n';
      continue;
    }
    if (!trimmed(entry).empty()) out.push_back({entry, begin});
    entry.clear();
  }
  return out;
}

std::string typeset(const Session& session, EquationsRequest request) {
  request.form = EquationsRequest::Form::markdown;
  return model_equations(session.model(), request).value_or("");
}

Json execute(const Session& session, Entries& entries, const std::string& code) {
  Json made = {{"ok", true}, {"out", ""},     {"messages", ""}, {"result", false}, {"pictures", Json::array()},
               {"page", ""}, {"markdown", ""}};
  std::string out, messages;
  const std::vector<CellEntry> cell = entries_of(code);
  for (const CellEntry& entry : cell) {
    const Outcome outcome = entries.obey(entry.text, entry.line);
    made["markdown"] = outcome.equations ? typeset(session, *outcome.equations) : "";
    out += outcome.answer.out;
    messages += outcome.answer.messages;
    if (!outcome.plots.empty()) made["pictures"].push_back(svg_plots(outcome.plots, kPictureWidth, kPictureHeight));
    if (!outcome.page.empty()) made["page"] = outcome.page;
    made["ok"] = outcome.answer.ok;
    // The value of the last line is the result of the cell.
    made["result"] = !outcome.answer.out.empty() && outcome.answer.out == out && outcome.page.empty();
    if (!outcome.answer.ok || outcome.quit || interrupted()) break;
  }
  if (made["result"] == true && out.ends_with('\n')) out.pop_back();
  if (interrupted()) {  // an interrupted cell has not done its work
    made["ok"] = false;
    made["interrupted"] = true;
    if (messages.empty()) messages = "interrupted\n";
  }
  made["out"] = out;
  made["messages"] = messages;
  return made;
}

}  // namespace

std::string NotebookSession::answer(const std::string& line) {
  const Json request = Json::parse(line, nullptr, false);
  const std::string what = request.is_object() ? text_of(request, "do") : "";
  Json made;
  if (what == "execute") {
    made = execute(session_, entries_, text_of(request, "code"));
  } else if (what == "complete") {
    const std::string before = text_of(request, "before");
    const std::string last = before.substr(before.rfind('\n') + 1);
    const Completion found = complete(session_, before);
    made = {{"typed", last.substr(found.begin)}, {"words", found.words}};
  } else if (what == "inspect") {
    made = {{"text", help_text(session_, text_of(request, "name"))}};
  } else if (what == "is_complete") {
    made = {{"complete", !entry_wants_more(text_of(request, "code"))}};
  } else {
    made = {{"error", "a request is a JSON object with \"do\": execute, complete, inspect or is_complete"}};
  }
  return made.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int serve_notebook(const Options& options) {
  catch_interrupts(kPatience);
  NotebookSession session(options);
  const std::unique_ptr<LineReader> reader = make_pipe_reader();
  std::string line;
  for (;;) {
    const LineReader::Result result = reader->read("", line);
    if (result == LineReader::Result::end || termination_wanted()) return kOk;
    clear_interrupt();
    if (result == LineReader::Result::interrupted) continue;
    // A request to end the process leaves it also from a computation that reads no flag. An interrupt of a cell waits
    // for it, because the session would be lost.
    const LastResort last(
        []() -> std::optional<int> { return termination_wanted() ? std::optional<int>(kOk) : std::nullopt; });
    if (const int problem = print_output(session.answer(line) + "\n"); problem != kOk) return problem;
    clear_interrupt();
  }
}

}  // namespace mbc::tools
