// SPDX-License-Identifier: Apache-2.0
#include "tools/options/subcommands.h"

#include <charconv>
#include <cmath>
#include <tuple>

#include "base/numbers.h"
#include "base/read_file.h"
#include "mbc/mbc.h"
#include "tools/options/help_texts.h"

namespace mbc::tools {
namespace {

// Adds an option with a value, or a positional argument; `type` is shown in its place.
template <class T>
CLI::Option* option(CLI::App& app, const char* names, T& place, const char* type, const char* help) {
  return app.add_option(names, place, help)->type_name(type);
}
// Adds an option that may be given more than once, each time with one value.
void repeatable(CLI::App& app, const char* names, std::vector<std::string>& place, const char* type, const char* help) {
  option(app, names, place, type, help)->allow_extra_args(false);
}
CLI::Validator between(std::uint32_t least, std::uint32_t most) { return CLI::Range(least, most).description(""); }

void add_set(CLI::App& app, Raw& raw) {
  repeatable(app, "--set", raw.options.set, "X=V",
             "parameter, argument of an instance (c.length) or setting, e.g. --set \"R = 0.4 [m]\"; repeatable");
  repeatable(app, "--input", raw.inputs, "U=...",
             "signal of an input: a file of its samples, u=u.csv, or an expression, \"u = sin(t)\"; repeatable");
}

void add_formulation(CLI::App& app, Raw& raw) {
  option(app, "--formulation", raw.formulation, "F",
         "equations of motion: udwadia_kalaba, augmented, projection, kane, ...; as --set formulation=F");
}

void add_stdlib(CLI::App& app, Raw& raw) {
  option(app, "--stdlib", raw.options.stdlib, "DIR",
         "folder of .mbd modules in place of the standard library; DIR:DIR looks in the first, then the second")
      ->check([](const std::string& given) -> std::string {
        for (const std::string& folder : folders_in(given))
          if (const std::string wrong = CLI::ExistingDirectory(folder); !wrong.empty()) return wrong;
        return "";
      });
}

void add_diagnostics(CLI::App& app, Raw& raw) {
  option(app, "--diagnostics", raw.diagnostics, "FORM",
         "how diagnostics look on stderr: text, json (one object a line)")
      ->check(CLI::IsMember({"text", "json"}));
}

void add_json(CLI::App& app, Raw& raw, const char* what) { app.add_flag("--json", raw.options.print_json, what); }

void add_force(CLI::App& app, Raw& raw) {
  app.add_flag("--force", raw.options.force, "replace also a file that is no result of mbc");
}

void add_colour(CLI::App& app, Raw& raw) {
  option(app, "--colour,--color", raw.colour, "WHEN", "colours in diagnostics: auto (on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}, CLI::ignore_case));
}

// Without these options a model is interpreted at first, and compiled in parallel if the run is long enough.
void add_engine(CLI::App& app, Raw& raw) {
  app.add_flag("--interpret", raw.options.interpret, "run the interpreter, do not load LLVM");
  if (app.get_name() != "compare")  // compare times native code
    app.add_flag("--native", raw.options.native, "compile to native code before the first step, however short the run");
  app.add_flag("--no-cache", raw.options.no_cache, "neither look for compiled code in the cache nor keep it there");
}

void add_reporting(CLI::App& app, Raw& raw) {
  add_diagnostics(app, raw);
  app.add_flag("--time-passes", raw.options.time_passes, "table of the time each stage took, on stderr");
  add_colour(app, raw);
}

void add_compiling(CLI::App& app, Raw& raw) {
  option(app, "FILE", raw.options.file, "", "the model; - is standard input");
  add_set(app, raw);
  add_stdlib(app, raw);
  add_reporting(app, raw);
}

// CLI11 reads -1 and numbers that are too large as the largest number.
std::string no_count(const std::string& text) {
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, count);
  return problem == std::errc{} && stop == end ? "" : "`" + text + "` is no number of steps such as 0, 100 or 20000";
}

// CLI11's own check prints the largest double with 309 digits, and accepts nan.
std::string not_positive(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  const bool good = problem == std::errc{} && stop == end && std::isfinite(value) && value > 0;
  return good ? "" : "`" + text + "` is no positive number such as 1e-9";
}

std::string no_time(const std::string& text) {
  return text::seconds_in(text) ? "" : "`" + text + "` is no time such as 90s, 5min or 2h";
}

// Adds the limits that end a run between its steps.
void add_limits(CLI::App& app, Raw& raw) {
  Options& o = raw.options;
  const auto size = [](const std::string& text) {
    return text::bytes_in(text) ? "" : "`" + text + "` is no size such as 500MB or 2GiB";
  };
  option(app, "--max-steps", o.max_steps, "N", "end the run after so many steps")->check(no_count);
  option(app, "--max-time", o.max_time, "TIME", "end it after so much time on the clock")->check(no_time);
  option(app, "--max-output", o.max_output, "SIZE", "end it when the rows have this size")->check(size);
}

// Adds the options of checkpoints and limits.
void add_watch(CLI::App& app, Raw& raw) {
  option(app, "--every", raw.every, "TIME", "time between two checkpoints; default 60s")->check(no_time);
  add_limits(app, raw);
}

void add_run_options(CLI::App& run, Raw& raw) {
  Options& o = raw.options;
  option(run, "NAME", o.simulation, "", "which `simulate` block; default: the first");
  option(run, "-o,--output", o.output, "OUT.csv|OUT.h5", "CSV or HDF5 file for the rows; - is standard output");
  repeatable(run, "--variables", o.variables, "GLOB", "write only the columns that match, e.g. \"bob.*\"; repeatable");
  option(run, "--output-every", o.output_every, "N", "write every N-th step only")
      ->check(between(1, ~std::uint32_t{0}));
  option(run, "--summary", o.summary, "OUT.json", "write the summary as JSON");
  option(run, "--events", o.events, "OUT.csv|OUT.json", "write a list of the events that fired: time, event");
  option(run, "--until-event", o.until_event, "NAME", "end behind the first firing of this event");
  option(run, "--report", o.report, "OUT.html", "write a page with the motion as an animation, curves and summary");
  run.add_flag("--assemble", o.assemble, "accept the correction of an initial state that is off its constraints");
  run.add_flag("--quiet", o.quiet, "no summary and no progress bar");
  option(run, "--accuracy", o.accuracy, "local|global",
         "global: make a second, finer run and say how far it came out from this one")
      ->check(CLI::IsMember({"local", "global"}).description(""));
  add_json(run, raw, "the summary as JSON on stdout; rows go where -o or `save` says, else nowhere");
  add_force(run, raw);
  run.add_flag("--strict", o.strict, "exit with 4 after a warning of the run, say of its accuracy");
}

void add_run(CLI::App& run, Raw& raw) {
  add_formulation(run, raw);
  add_compiling(run, raw);
  add_run_options(run, raw);
  option(run, "--checkpoint", raw.options.checkpoint, "FILE", "save the run there now and then, for `mbc resume`");
  add_watch(run, raw);
  add_engine(run, raw);
}

void add_resume(CLI::App& resume, Raw& raw) {
  option(resume, "FILE", raw.options.file, "", "the checkpoint");
  add_watch(resume, raw);
  add_json(resume, raw, "the summary as JSON on stdout");
  resume.add_flag("--quiet", raw.options.quiet, "no summary and no progress bar");
  add_diagnostics(resume, raw);
  resume.add_flag("--time-passes", raw.options.time_passes, "table of the time each stage took, on stderr");
  add_colour(resume, raw);
}

void add_view(CLI::App& view, Raw& raw) {
  add_formulation(view, raw);
  add_compiling(view, raw);
  Options& o = raw.options;
  option(view, "NAME", o.simulation, "", "which `simulate` block; default: the first");
  option(view, "-o,--output", o.report, "OUT.html",
         "file for the page; default: a new one of the folder for temporary files");
  option(view, "--output-every", o.output_every, "N", "look at every N-th step only")
      ->check(between(1, ~std::uint32_t{0}));
  add_force(view, raw);
  view.add_flag("--assemble", o.assemble, "accept the correction of an initial state that is off its constraints");
  add_engine(view, raw);
  add_json(view, raw, "the place of the page as JSON");
  view.add_flag("--quiet", o.quiet, "no summary and no progress bar");
}

void add_plot(CLI::App& plot, Raw& raw) {
  Options& o = raw.options;
  option(plot, "RESULT", o.file, "", "the CSV or HDF5 file; - is CSV from standard input");
  option(plot, "COLUMNS", o.quantities, "",
         "names of columns, with commas between them, and `;` between pairs of axes; `x in [deg]`: in that unit");
  add_json(plot, raw, "the curves as JSON; with -o the name of the picture");
  option(plot, "--against", o.against, "X", "the column to the right in place of the time");
  repeatable(plot, "--with", o.results, "RESULT", "the same columns of another result in the same picture; repeatable");
  repeatable(plot, "--label", o.labels, "TEXT", "name of a curve, in place of its column's; in order, repeatable");
  option(plot, "--title", o.title, "TEXT", "title of the picture, in place of the file's name; \"\" for none");
  option(plot, "--log", o.log, "AXES", "logarithmic axes: x, y or xy")->check(CLI::IsMember({"x", "y", "xy"}));
  plot.add_flag("--equal", o.equal, "one unit is as long on both axes");
  option(plot, "--xlim", o.x_limits, "A..B", "limits of the horizontal axis");
  option(plot, "--ylim", o.y_limits, "A..B", "limits of the vertical axes");
  plot.add_flag("--points", o.points, "points without lines");
  plot.add_flag("--steps", o.steps, "each value until the next one");
  option(plot, "--by", o.by, "NAME", "a curve for each value of this column, such as a parameter of a sweep");
  option(plot, "--bars", o.bars, "WHAT",
         "error bars: deviation or range of the rows of one abscissa about their mean, or a column of half-lengths");
  option(plot, "--at-event", o.at_event, "EVENT",
         "only the rows at this event, of a run with `rows = events`: a Poincare section");
  option(plot, "--across", o.across, "N", "pairs of axes side by side; default: 1")->check(between(1, 12));
  option(plot, "-o,--output", o.output, "OUT.svg",
         "SVG, PNG, PDF, (.tex) PGFPlots or (.gp) gnuplot file; - is SVG on standard output");
  add_force(plot, raw);
  const auto size = between(20, 10000);
  option(plot, "--width", o.width, "N", "characters, with -o pixels; default: the terminal, 800")->check(size);
  option(plot, "--height", o.height, "N", "lines, with -o pixels; default: 20, 450, of poses as the motion asks for")
      ->check(between(5, 10000));
  plot.add_flag("--stroboscopic", o.stroboscopic, "poses of the motion at some times in one picture, with paths");
  option(plot, "--poses", o.poses, "N", "how many, at equal times; default: 10")->check(between(1, 200));
  option(plot, "--at", o.at, "TIMES", "the times of the poses, with commas between them");
  option(plot, "--plane", o.plane, "xz", "axis to the right and axis up; default: as the motion lies");
  plot.add_flag("--animation", o.animation, "the motion as a film: -o FILE.gif, .apng or .mp4 (by ffmpeg)");
  option(plot, "--seconds", o.seconds, "S", "how long the film is; default: as the motion, from 2 to 20")
      ->check(not_positive);
}

void add_check(CLI::App& check, Raw& raw) {
  add_compiling(check, raw);
  add_json(check, raw, "the answer as JSON");
}

void add_compile(CLI::App& compile, Raw& raw) {
  add_formulation(compile, raw);
  add_compiling(compile, raw);
  option(compile, "--emit", raw.options.emit, "STAGE", "the stage to show");
  option(compile, "-o,--output", raw.options.output, "OUT", "file to write; without it or with -, standard output");
  add_force(compile, raw);
  option(compile, "NAME", raw.options.simulation, "",
         "fmu, exe: the `simulate` block it moves by; default: the first, of exe all");
  option(compile, "--fmi", raw.options.fmi, "N", "fmu: version of the standard, 2 or 3 (default)")
      ->check(CLI::IsMember({2, 3}).description(""));
  add_json(compile, raw, "stage and text as JSON; with -o the file and its size");
  option(compile, "--prefix", raw.options.prefix, "PREFIX",
         "first part of the names of the functions; default: name of FILE");
  option(compile, "--cpu", raw.options.processor, "NAME",
         "processor code is made for: native, or a name such as x86-64-v3; default: the oldest");
}

void add_doctor(CLI::App& doctor, Raw& raw) {
  add_compiling(doctor, raw);
  option(doctor, "NAME", raw.options.simulation, "",
         "the `simulate` block whose motion is looked at; default: the first");
  option(doctor, "--samples", raw.options.samples, "N", "random states to look at")->check(between(0, 100000));
  add_json(doctor, raw, "the answer as JSON");
}

void add_linearize(CLI::App& linearize, Raw& raw) {
  add_formulation(linearize, raw);
  add_compiling(linearize, raw);
  Options& o = raw.options;
  option(linearize, "NAME", o.simulation, "", "which `simulate` block; default: the first");
  CLI::Option* at = option(linearize, "--at", o.at_time, "T",
                           "the state at this time of its run, which may go on behind its end; default: its beginning");
  linearize.add_flag("--equilibrium", o.at_equilibrium, "the equilibrium that is found from its beginning")
      ->excludes(at);
  linearize.add_flag("--csv", o.matrices, "[A B; C D] as CSV, with names, in full precision");
  add_json(linearize, raw, "the answer as JSON");
}

void add_equilibrium(CLI::App& equilibrium, Raw& raw) {
  add_formulation(equilibrium, raw);
  add_compiling(equilibrium, raw);
  Options& o = raw.options;
  option(equilibrium, "NAME", o.simulation, "", "the `simulate` block where the search begins; default: the first");
  option(equilibrium, "--starts", o.starts, "N", "search from so many drawn positions, too")->check(between(0, 100000));
  option(equilibrium, "--seed", o.seed, "N", "of the drawn positions");
  add_json(equilibrium, raw, "the answer as JSON");
}

void add_compare(CLI::App& compare, Raw& raw) {
  add_compiling(compare, raw);
  Options& o = raw.options;
  option(compare, "NAME", o.simulation, "",
         "which `simulate` block; default: the first. Or FILE and NAME are two results");
  option(compare, "--formulations", raw.formulations, "A,B,...",
         "which, separated by commas; default: all that are built");
  option(compare, "--bodies", raw.bodies, "A,B,...", "representations of free bodies; default: the one of the block");
  option(compare, "--samples", raw.samples, "N", "random states to compare accelerations at; default 100")
      ->check(between(0, 100000));
  option(compare, "--seed", o.seed, "N", "of the random states");
  option(compare, "--tolerance", o.tolerance, "X", "exit status 1 when a relative difference is above it")
      ->check(not_positive);
  compare.add_flag("--no-run", o.no_run, "accelerations only");
  option(compare, "--csv", o.csv, "OUT.csv", "the numbers as CSV; - is standard output, in place of the table");
  add_force(compare, raw);
  compare.add_flag("--json", o.print_json, "the answer as JSON");
  add_engine(compare, raw);
  compare.add_flag("--quiet", o.quiet, "no progress bar");
}

void add_sweep(CLI::App& sweep, Raw& raw) {
  add_compiling(sweep, raw);
  Options& o = raw.options;
  option(sweep, "NAME", o.simulation, "", "which `sweep` block, or the `simulate` block --vary is for");
  repeatable(sweep, "--vary", o.vary, "X=A..B",
             "values of a parameter, input or argument of an instance (c.n), as in a `sweep` block; repeatable");
  repeatable(sweep, "--record", o.record, "EXPR", "expression to record, e.g. \"max_over(bob.z)\"; repeatable");
  option(sweep, "--members", raw.members, "A..B", "only these members, by number: 17, 100..199, 200..");
  option(sweep, "--join", o.join, "PART.csv", "one result of the parts that --members has made");
  option(sweep, "--jobs", o.jobs, "N", "threads; default: one for each core")->check(between(1, 1024));
  option(sweep, "-o,--output", o.output, "OUT.csv", "file for the rows; - is standard output");
  add_force(sweep, raw);
  sweep.add_flag("--json", o.print_json, "one JSON object a member, in place of CSV");
  option(sweep, "--report", o.report, "OUT.html",
         "write a page with a map of the members and motions to be opened by a click");
  option(sweep, "--motions", o.motions, "N", "most members whose motion the page holds; default: 50")
      ->check(between(0, 1000));
  sweep.add_flag("--assemble", o.assemble, "accept the correction of initial states that are off their constraints");
  add_engine(sweep, raw);
  sweep.add_flag("--quiet", o.quiet, "no summary and no progress bar");
}

void add_info(CLI::App& info, Raw& raw) {
  add_compiling(info, raw);
  add_json(info, raw, "the answer as JSON");
}

void add_equations(CLI::App& equations, Raw& raw) {
  add_formulation(equations, raw);
  add_compiling(equations, raw);
  EquationsRequest& wanted = raw.options.equations;
  repeatable(equations, "--of", wanted.of, "NAME",
             "only these: M, f, constraints, \"M[1,2]\", a coordinate, a row, a part of the model; repeatable");
  repeatable(equations, "--with", raw.with, "X[=V]",
             "write the parameter X as a number, its own or V, e.g. --with \"m = 2 [kg]\"; repeatable");
  equations.add_flag_callback(
      "--derivation", [&wanted] { wanted.derivation = wanted.places = true; },
      "with the first derivative of every constraint and its place in the text");
  equations.add_flag("--ascii", wanted.ascii, "text without Greek letters and raised exponents, as in models");
  equations.add_flag("--fragments", wanted.fragments, "with --latex: equations with labels, without a document around");
  using Form = EquationsRequest::Form;
  const std::tuple<const char*, Form, const char*> forms[] = {
      {"--latex", Form::latex, "a document for pdflatex"},
      {"--markdown", Form::markdown, "Markdown with formulas for MathJax"},
      {"--json", Form::json, "the equations as JSON"},
      {"--c", Form::c, "source code: y' = rhs(t, y, p) in C"},
      {"--python", Form::python, "the same in Python with numpy"},
      {"--octave", Form::octave, "the same for GNU Octave and MATLAB"},
      {"--sympy", Form::sympy, "the same in Python with SymPy"},
      {"--julia", Form::julia, "the same in Julia"},
      {"--mbd", Form::mbd, "the equations in the language of models, as outputs of parameters and inputs"}};
  for (const auto& [name, form, help] : forms) {
    const auto choose = [&raw, form = form] {
      raw.options.equations.form = form;
      ++raw.equation_forms;
    };
    equations.add_flag_callback(name, choose, help);
  }
  option(equations, "-o,--output", raw.options.output, "OUT", "file to write; without it or with -, standard output");
  add_force(equations, raw);
}

void add_import_file(CLI::App& import, Raw& raw) {
  Options& o = raw.options;
  option(import, "FILE", o.file, "", "the URDF, SDF or MJCF file; - is standard input");
  option(import, "-o,--output", o.output, "OUT.mbd", "file for the model; without it or with -, standard output");
  add_force(import, raw);
  option(import, "--base", raw.base, "HOW", "of URDF: the root link, fixed to the ground (default) or free")
      ->check(CLI::IsMember({"fixed", "free"}));
  repeatable(import, "--models", o.models, "DIR",
             "of SDF: folder of models that the file includes, model://NAME is DIR/NAME; repeatable");
  option(import, "--keyframe", o.keyframe, "NAME", "of MJCF: where the motion begins; else the first keyframe");
  import.add_flag("--repair", o.repair, "make tensors of inertia physical that no body can have, and say so");
  import.add_flag("--names", o.names, "print the names that differ from those of the file");
  add_json(import, raw, "names, what was not taken over and, without -o, the text as JSON");
  import.add_flag("--quiet", o.quiet, "do not say what was not taken over");
  add_diagnostics(import, raw);
}

void add_explain(CLI::App& explain, Raw& raw) {
  option(explain, "CODE", raw.options.code, "", "for example E0302; or a model, with a ROW of it");
  option(explain, "ROW", raw.options.row, "", "of the model: how it is derived, its numbers where the motion begins");
  add_set(explain, raw);
  add_stdlib(explain, raw);
  add_diagnostics(explain, raw);
  add_json(explain, raw, "the answer as JSON");
  explain.add_flag("--list", raw.options.list, "all codes with their names");
}

void add_examples(CLI::App& examples, Raw& raw) {
  option(examples, "NAME", raw.options.code, "", "of the example");
  option(examples, "-o", raw.options.output, "FILE", "a copy under this name");
  add_json(examples, raw, "the answer as JSON");
}

void add_begin(CLI::App& begin, Raw& raw) {
  option(begin, "NAME", raw.options.code, "", "NAME.mbd is written; a file that is there already stays");
  add_json(begin, raw, "the name of the file as JSON");
}

void add_document(CLI::App& doc, Raw& raw) {
  add_json(doc, raw, "the answer as JSON");
  option(doc, "NAME", raw.options.code, "", "of a module, a part, a word of the language or a diagnostic");
}

void add_expressions(CLI::App& app, Raw& raw) {
  repeatable(app, "-e,--eval", raw.options.expressions, "TEXT",
             "evaluate this (a statement, an expression, `run 5`) and end; repeatable");
}

void add_repl(CLI::App& repl, Raw& raw) {
  option(repl, "FILE", raw.options.file, "", "a model to begin with");
  add_json(repl, raw, "with -e: one JSON object an entry");
  repeatable(repl, "--set", raw.options.set, "X=V", "parameter or setting of the model; repeatable");
  add_expressions(repl, raw);
  add_colour(repl, raw);
}

void add_test(CLI::App& test, Raw& raw) {
  option(test, "FILE", raw.options.files, "", "the models; - is standard input");
  add_set(test, raw);
  add_engine(test, raw);
  test.add_flag("--both", raw.options.both,
                "run each test twice, interpreted and as native code; the motions must agree");
  test.add_flag("--json", raw.options.json_tests, "one JSON object a test on stdout");
  add_diagnostics(test, raw);
  add_colour(test, raw);
}

void add_fmt(CLI::App& fmt, Raw& raw) {
  option(fmt, "FILE", raw.options.files, "", "the models; - is standard input");
  add_json(fmt, raw, "which files change, as JSON");
  fmt.add_flag("--check", raw.options.only_check, "change nothing, name the files that would change");
  add_colour(fmt, raw);
}

void add_lsp(CLI::App& lsp, Raw& raw) {
  add_stdlib(lsp, raw);
  lsp.add_flag("--stdio", raw.options.list, "standard input and output, which is the only way; clients say so");
}

void add_jupyter(CLI::App& jupyter, Raw& raw) {
  option(jupyter, "WHAT", raw.options.code, "",
         "install, or serve: a session as lines of JSON, which the kernel starts")
      ->check(CLI::IsMember({"install", "serve"}));
  add_json(jupyter, raw, "the folder of the kernel as JSON; `serve` talks in JSON in any case");
  option(jupyter, "--prefix", raw.options.prefix, "DIR", "install into DIR/share/jupyter, not for the user alone");
  option(jupyter, "--python", raw.options.python, "PROGRAM", "the Python that has ipykernel");
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
  const auto add = [&](const char* word, const char* what, const char* footer, auto& options) {
    CLI::App& made = *app.add_subcommand(word, what);
    made.footer(footer);
    options(made, raw);
  };
#define MBC_VERB(command, word, function, missing, example, footer, what) add(word, what, footer, add_##command);
#include "tools/verbs.def"
}

}  // namespace mbc::tools
