// SPDX-License-Identifier: Apache-2.0
#include "tools/options/subcommands.h"

#include <charconv>
#include <cmath>

#include "base/numbers.h"
#include "base/read_file.h"
#include "mbc/mbc.h"
#include "tools/options/help_texts.h"

namespace mbc::tools {
namespace {

void add_set(CLI::App& app, Raw& raw) {
  app.add_option("--set", raw.options.set,
                 "parameter, argument of an instance (c.length) or setting, e.g. --set \"R = 0.4 [m]\"; repeatable")
      ->type_name("X=V")
      ->allow_extra_args(false);
  app.add_option("--input", raw.inputs,
                 "course of an input: a file of its samples, u=u.csv, or an expression, \"u = sin(t)\"; repeatable")
      ->type_name("U=...")
      ->allow_extra_args(false);
}

void add_formulation(CLI::App& app, Raw& raw) {
  app.add_option("--formulation", raw.formulation,
                 "equations of motion: udwadia_kalaba, augmented, projection, kane, ...; as --set formulation=F")
      ->type_name("F");
}

void add_stdlib(CLI::App& app, Raw& raw) {
  app.add_option("--stdlib", raw.options.stdlib,
                 "folder of .mbd modules in place of the standard library; DIR:DIR looks in the first, then the second")
      ->type_name("DIR")
      ->check([](const std::string& given) -> std::string {
        for (const std::string& folder : folders_in(given))
          if (const std::string wrong = CLI::ExistingDirectory(folder); !wrong.empty()) return wrong;
        return "";
      });
}

void add_diagnostics(CLI::App& app, Raw& raw) {
  app.add_option("--diagnostics", raw.diagnostics, "how diagnostics look on stderr: text, json (one object a line)")
      ->type_name("FORM")
      ->check(CLI::IsMember({"text", "json"}));
}

void add_json(CLI::App& app, Raw& raw, const char* what) { app.add_flag("--json", raw.options.print_json, what); }

void add_force(CLI::App& app, Raw& raw) {
  app.add_flag("--force", raw.options.force, "replace also a file that is no result of mbc");
}

void add_colour(CLI::App& app, Raw& raw) {
  app.add_option("--colour,--color", raw.colour, "colours in diagnostics: auto (on a terminal), always, never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}, CLI::ignore_case));
}

// Without them a model is interpreted at first, and compiled beside when the run is long enough for it.
void add_engine(CLI::App& app, Raw& raw) {
  app.add_flag("--interpret", raw.options.interpret, "run the interpreter, do not load LLVM");
  if (app.get_name() != "compare")  // which times native code
    app.add_flag("--native", raw.options.native, "compile to native code before the first step, however short the run");
  app.add_flag("--no-cache", raw.options.no_cache, "neither look for compiled code in the cache nor keep it there");
}

void add_reporting(CLI::App& app, Raw& raw) {
  add_diagnostics(app, raw);
  app.add_flag("--time-passes", raw.options.time_passes, "table of the time each stage took, on stderr");
  add_colour(app, raw);
}

void add_compiling(CLI::App& app, Raw& raw) {
  app.add_option("FILE", raw.options.file, "the model; - is standard input")->type_name("");
  add_set(app, raw);
  add_stdlib(app, raw);
  add_reporting(app, raw);
}

// CLI11 takes -1 for the largest number there is, and what is too large for it as well.
std::string no_count(const std::string& text) {
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, count);
  return problem == std::errc{} && stop == end ? "" : "`" + text + "` is no number of steps such as 0, 100 or 20000";
}

// CLI11's own says the largest double in 309 digits, and lets nan pass.
std::string not_positive(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  const bool good = problem == std::errc{} && stop == end && std::isfinite(value) && value > 0;
  return good ? "" : "`" + text + "` is no positive number such as 1e-9";
}

// What ends a run between its steps.
void add_limits(CLI::App& app, Raw& raw) {
  Options& o = raw.options;
  const auto time = [](const std::string& text) {
    return text::seconds_in(text) ? "" : "`" + text + "` is no time such as 90s, 5min or 2h";
  };
  const auto size = [](const std::string& text) {
    return text::bytes_in(text) ? "" : "`" + text + "` is no size such as 500MB or 2GiB";
  };
  app.add_option("--max-steps", o.max_steps, "end the run after so many steps")->type_name("N")->check(no_count);
  app.add_option("--max-time", o.max_time, "end it after so much time on the clock")->type_name("TIME")->check(time);
  app.add_option("--max-output", o.max_output, "end it when the rows have this size")->type_name("SIZE")->check(size);
}

// What looks at it there.
void add_watch(CLI::App& app, Raw& raw) {
  app.add_option("--every", raw.every, "time between two checkpoints; default 60s")
      ->type_name("TIME")
      ->check([](const std::string& text) {
        return text::seconds_in(text) ? "" : "`" + text + "` is no time such as 90s, 5min or 2h";
      });
  add_limits(app, raw);
}

void add_run_options(CLI::App& run, Raw& raw) {
  Options& o = raw.options;
  run.add_option("NAME", o.simulation, "which `simulate` block, when there are several")->type_name("");
  run.add_option("-o,--output", o.output, "CSV or HDF5 file for the rows; - is standard output")
      ->type_name("OUT.csv|OUT.h5");
  run.add_option("--variables", o.variables, "write only the columns that match, e.g. \"bob.*\"; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  run.add_option("--output-every", o.output_every, "write every N-th step only")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, ~std::uint32_t{0}).description(""));
  run.add_option("--summary", o.summary, "write the summary as JSON")->type_name("OUT.json");
  run.add_option("--events", o.events, "write a list of the events that fired: time, event")
      ->type_name("OUT.csv|OUT.json");
  run.add_option("--until-event", o.until_event, "end behind the first firing of this event")->type_name("NAME");
  run.add_option("--report", o.report, "write a page with the motion as an animation, curves and summary")
      ->type_name("OUT.html");
  run.add_flag("--assemble", o.assemble, "accept the correction of an initial state that is off its constraints");
  run.add_flag("--quiet", o.quiet, "no summary and no progress bar");
  run.add_option("--accuracy", o.accuracy, "global: make a second, finer run and say how far it came out from this one")
      ->type_name("local|global")
      ->check(CLI::IsMember({"local", "global"}).description(""));
  add_json(run, raw, "the summary as JSON on stdout; rows go where -o or `save` says, else nowhere");
  add_force(run, raw);
  run.add_flag("--strict", o.strict, "exit with 4 after a warning of the run, say of its accuracy");
}

void add_run(CLI::App& app, Raw& raw) {
  CLI::App* run = app.add_subcommand("run", "run a simulation of a model");
  add_formulation(*run, raw);
  run->footer(kRunFooter);
  add_compiling(*run, raw);
  add_run_options(*run, raw);
  run->add_option("--checkpoint", raw.options.checkpoint, "save the run there now and then, for `mbc resume`")
      ->type_name("FILE");
  add_watch(*run, raw);
  add_engine(*run, raw);
}

void add_resume(CLI::App& app, Raw& raw) {
  CLI::App* resume = app.add_subcommand("resume", "go on with a run from its checkpoint");
  resume->footer(kResumeFooter);
  resume->add_option("FILE", raw.options.file, "the checkpoint")->type_name("");
  add_watch(*resume, raw);
  add_json(*resume, raw, "the summary as JSON on stdout");
  resume->add_flag("--quiet", raw.options.quiet, "no summary and no progress bar");
  add_diagnostics(*resume, raw);
  resume->add_flag("--time-passes", raw.options.time_passes, "table of the time each stage took, on stderr");
  add_colour(*resume, raw);
}

void add_view(CLI::App& app, Raw& raw) {
  CLI::App* view = app.add_subcommand("view", "open the motion of a model, or of a result, in the browser");
  add_formulation(*view, raw);
  view->footer(kViewFooter);
  add_compiling(*view, raw);
  Options& o = raw.options;
  view->add_option("NAME", o.simulation, "which `simulate` block, when there are several")->type_name("");
  view->add_option("-o,--output", o.report, "file for the page; default: a new one of the folder for temporary files")
      ->type_name("OUT.html");
  view->add_option("--output-every", o.output_every, "look at every N-th step only")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, ~std::uint32_t{0}).description(""));
  add_force(*view, raw);
  view->add_flag("--assemble", o.assemble, "accept the correction of an initial state that is off its constraints");
  add_engine(*view, raw);
  add_json(*view, raw, "the place of the page as JSON");
  view->add_flag("--quiet", o.quiet, "no summary and no progress bar");
}

void add_plot(CLI::App& app, Raw& raw) {
  CLI::App* plot = app.add_subcommand("plot", "draw columns of a result in the terminal, as SVG, PNG or PDF");
  plot->footer(kPlotFooter);
  Options& o = raw.options;
  plot->add_option("RESULT", o.file, "the CSV or HDF5 file; - is CSV from standard input")->type_name("");
  plot->add_option("COLUMNS", o.quantities, "names of columns, with commas between them; `x in [deg]`: in that unit")
      ->type_name("");
  add_json(*plot, raw, "the curves as JSON; with -o the name of the picture");
  plot->add_option("--against", o.against, "the column to the right in place of the time")->type_name("X");
  plot->add_option("-o,--output", o.output, "SVG, PNG or PDF file; - is SVG on standard output")->type_name("OUT.svg");
  add_force(*plot, raw);
  const auto size = CLI::Range(std::uint32_t{20}, std::uint32_t{10000}).description("");
  plot->add_option("--width", o.width, "characters, with -o pixels; default: the terminal, 800")
      ->type_name("N")
      ->check(size);
  plot->add_option("--height", o.height, "lines, with -o pixels; default: 20, 450, of poses as the motion asks for")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{5}, std::uint32_t{10000}).description(""));
  plot->add_flag("--stroboscopic", o.stroboscopic, "poses of the motion at some times in one picture, with paths");
  plot->add_option("--poses", o.poses, "how many, at equal times; default: 10")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{200}).description(""));
  plot->add_option("--at", o.at, "the times of the poses, with commas between them")->type_name("TIMES");
  plot->add_option("--plane", o.plane, "axis to the right and axis up; default: as the motion lies")->type_name("xz");
}

void add_check(CLI::App& app, Raw& raw) {
  CLI::App* check = app.add_subcommand("check", "report what is wrong in a model, run nothing");
  check->footer(kCheckFooter);
  add_compiling(*check, raw);
  add_json(*check, raw, "the answer as JSON");
}

void add_compile(CLI::App& app, Raw& raw) {
  CLI::App* compile = app.add_subcommand("compile", "print or write what a stage of the compiler produces");
  add_formulation(*compile, raw);
  compile->footer(kCompileFooter);
  add_compiling(*compile, raw);
  compile->add_option("--emit", raw.options.emit, "the stage to show")->type_name("STAGE");
  compile->add_option("-o,--output", raw.options.output, "file to write; without it or with -, standard output")
      ->type_name("OUT");
  add_force(*compile, raw);
  compile
      ->add_option("NAME", raw.options.simulation,
                   "fmu, exe: the `simulate` block it moves by; default: the first, of exe all")
      ->type_name("");
  compile->add_option("--fmi", raw.options.fmi, "fmu: version of the standard, 2 or 3 (default)")
      ->type_name("N")
      ->check(CLI::IsMember({2, 3}).description(""));
  add_json(*compile, raw, "stage and text as JSON; with -o the file and its size");
  compile->add_option("--prefix", raw.options.prefix, "first part of the names of the functions; default: name of FILE")
      ->type_name("PREFIX");
  compile
      ->add_option("--cpu", raw.options.processor,
                   "processor code is made for: native, or a name such as x86-64-v3; default: the oldest")
      ->type_name("NAME");
}

void add_doctor(CLI::App& app, Raw& raw) {
  CLI::App* doctor = app.add_subcommand("doctor", "degrees of freedom, redundant rows, singular positions of a model");
  doctor->footer(kDoctorFooter);
  add_compiling(*doctor, raw);
  doctor
      ->add_option("NAME", raw.options.simulation, "the `simulate` block whose motion is looked at; default: the first")
      ->type_name("");
  doctor->add_option("--samples", raw.options.samples, "random states to look at")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{0}, std::uint32_t{100000}).description(""));
  add_json(*doctor, raw, "the answer as JSON");
}

void add_compare(CLI::App& app, Raw& raw) {
  CLI::App* compare = app.add_subcommand("compare", "formulations and representations of bodies against each other");
  compare->footer(kCompareFooter);
  add_compiling(*compare, raw);
  Options& o = raw.options;
  compare->add_option("NAME", o.simulation, "which `simulate` block, when there are several")->type_name("");
  compare->add_option("--formulations", raw.formulations, "which, separated by commas; default: all that are built")
      ->type_name("A,B,...");
  compare->add_option("--bodies", raw.bodies, "representations of free bodies; default: the one of the block")
      ->type_name("A,B,...");
  compare->add_option("--samples", raw.samples, "random states to compare accelerations at; default 100")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{0}, std::uint32_t{100000}).description(""));
  compare->add_option("--seed", o.seed, "of the random states")->type_name("N");
  compare->add_option("--tolerance", o.tolerance, "exit status 1 when a relative difference is above it")
      ->type_name("X")
      ->check(not_positive);
  compare->add_flag("--no-run", o.no_run, "accelerations only");
  compare->add_option("--csv", o.csv, "the numbers as CSV; - is standard output, in place of the table")
      ->type_name("OUT.csv");
  add_force(*compare, raw);
  compare->add_flag("--json", o.print_json, "the answer as JSON");
  add_engine(*compare, raw);
  compare->add_flag("--quiet", o.quiet, "no progress bar");
}

void add_sweep(CLI::App& app, Raw& raw) {
  CLI::App* sweep = app.add_subcommand("sweep", "run a simulation for many values of parameters");
  sweep->footer(kSweepFooter);
  add_compiling(*sweep, raw);
  Options& o = raw.options;
  sweep->add_option("NAME", o.simulation, "which `sweep` block, or the `simulate` block --vary is for")->type_name("");
  sweep
      ->add_option("--vary", o.vary,
                   "values of a parameter, input or argument of an instance (c.n), as in a `sweep` block; repeatable")
      ->type_name("X=A..B")
      ->allow_extra_args(false);
  sweep->add_option("--record", o.record, "expression to record, e.g. \"max_over(bob.z)\"; repeatable")
      ->type_name("EXPR")
      ->allow_extra_args(false);
  sweep->add_option("--jobs", o.jobs, "threads; default: one for each core")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1024}).description(""));
  sweep->add_option("-o,--output", o.output, "file for the rows; - is standard output")->type_name("OUT.csv");
  add_force(*sweep, raw);
  sweep->add_flag("--json", o.print_json, "one JSON object a member, in place of CSV");
  sweep->add_option("--report", o.report, "write a page with a map of the members and motions to be opened by a click")
      ->type_name("OUT.html");
  sweep->add_option("--motions", o.motions, "most members whose motion the page holds; default: 50")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{0}, std::uint32_t{1000}).description(""));
  sweep->add_flag("--assemble", o.assemble, "accept the correction of initial states that are off their constraints");
  add_engine(*sweep, raw);
  sweep->add_flag("--quiet", o.quiet, "no summary and no progress bar");
}

void add_info(CLI::App& app, Raw& raw) {
  CLI::App* info = app.add_subcommand("info", "what a model consists of");
  info->footer(kInfoFooter);
  add_compiling(*info, raw);
  add_json(*info, raw, "the answer as JSON");
}

void add_explain(CLI::App& app, Raw& raw) {
  CLI::App* explain = app.add_subcommand("explain", "what a diagnostic means and how to get rid of it");
  explain->footer(kExplainFooter);
  explain->add_option("CODE", raw.options.code, "for example E0302")->type_name("");
  add_json(*explain, raw, "the answer as JSON");
  explain->add_flag("--list", raw.options.list, "all codes with their names");
}

void add_shipped(CLI::App& app, Raw& raw) {
  CLI::App* examples = app.add_subcommand("examples", "models that come with mbc: a list, one of them, a copy");
  examples->footer(kExamplesFooter);
  examples->add_option("NAME", raw.options.code, "of the example")->type_name("");
  examples->add_option("-o", raw.options.output, "a copy under this name")->type_name("FILE");
  add_json(*examples, raw, "the answer as JSON");
  CLI::App* begin = app.add_subcommand("new", "a model with comments to begin with");
  begin->add_option("NAME", raw.options.code, "NAME.mbd is written; a file that is there already stays")->type_name("");
  add_json(*begin, raw, "the name of the file as JSON");
  CLI::App* doc =
      app.add_subcommand("doc", "parts of the library, statements, functions, settings: what they are and take");
  doc->footer(kDocFooter);
  add_json(*doc, raw, "the answer as JSON");
  doc->add_option("NAME", raw.options.code, "of a module, a part, a word of the language or a diagnostic")
      ->type_name("");
}

void add_expressions(CLI::App& app, Raw& raw) {
  app.add_option("-e,--eval", raw.options.expressions,
                 "evaluate this (a statement, an expression, `run 5`) and end; repeatable")
      ->type_name("TEXT")
      ->allow_extra_args(false);
}

void add_repl(CLI::App& app, Raw& raw) {
  CLI::App* repl = app.add_subcommand("repl", "statements and expressions from the keyboard or a pipe");
  repl->footer(kReplFooter);
  repl->add_option("FILE", raw.options.file, "a model to begin with")->type_name("");
  add_json(*repl, raw, "with -e: one JSON object an entry");
  repl->add_option("--set", raw.options.set, "parameter or setting of the model; repeatable")
      ->type_name("X=V")
      ->allow_extra_args(false);
  add_expressions(*repl, raw);
  add_colour(*repl, raw);
}

void add_test(CLI::App& app, Raw& raw) {
  CLI::App* test = app.add_subcommand("test", "run the `test` blocks of models");
  test->footer(kTestFooter);
  test->add_option("FILE", raw.options.files, "the models; - is standard input")->type_name("");
  add_set(*test, raw);
  add_engine(*test, raw);
  test->add_flag("--both", raw.options.both,
                 "run each test twice, interpreted and as native code; the motions must agree");
  test->add_flag("--json", raw.options.json_tests, "one JSON object a test on stdout");
  add_diagnostics(*test, raw);
  add_colour(*test, raw);
}

void add_fmt(CLI::App& app, Raw& raw) {
  CLI::App* fmt = app.add_subcommand("fmt", "lay out the text of models");
  fmt->footer(kFmtFooter);
  fmt->add_option("FILE", raw.options.files, "the models; - is standard input")->type_name("");
  add_json(*fmt, raw, "which files change, as JSON");
  fmt->add_flag("--check", raw.options.only_check, "change nothing, name the files that would change");
  add_colour(*fmt, raw);
}

void add_lsp(CLI::App& app, Raw& raw) {
  CLI::App* lsp = app.add_subcommand("lsp", "language server, for editors");
  lsp->footer(kLspFooter);
  add_stdlib(*lsp, raw);
  lsp->add_flag("--stdio", raw.options.list, "standard input and output, which is the only way; clients say so");
}

void add_jupyter(CLI::App& app, Raw& raw) {
  CLI::App* jupyter = app.add_subcommand("jupyter", "a kernel for notebooks");
  jupyter->footer(kJupyterFooter);
  jupyter
      ->add_option("WHAT", raw.options.code, "install, or serve: a session as lines of JSON, which the kernel starts")
      ->type_name("")
      ->check(CLI::IsMember({"install", "serve"}));
  add_json(*jupyter, raw, "the folder of the kernel as JSON; `serve` talks in JSON in any case");
  jupyter->add_option("--prefix", raw.options.prefix, "install into DIR/share/jupyter, not for the user alone")
      ->type_name("DIR");
  jupyter->add_option("--python", raw.options.python, "the Python that has ipykernel")->type_name("PROGRAM");
}

}  // namespace

void add_program_options(CLI::App& app, Raw& raw) {
  add_formulation(app, raw);
  add_set(app, raw);
  add_run_options(app, raw);
  add_limits(app, raw);
  app.add_flag("--interpret", raw.options.interpret, "run the interpreter, not the native code");
  app.add_flag("--native", raw.options.native, "native code from the first step on; fail where a function has none");
  add_reporting(app, raw);
}

void add_subcommands(CLI::App& app, Raw& raw) {
  add_colour(app, raw);
  add_expressions(app, raw);
  add_run(app, raw);
  add_resume(app, raw);
  add_view(app, raw);
  add_plot(app, raw);
  add_check(app, raw);
  add_compile(app, raw);
  add_test(app, raw);
  add_fmt(app, raw);
  add_explain(app, raw);
  add_shipped(app, raw);
  add_doctor(app, raw);
  add_compare(app, raw);
  add_sweep(app, raw);
  add_info(app, raw);
  add_repl(app, raw);
  add_lsp(app, raw);
  add_jupyter(app, raw);
}

}  // namespace mbc::tools
