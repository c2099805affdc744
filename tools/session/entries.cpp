// SPDX-License-Identifier: Apache-2.0
#include "tools/session/entries.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "api/output/own_file.h"
#include "api/report/answers.h"
#include "base/row_format.h"
#include "base/text.h"
#include "mbc/equations.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/picture/converted.h"
#include "tools/picture/page.h"
#include "tools/places.h"
#include "tools/session/completion.h"
#include "tools/session/session_plot.h"
#include "tools/session/values.h"
#include "tools/session/views.h"
#include "tools/streams.h"
#include "tools/terminal/progress.h"

namespace mbc::tools {
namespace {

constexpr const char* kHelp =
    R"(  p.z                    an expression: its value at the present state; `ans` is the last one
  param k = 2            a statement: added to the model; one that declares a name anew replaces the old one
  run 5                  simulate for 5 time units from here; run 5 step 0.01; run: as long as the simulate block
  step, step 10          one step, or ten
  val(p.z, 1.2)          an expression at an earlier time of the motion
  plot E, p.z            curves over the time; plot p.z over p.x; plot E -o FILE.svg
  view                   the motion in the browser
  :state :t :q :u        the state; its time, coordinates, speeds
  :M :f :C :A :b         the equations M u' = f + C + A^T lambda, A u' = b, as numbers
  :equations, :equations M[1,2]   all of them as expressions, or those of a name
  :a :lambda :residual   accelerations, multipliers, residuals of the rows
  :rows :rank :dof       the constraint rows, their rank, the degrees of freedom
  :explain ROW :events   what a row is; the events and when they took place
  :doctor :compare       as `mbc doctor` and `mbc compare`
  :set k=3               another value for a parameter, or a setting: :set stabilise=none
  :list :undo            the statements so far; take back the last change
  :load FILE :reload     add a model file; read it again
  :save FILE             write the session as a model (:save! replaces a file)
  :reset :clear          back to the initial state; forget everything
  :help NAME             what a name of the session or of the library is, with its `///` lines
  :help :quit            Ctrl-C stops a run or clears the line, Ctrl-D quits, Tab completes, Ctrl-R searches
)";

// Returns the first word, and the text after it.
std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

// Returns whether the word is a name and not a request: `run = 3`, `step + 1`.
bool is_name_here(const std::string& rest) {
  return !rest.empty() && std::string("=+-*/^<>!,;)]}[:'").find(rest.front()) != std::string::npos;
}

// Parses `run 5`, `run 5 step 0.01`, `run assemble`.
std::optional<RunRequest> run_request(const std::string& text) {
  auto [word, rest] = first_word(text);
  const bool back = rest.size() > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9';  // `run -1`: an error
  if (word != "run" || rest.find('\n') != std::string::npos || (!back && is_name_here(rest))) return std::nullopt;
  RunRequest out;
  const std::string last = "assemble";
  out.assemble = rest == last || rest.ends_with(" " + last);
  if (out.assemble) rest = trimmed(rest.substr(0, rest.size() - last.size()));
  std::size_t step = rest.find(" step ");
  if (rest.starts_with("step ")) step = 0;
  out.duration = trimmed(rest.substr(0, step));
  if (step != std::string::npos) out.step = trimmed(rest.substr(rest.find("step ", step) + 5));
  return out;
}

// Parses `step`, `step 10`.
std::optional<RunRequest> step_request(const std::string& text) {
  const auto [word, rest] = first_word(text);
  if (word != "step") return std::nullopt;
  RunRequest out;
  out.steps = 1;
  if (rest.empty()) return out;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), out.steps);
  if (problem != std::errc{} || end != rest.data() + rest.size() || out.steps == 0) return std::nullopt;
  return out;
}

}  // namespace

bool only_doc_comments(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == std::string::npos) return true;
    if (text.compare(begin, 3, "///") != 0) return false;
    at = std::min(text.find('\n', begin), text.size());
  }
  return true;
}

Outcome Entries::obey(const std::string& entry, std::uint32_t line) {
  const std::string text = trimmed(entry);
  if (text.empty() || text == "mbd 1") return {};
  if (text == "quit" || text == "exit") return {.answer = {}, .quit = true};
  if (text == "help") return command(":help", "");
  const auto [word, rest] = first_word(text);
  if (text.front() == ':') return command(word, rest);
  if (const auto wanted = run_request(text)) return {simulate(*wanted)};
  if (const auto wanted = step_request(text)) return {simulate(*wanted)};
  if (word == "plot" && rest.find('\n') == std::string::npos && !is_name_here(rest)) return plot(rest);
  if (text == "view") return view();
  return {session_.enter(entry, line)};
}

Outcome Entries::command(const std::string& word, const std::string& rest) {
  if (word == ":quit" || word == ":exit") return {.answer = {}, .quit = true};
  const bool needs_rest =
      word == ":set" || word == ":load" || word == ":save" || word == ":save!" || word == ":explain";
  if (word == ":help" && !rest.empty()) return {help_on(rest)};
  if (word == ":equations") return equations(rest);
  if (needs_rest && rest.empty())
    return {refuse(word + " needs " +
                   (word == ":set"       ? "NAME=VALUE"
                    : word == ":explain" ? "a row; `:rows` lists them"
                                         : "a file name"))};
  if (!needs_rest && !rest.empty()) return {refuse("nothing can follow `" + word + "`")};
  if (word == ":help") return {{true, kHelp, ""}};
  if (word == ":list") return {{true, session_.listing(), ""}};
  if (word == ":undo") return {session_.undo()};
  if (word == ":set") return {session_.set(rest)};
  if (word == ":load") return {session_.load(rest)};
  if (word == ":reload") return {session_.reload()};
  if (word == ":explain") return {explain(rest)};
  if (word == ":doctor") return {doctor()};
  if (word == ":compare") return {compare()};
  if (needs_rest) return {save(rest, word == ":save!")};
  if (word == ":reset" || word == ":clear") {
    session_.reset(word == ":clear");
    return {};
  }
  return {show(word)};
}

Answer Entries::help_on(const std::string& name) {
  const std::string text = help_text(session_, name);
  if (!text.empty()) return {true, text, ""};
  std::vector<std::string> known;
  if (const SourceIndex* index = session_.index())
    for (const std::uint32_t id : index->visible) known.push_back(index->symbols.at(id).name);
  for (const LibraryPart& part : library_parts()) known.push_back(part.symbol.name);
  const std::string near = nearest(name, known);
  return refuse("nothing has the name " + quoted(name) + (near.empty() ? "" : "; did you mean " + quoted(near) + "?"));
}

Answer Entries::simulate(const RunRequest& wanted) {
  std::unique_ptr<Progress> bar;
  RunRequest request = wanted;
  request.stop = interrupt_flag();
  request.progress = [&](double t, double begin, double end) {
    if (!bar) bar = std::make_unique<Progress>(begin, end);
    bar->update(t);
  };
  Answer result = session_.run(request);
  if (bar) bar->finish();
  return result;
}

Outcome Entries::plot(const std::string& rest) {
  const PlotRequest request = plot_request(rest);
  Result<std::vector<Plot>> made = plots_of(session_, request);
  if (!made) return {refuse(made.error().message)};
  if (request.file.empty()) return {.answer = {}, .plots = *std::move(made)};
  const std::string format(ending_of(request.file));
  if (!is_one_of(format, {"svg", "png", "pdf"}))
    return {refuse("`" + request.file + "`: the picture is SVG, PNG or PDF; name a file that ends in .svg")};
  if (const std::string why = why_not_there(request.file, {}, false, own_file_); !why.empty()) return {refuse(why)};
  std::string picture = svg_plots(*made, kPictureWidth, kPictureHeight), error;
  if (format != "svg" && !converted(picture, format, picture, error)) return {refuse(error)};
  output::mark_picture(picture);
  if (!write_text(request.file, picture, error)) return {refuse(error)};
  return {{true, "", "wrote " + request.file + "\n"}};
}

Outcome Entries::view() {
  const Recording* recording = session_.recording();
  if (!recording || !session_.simulation()) return {refuse("there is no motion yet: `run 5` makes one")};
  const std::string page = new_page(own_file_.empty() ? "-" : own_file_);
  std::string error = "cannot make a folder for the page";
  if (page.empty() ||
      !write_text(
          page,
          page_around("session", page_data(*recording, page_facts(*session_.simulation(), session_.last_run(), ""))),
          error))
    return {refuse(error)};
  return {.answer = {true, page + "\n", ""}, .page = page};
}

Answer Entries::save(const std::string& path, bool overwrite) {
  if (!overwrite && path != own_file_ && access(path.c_str(), F_OK) == 0)
    return refuse("`" + path + "` exists; `:save! " + path + "` replaces it");
  if (const std::string why = why_not_there(path, {"a model", {"mbd"}}, true); !why.empty()) return refuse(why);
  std::string error;
  std::vector<std::string> left;
  if (!write_text(path, session_.file_text(left), error)) return refuse(error);
  own_file_ = path;
  if (left.empty()) return {};
  std::string again;
  for (const std::string& entry : left) again += " --set \"" + entry + "\"";
  return {true, "", "note: no statement can say this: the file has it as a comment; run it with" + again + "\n"};
}

Answer Entries::show(const std::string& what) {
  if (!is_view(what)) {
    const std::string near = nearest(what, command_words());
    return refuse("there is no command `" + what + "`" +
                  (near.empty() ? "; `:help` lists them" : "; did you mean `" + near + "`?"));
  }
  if (!session_.moves() && what != ":t" && what != ":events")
    return refuse("nothing moves yet: declare a particle, for example `particle p(1) at (0, 0, 1)`");
  return {true, view_text(session_, what), ""};
}

Answer Entries::explain(const std::string& row) {
  if (!session_.moves()) return refuse("nothing moves yet: there are no rows");
  std::vector<std::string> known;
  const std::string text = explain_row(session_, row, known);
  if (!text.empty()) return {true, text, ""};
  const std::string near = nearest(row, known);
  return refuse("there is no row " + quoted(row) +
                (near.empty() ? "; `:rows` lists them" : "; did you mean " + quoted(near) + "?"));
}

Outcome Entries::equations(const std::string& of) {
  if (!session_.moves()) return {refuse("nothing moves yet: there are no equations")};
  EquationsRequest request;
  if (!of.empty()) request.of = {of};
  const Result<std::string> text = model_equations(session_.model(), request);
  if (!text) return {refuse(text.error().message)};
  return {.answer = {true, *text, ""}, .equations = std::move(request)};
}

Answer Entries::doctor() {
  if (!session_.moves()) return refuse("nothing moves yet: there is nothing to look at");
  const Result<DoctorReport> report = session_.simulation()->doctor();
  if (!report) return refuse(report.error().message);
  return {report->sound(), api::doctor_text(*report, "<session>"), translate_lines(report->rendered, kAllEarlier)};
}

Answer Entries::compare() {
  CompareOptions options;
  options.compile = session_.compile_options(session_.set_values());
  options.stop = interrupt_flag();
  std::string text = session_.text();
  if (session_.model().ok() && session_.model().simulations().empty()) {  // accelerations need no time to run
    const std::string unit = unit_text(session_.model().time_unit());
    text += "simulate { time = 0" + unit + " .. 1" + unit + " step 0.001" + unit + " }\n";
    options.run = false;
  }
  Progress progress(0, 1);
  options.progress = [&progress](double part, const std::string& method) {
    progress.label(method);
    progress.update(part);
  };
  const Comparison made = compare_text(text, kSessionFile, options);
  progress.finish();
  const bool ok = made.status == Status::complete;
  return {ok, ok || made.status == Status::interrupted ? comparison_text(made) : "",
          translate_lines(made.rendered, kAllEarlier)};
}

}  // namespace mbc::tools
