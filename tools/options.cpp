// SPDX-License-Identifier: Apache-2.0
#include "tools/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>

#include "base/numbers.h"
#include "base/read_file.h"
#include "base/text.h"
#include "mbc/mbc.h"
#include "tools/report.h"

namespace mbc::tools {
namespace {

constexpr const char* kDescription = "mbc: compiles and runs models of constrained mechanics (.mbd)";

constexpr const char* kMainFooter =
    R"(Without a command, mbc reads statements and expressions from the keyboard or a pipe.

Examples:
  mbc new pendulum                                       a model to begin with
  mbc run pendulum.mbd -o pendulum.csv
  mbc view pendulum.mbd                                  run it and see it in the browser
  mbc check pendulum.mbd
  printf 'param g = 9.81\n2*g\n' | mbc

libmbc-jit.so, which makes native code, is looked for beside mbc, in ../lib from there, and in $MBC_LIBRARY_PATH.

Exit status: 0 all went well, 1 the model has errors or a test failed, 2 wrong command line, or native code was demanded
(--native, --both, compile) and cannot be had, 3 inconsistent initial state,
4 the integration stopped, 5 a limit (--max-steps, --max-time, --max-output) ended the run, 70 internal error, 74 output could not be written, 130 interrupted.)";

constexpr const char* kRunFooter =
    R"(The rows go to FILE.csv of -o, else to the file `save` of the simulate block names (relative to the model),
else to standard output; a terminal gets the first and last rows only. FILE.csv.json beside it holds units and settings.
They are written as FILE.csv.partial and take their names when the run is complete, so a result that is there is never half
replaced. Rows of a run that ends early take them too, marked so in FILE.csv.json, where no whole result would be lost.
Ctrl-C ends the run after its step and keeps what was written; a second one ends mbc at once.
--checkpoint saves the run every minute (or --every) and where it ends early; `mbc resume` goes on from there with the same bits.
A run begins by the interpreter; a long one changes over to native code, compiled beside it, with the same results bit for bit.
Compiled code is kept in $MBC_CACHE (off: nowhere), else in $XDG_CACHE_HOME/mbc or ~/.cache/mbc, at most 256 MB.

Examples:
  mbc run pendulum.mbd                                   run its `simulate` block
  mbc run pendulum.mbd swing -o swing.csv                run `simulate swing`, rows to swing.csv
  mbc run pendulum.mbd --set "R = 0.4 [m]" --set time.end=20
  mbc run pendulum.mbd --checkpoint swing.check --every 5min
  mbc run pendulum.mbd --report swing.html               a page with the motion, curves and summary
  generate_model | mbc run - | plot_rows                 model from a pipe, rows to a pipe)";

constexpr const char* kResumeFooter =
    R"(Goes on with a run that `mbc run --checkpoint FILE` has left: interrupted, ended by a limit, or killed. Model, modules and settings
have to be those of the run. Rows that were written behind the checkpoint are written again; rows and summary are those of a run that
was not left, bit for bit, or within the tolerance where the method for stiff problems was at work. FILE is replaced by later
checkpoints and removed when the run is complete. Exit status 2: FILE is no checkpoint, is damaged, or of something else.

Examples:
  mbc resume swing.check
  mbc resume swing.check --max-time 8h)";

constexpr const char* kViewFooter =
    R"(Runs a simulation as `mbc run` does and writes one HTML file with the motion as an animation, curves of all columns, the
summary, parameters and the text of the model; no CSV file is written. The page needs no network and no other file. Without -o it
goes to a new file of the folder for temporary files. Its path is printed, and where there is a display it is opened (xdg-open).
A run that stops early is shown up to where it came.

Examples:
  mbc view pendulum.mbd
  mbc view pendulum.mbd swing -o swing.html --set "R = 0.4 [m]")";

constexpr const char* kPlotFooter =
    R"(Curves of columns of a CSV file that `mbc run -o` wrote, over the time or over another column. A name with dots and a star stands for
all columns that begin so (`p.*`); without names the outputs are drawn, or else the first columns. Units are those of RESULT.csv.json.
Without -o the picture goes to the terminal, in braille characters; -o writes SVG.

Examples:
  mbc plot swing.csv bob.z
  mbc plot swing.csv "E, T" --width 100
  mbc plot swing.csv "hinge.angle in [deg]" -o angle.png
  mbc plot swing.csv bob.vz --against bob.z -o phase.svg)";

constexpr const char* kCheckFooter = R"(Examples:
  mbc check pendulum.mbd
  mbc check pendulum.mbd --diagnostics=json              one JSON object a line on stderr, for editors
  mbc check pendulum.mbd --json                          one JSON object on stdout: ok, sizes, diagnostics)";

constexpr const char* kCompileFooter =
    R"(Stages: ast, model, system, kernel, jacobian (partial derivatives, for `bdf`), llvm-ir, asm, obj, so, header, fmu. An object file holds
PREFIX_rhs and its kin and needs libmbc_support.a only, a shared object (linked by cc) nothing; the header has their signatures,
sizes, names and values. The ending of OUT picks the stage when --emit is not given: .o obj, .so so, .h header, .s asm, .ll llvm-ir,
.fmu fmu: the model for importers of FMI, as a unit for Co-Simulation that moves by the `simulate` block NAME.

Examples:
  mbc compile pendulum.mbd --emit=kernel                 what is computed in every step
  mbc compile pendulum.mbd --emit=system -o system.txt
  mbc compile pendulum.mbd -o pendulum.o --prefix=swing  functions swing_rhs, ...
  mbc compile pendulum.mbd -o pendulum.h --prefix=swing  and what a program in C needs to call them
  mbc compile pendulum.mbd -o pendulum.o --cpu=native    with the fused multiply-adds of this machine
  mbc compile pendulum.mbd swing -o pendulum.fmu         by FMI 3; --fmi 2 for importers of FMI 2)";

constexpr const char* kDoctorFooter =
    R"(Degrees of freedom, redundant and contradicting rows by name, coordinates that nothing determines, the rank at the initial
state, at random states on the constraints and along the motion of a `simulate` block, and what that motion conserves.
Exit status 0: the model can run; 3: the initial state is off or rows contradict each other; 4: the motion is not determined, or stops.

Examples:
  mbc doctor four_bar.mbd
  mbc doctor four_bar.mbd swing --samples 100 --json)";

constexpr const char* kCompareFooter =
    R"(Every formulation (a list of them with --formulations), with the bodies as the block has them or each representation of --bodies:
the number of equations, unknowns and states; differences of the accelerations at random consistent states and of the recorded rows
from the first method that can be applied; errors of energy and constraints; the time of a right-hand side and of a run. A method that
cannot be applied stays in the table with the reason. `--set NAME.formulation=kane` fixes the formulation of the block NAME.
Exit status 1: fewer than two of several methods could be applied, or they differ by more than --tolerance.

Examples:
  mbc compare pendulum.mbd
  mbc compare triple_pendulum.mbd --formulations udwadia_kalaba,augmented --bodies natural,euler_parameters
  mbc compare four_bar.mbd --no-run --samples 1000 --tolerance 1e-9
  mbc compare pendulum.mbd swing --csv methods.csv
  mbc compare pendulum.mbd --json)";

constexpr const char* kSweepFooter =
    R"TEXT(Runs a simulation once for each combination of values: those of the `sweep` block NAME (the only one without NAME), and of --vary,
which replaces the values of a name or adds one; the last name changes fastest. Without a `sweep` block NAME is a `simulate` block.
The model is compiled once; threads share the code, and the rows do not depend on their number. With `rk4` members are stepped eight at
a time where that can be had; each has the bits of a run by itself. One row a member, in order: its number,
the values, what is recorded (--record and the block's `record`; without any, the final values of the outputs, or else of all columns),
status and reason. A member that fails is a row with its reason and ends nothing. Ctrl-C keeps the rows that are complete.
The file is replaced as by `mbc run`. Exit status 0: at least one member succeeded; 4: none did.

Examples:
  mbc sweep tuned.mbd                                    its `sweep` block, rows to standard output
  mbc sweep tuned.mbd tune -o tune.csv --jobs 4
  mbc sweep pendulum.mbd --vary "R = 0.1 [m] .. 0.5 [m] count 9" --record "max_over(bob.z)"
  mbc sweep car.mbd demo --vary "k = 1 .. 2 step 0.1" --vary "c = (5, 10, 20)" --json)TEXT";

constexpr const char* kInfoFooter = R"(Examples:
  mbc info pendulum.mbd
  mbc info pendulum.mbd --set "R = 0.4 [m]" --json)";

constexpr const char* kExplainFooter = R"(Examples:
  mbc explain E0302
  mbc explain --list)";

constexpr const char* kExamplesFooter = R"(Examples:
  mbc examples                                           what there is
  mbc examples double_four_bar                           its text
  mbc examples double_four_bar -o mine.mbd               a copy; a file that is there already stays)";

constexpr const char* kDocFooter = R"(Examples:
  mbc doc                                                all modules of the library and what is in them
  mbc doc joints
  mbc doc Revolute
  mbc doc E0302                                          as `mbc explain`)";

constexpr const char* kReplFooter =
    R"(Type statements and expressions as in files, `run 5` to simulate, `:help` for the commands.
From a pipe the same, without prompts; the exit status is 1 when a statement had an error.

Examples:
  mbc
  mbc repl pendulum.mbd
  printf 'particle p(1) at (0, 0, 1)\ngravity (0, 0, -9.81)\nrun 1\np.z\n' | mbc)";

constexpr const char* kTestFooter =
    R"(Runs every `test` block of the models and prints a line for each; below a test that failed, both sides of its checks and
the time (with --diagnostics=json on stderr, as JSON). Exit status 1 when one failed.

Examples:
  mbc test pendulum.mbd
  mbc test --both examples/*.mbd                         by the interpreter and by native code, which must agree
  mbc test pendulum.mbd --set l=0.5 --json               one JSON object a test on stdout)";

constexpr const char* kFmtFooter =
    R"(Blanks, indentation and empty lines as in the examples; words, comments and meaning stay. A file is written only when it
changes, and not at all when it has syntax errors. - is standard input, written to standard output.

Examples:
  mbc fmt pendulum.mbd examples/*.mbd
  mbc fmt --check *.mbd                                  name the files that would change; exit status 1 when there are any
  mbc fmt - < model.mbd)";

constexpr const char* kLspFooter =
    R"(Speaks the Language Server Protocol (JSON-RPC) on standard input and output; editors start it. docs/editors.md says how to set them up.
What a text uses from files is looked for in its folder, as by `mbc check`. For "go to definition" the modules of the library that is
built in are written to $MBC_CACHE (off: nowhere), else $XDG_CACHE_HOME/mbc or ~/.cache/mbc.
Exit status 0 after `shutdown` and `exit`, else 1.

Examples:
  mbc lsp
  mbc lsp --stdlib my/stdlib)";

struct Raw {
  Options options;
  std::string colour = "auto";
  std::string diagnostics = "text";
  std::string formulations, bodies;      // lists as written
  std::string formulation;               // one, of run and compile
  std::vector<std::string> inputs;       // as written
  std::string every;                     // of run and resume
  std::optional<std::uint32_t> samples;  // of compare; doctor has another default
  bool version = false;
};

bool wants_colour(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  const char* off = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return (off == nullptr || *off == '\0') && !dumb && isatty(2) == 1;
}

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

// Of `--input`: the setting that says it, or "" where the text says nothing.
std::string input_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return "";
  const std::string name = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
  if (name.empty() || value.empty()) return "";
  const bool file = value.ends_with(".csv") && value.find_first_of("()\"") == std::string::npos;
  return "input." + name + "=" + (file ? "table(t, \"" + value + "\")" : value);
}

// Short for --set formulation=F, in all blocks.
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

void add_compiling(CLI::App& app, Raw& raw) {
  app.add_option("FILE", raw.options.file, "the model; - is standard input")->type_name("");
  add_set(app, raw);
  add_stdlib(app, raw);
  add_diagnostics(app, raw);
  app.add_flag("--time-passes", raw.options.time_passes, "table of the time each stage took, on stderr");
  add_colour(app, raw);
}

// What looks at a run between its steps.
void add_watch(CLI::App& app, Raw& raw) {
  Options& o = raw.options;
  const auto time = [](const std::string& text) {
    return text::seconds_in(text) ? "" : "`" + text + "` is no time such as 90s, 5min or 2h";
  };
  const auto size = [](const std::string& text) {
    return text::bytes_in(text) ? "" : "`" + text + "` is no size such as 500MB or 2GiB";
  };
  app.add_option("--every", raw.every, "time between two checkpoints; default 60s")->type_name("TIME")->check(time);
  app.add_option("--max-steps", o.max_steps, "end the run after so many steps")->type_name("N");
  app.add_option("--max-time", o.max_time, "end it after so much time on the clock")->type_name("TIME")->check(time);
  app.add_option("--max-output", o.max_output, "end it when the rows have this size")->type_name("SIZE")->check(size);
}

void add_run(CLI::App& app, Raw& raw) {
  CLI::App* run = app.add_subcommand("run", "run a simulation of a model");
  add_formulation(*run, raw);
  run->footer(kRunFooter);
  add_compiling(*run, raw);
  Options& o = raw.options;
  run->add_option("NAME", o.simulation, "which `simulate` block, when there are several")->type_name("");
  run->add_option("-o,--output", o.output, "CSV file for the rows; - is standard output")->type_name("OUT.csv");
  run->add_option("--output-every", o.output_every, "write every N-th step only")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, ~std::uint32_t{0}).description(""));
  run->add_option("--summary", o.summary, "write the summary as JSON")->type_name("OUT.json");
  run->add_option("--events", o.events, "write a list of the events that fired: time, event")
      ->type_name("OUT.csv|OUT.json");
  run->add_option("--until-event", o.until_event, "end behind the first firing of this event")->type_name("NAME");
  run->add_option("--report", o.report, "write a page with the motion as an animation, curves and summary")
      ->type_name("OUT.html");
  run->add_option("--checkpoint", o.checkpoint, "save the run there now and then, for `mbc resume`")->type_name("FILE");
  add_watch(*run, raw);
  run->add_flag("--assemble", o.assemble, "accept the correction of an initial state that is off its constraints");
  add_engine(*run, raw);
  run->add_flag("--quiet", o.quiet, "no summary and no progress bar");
  run->add_flag("--strict", o.strict, "exit with 4 after a warning of the run, say of its accuracy");
}

void add_resume(CLI::App& app, Raw& raw) {
  CLI::App* resume = app.add_subcommand("resume", "go on with a run from its checkpoint");
  resume->footer(kResumeFooter);
  resume->add_option("FILE", raw.options.file, "the checkpoint")->type_name("");
  add_watch(*resume, raw);
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
  view->add_flag("--assemble", o.assemble, "accept the correction of an initial state that is off its constraints");
  add_engine(*view, raw);
  view->add_flag("--quiet", o.quiet, "no summary and no progress bar");
}

void add_plot(CLI::App& app, Raw& raw) {
  CLI::App* plot = app.add_subcommand("plot", "draw columns of a result in the terminal, as SVG, PNG or PDF");
  plot->footer(kPlotFooter);
  Options& o = raw.options;
  plot->add_option("RESULT", o.file, "the CSV file; - is standard input")->type_name("");
  plot->add_option("COLUMNS", o.quantities, "names of columns, with commas between them; `x in [deg]`: in that unit")
      ->type_name("");
  plot->add_option("--against", o.against, "the column to the right in place of the time")->type_name("X");
  plot->add_option("-o,--output", o.output, "SVG, PNG or PDF file; - is SVG on standard output")->type_name("OUT.svg");
  const auto size = CLI::Range(std::uint32_t{20}, std::uint32_t{10000}).description("");
  plot->add_option("--width", o.width, "characters, with -o pixels; default: the terminal, 800")
      ->type_name("N")
      ->check(size);
  plot->add_option("--height", o.height, "lines, with -o pixels; default: 20, 450")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{5}, std::uint32_t{10000}).description(""));
}

void add_check(CLI::App& app, Raw& raw) {
  CLI::App* check = app.add_subcommand("check", "report what is wrong in a model, run nothing");
  check->footer(kCheckFooter);
  add_compiling(*check, raw);
  check->add_flag("--json", raw.options.print_json, "the answer as JSON");
}

void add_compile(CLI::App& app, Raw& raw) {
  CLI::App* compile = app.add_subcommand("compile", "print or write what a stage of the compiler produces");
  add_formulation(*compile, raw);
  compile->footer(kCompileFooter);
  add_compiling(*compile, raw);
  compile->add_option("--emit", raw.options.emit, "the stage to show")->type_name("STAGE");
  compile->add_option("-o,--output", raw.options.output, "file to write; without it or with -, standard output")
      ->type_name("OUT");
  compile->add_option("NAME", raw.options.simulation, "fmu: the `simulate` block it moves by; default: the first")
      ->type_name("");
  compile->add_option("--fmi", raw.options.fmi, "fmu: version of the standard, 2 or 3 (default)")
      ->type_name("N")
      ->check(CLI::IsMember({2, 3}).description(""));
  compile->add_option("--prefix", raw.options.prefix, "first part of the names of the functions; default: name of FILE")
      ->type_name("PREFIX");
  compile
      ->add_option("--cpu", raw.options.processor,
                   "processor for llvm-ir, asm, obj and so: native, or a name such as x86-64-v3; default: the oldest")
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
  doctor->add_flag("--json", raw.options.print_json, "the answer as JSON");
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
      ->check(CLI::PositiveNumber.description(""));
  compare->add_flag("--no-run", o.no_run, "accelerations only");
  compare->add_option("--csv", o.csv, "the numbers as CSV; - is standard output, in place of the table")
      ->type_name("OUT.csv");
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
  sweep->add_flag("--json", o.print_json, "one JSON object a member, in place of CSV");
  sweep->add_flag("--assemble", o.assemble, "accept the correction of initial states that are off their constraints");
  add_engine(*sweep, raw);
  sweep->add_flag("--quiet", o.quiet, "no summary and no progress bar");
}

void add_info(CLI::App& app, Raw& raw) {
  CLI::App* info = app.add_subcommand("info", "what a model consists of");
  info->footer(kInfoFooter);
  add_compiling(*info, raw);
  info->add_flag("--json", raw.options.print_json, "the answer as JSON");
}

void add_explain(CLI::App& app, Raw& raw) {
  CLI::App* explain = app.add_subcommand("explain", "what a diagnostic means and how to get rid of it");
  explain->footer(kExplainFooter);
  explain->add_option("CODE", raw.options.code, "for example E0302")->type_name("");
  explain->add_flag("--list", raw.options.list, "all codes with their names");
}

void add_shipped(CLI::App& app, Raw& raw) {
  CLI::App* examples = app.add_subcommand("examples", "models that come with mbc: a list, one of them, a copy");
  examples->footer(kExamplesFooter);
  examples->add_option("NAME", raw.options.code, "of the example")->type_name("");
  examples->add_option("-o", raw.options.output, "a copy under this name")->type_name("FILE");
  CLI::App* begin = app.add_subcommand("new", "a model with comments to begin with");
  begin->add_option("NAME", raw.options.code, "NAME.mbd is written; a file that is there already stays")->type_name("");
  CLI::App* doc = app.add_subcommand("doc", "parts of the library: what they are and what they take");
  doc->footer(kDocFooter);
  doc->add_option("NAME", raw.options.code, "of a module, a part or a diagnostic")->type_name("");
}

void add_repl(CLI::App& app, Raw& raw) {
  CLI::App* repl = app.add_subcommand("repl", "statements and expressions from the keyboard or a pipe");
  repl->footer(kReplFooter);
  repl->add_option("FILE", raw.options.file, "a model to begin with")->type_name("");
  repl->add_option("--set", raw.options.set, "parameter or setting of the model; repeatable")
      ->type_name("X=V")
      ->allow_extra_args(false);
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
  fmt->add_flag("--check", raw.options.only_check, "change nothing, name the files that would change");
  add_colour(*fmt, raw);
}

void add_lsp(CLI::App& app, Raw& raw) {
  CLI::App* lsp = app.add_subcommand("lsp", "language server, for editors");
  lsp->footer(kLspFooter);
  add_stdlib(*lsp, raw);
  lsp->add_flag("--stdio", raw.options.list, "standard input and output, which is the only way; clients say so");
}

// `mbc help run` is `mbc run --help`.
std::vector<std::string> arguments(int argc, const char* const* argv) {
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!args.empty() && args.front() == "help") {
    args.erase(args.begin());
    args.emplace_back("--help");
  }
  return args;
}

Command command_of(const std::string& name) {
  static const std::map<std::string, Command> commands = {
      {"run", Command::run},         {"check", Command::check},       {"compile", Command::compile},
      {"explain", Command::explain}, {"repl", Command::repl},         {"test", Command::test},
      {"fmt", Command::fmt},         {"doctor", Command::doctor},     {"compare", Command::compare},
      {"info", Command::info},       {"sweep", Command::sweep},       {"view", Command::view},
      {"plot", Command::plot},       {"examples", Command::examples}, {"new", Command::begin},
      {"doc", Command::document},    {"resume", Command::resume},     {"lsp", Command::lsp}};
  const auto found = commands.find(name);
  return found == commands.end() ? Command::repl : found->second;
}

// `json` is not understood here: the whole line is looked at for it once (asks_for_json).
CommandLine usage_error(const std::string& subcommand, const std::string& message, std::string hint = {}) {
  const std::string program = subcommand.empty() ? "mbc" : "mbc " + subcommand;
  if (hint.empty()) hint = "`" + program + " --help` lists what can be given";
  return {std::nullopt, kUsage, program + ": " + message, hint};
}

// A line that is not understood may say all the same how it wants its diagnostics.
bool asks_for_json(const std::vector<std::string>& args) {
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k] == "--diagnostics=json" || (args[k] == "--diagnostics" && k + 1 < args.size() && args[k + 1] == "json"))
      return true;
  return false;
}

// The names of all options that fit here, as they are typed.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

bool looks_like_model(const std::string& word) {
  struct stat info {};
  return word.ends_with(".mbd") || stat(word.c_str(), &info) == 0;
}

CommandLine unexpected(const CLI::App& app, const std::string& subcommand, const std::string& word) {
  if (word.size() > 1 && word.front() == '-') {
    const CLI::App& of = subcommand.empty() ? app : *app.get_subcommand(subcommand);
    return usage_error(subcommand, "unknown option `" + word + "`",
                       did_you_mean(word.substr(0, word.find('=')), option_names(of)));
  }
  if (!subcommand.empty()) return usage_error(subcommand, "unexpected argument `" + word + "`");
  if (looks_like_model(word))
    return usage_error("", "`" + word + "` is no command", "to run the model: `mbc run " + word + "`");
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::string near = did_you_mean(word, commands);
  return usage_error("", "unknown command `" + word + "`",
                     near.empty() ? "the commands are " + list_of(commands) : near);
}

// What CLI11 found wrong, in our words where its own are hard to read.
CommandLine describe(const CLI::App& app, const std::string& subcommand, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> rest = app.remaining(true);
    if (!rest.empty()) return unexpected(app, subcommand, rest.front());
  }
  return usage_error(subcommand, error.what());
}

// "a, b(x = 1, y)" -> "a", "b(x = 1, y)"; false when an entry is empty.
bool split_list(const std::string& text, std::vector<std::string>& out) {
  int depth = 0;
  std::string entry;
  bool complete = true;
  const auto close = [&] {
    const std::size_t begin = entry.find_first_not_of(' ');
    complete &= begin != std::string::npos;
    if (begin != std::string::npos) out.push_back(entry.substr(begin, entry.find_last_not_of(' ') - begin + 1));
    entry.clear();
  };
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      close();
    else
      entry += c;
  }
  close();
  return complete;
}

CommandLine finish(Raw raw, const std::string& subcommand) {
  Options& o = raw.options;
  o.command = command_of(subcommand);
  if (o.command == Command::compare) o.samples = raw.samples.value_or(100);
  for (const std::string& set : o.set)
    if (!raw.formulation.empty() && set.substr(0, set.find_first_of(" =")) == "formulation")
      return usage_error(subcommand, "--formulation and --set formulation=... say the same thing twice");
  for (const std::string& input : raw.inputs) {
    o.set.push_back(input_setting(input));
    if (o.set.back().empty())
      return usage_error(subcommand, "--input " + input + " gives no input a course",
                         "for example `--input u=u.csv` or `--input \"u = 2*sin(t)\"`");
  }
  if (!raw.formulation.empty()) o.set.push_back("formulation=" + raw.formulation);
  for (const auto& [text, list, name] : {std::tuple{&raw.formulations, &o.formulations, "--formulations"},
                                         std::tuple{&raw.bodies, &o.bodies, "--bodies"}})
    if (!text->empty() && !split_list(*text, *list))
      return usage_error(subcommand, std::string("an entry of ") + name + " is empty", "names, separated by commas");
  if (o.command == Command::compare && o.print_json && o.csv == "-")
    return usage_error(subcommand, "--json and --csv - both go to standard output");
  o.json = raw.diagnostics == "json";
  o.colour = wants_colour(raw.colour);
  const bool needs_file = o.command == Command::run || o.command == Command::check || o.command == Command::compile ||
                          o.command == Command::doctor || o.command == Command::compare || o.command == Command::info ||
                          o.command == Command::sweep || o.command == Command::view;
  if (needs_file && o.file.empty())
    return usage_error(subcommand, "no model file is given",
                       "for example `mbc " + subcommand + " model.mbd`; - is standard input");
  if (o.command == Command::plot && o.file.empty())
    return usage_error(subcommand, "no result is given", "for example `mbc plot swing.csv bob.z`");
  if (o.command == Command::resume && o.file.empty())
    return usage_error(subcommand, "no checkpoint is given", "for example `mbc resume swing.check`");
  if (!raw.every.empty() && o.command == Command::run && o.checkpoint.empty())
    return usage_error(subcommand, "--every is the time between checkpoints: it needs --checkpoint FILE");
  o.every_given = !raw.every.empty();
  if (o.every_given) o.every = raw.every;
  const bool needs_files = o.command == Command::test || o.command == Command::fmt;
  if (needs_files && o.files.empty())
    return usage_error(subcommand, "no model file is given",
                       "for example `mbc " + subcommand + " model.mbd`; - is standard input");
  if (o.both && o.interpret) return usage_error(subcommand, "--both and --interpret exclude each other");
  if (o.native && o.interpret) return usage_error(subcommand, "--native and --interpret exclude each other");
  if (o.command == Command::repl && o.file.empty() && !o.set.empty())
    return usage_error(subcommand, "--set needs a model", "for example `mbc repl model.mbd --set k=2`");
  if (o.command == Command::begin && o.code.empty())
    return usage_error(subcommand, "no name is given", "for example `mbc new pendulum`");
  if (o.command == Command::examples && o.code.empty() && !o.output.empty())
    return usage_error(subcommand, "-o needs the name of an example", "`mbc examples` lists them");
  if (o.command == Command::explain && o.code.empty() && !o.list)
    return usage_error(subcommand, "no code is given",
                       "for example `mbc explain E0302`; `mbc explain --list` shows all");
  return {std::move(o), kOk, ""};
}

// The library is looked for and not opened, which would take a hundred times as long.
std::string version_text() {
  const std::string library = back_end_library();
  return "mbc " + version() + "\nback end: " + (library.empty() ? "interpreter only" : library) + "\n";
}

// Options that take a file name and got an empty one would otherwise count as not given.
bool empty_value(const CLI::App& app, std::string& which) {
  for (const CLI::App* sub : app.get_subcommands()) {
    for (const CLI::Option* option : sub->get_options()) {
      if (option->count() == 0 || option->results().empty() || !option->results().front().empty()) continue;
      if (option->get_type_size() == 0) continue;
      which = option->get_name();
      return true;
    }
  }
  return false;
}

}  // namespace

namespace {

CommandLine understand(const std::vector<std::string>& given) {
  Raw raw;
  CLI::App app(kDescription, "mbc");
  app.set_help_flag("-h,--help", "print this text");
  app.footer(kMainFooter);
  app.get_formatter()->column_width(34);
  app.require_subcommand(0, 1);
  app.add_flag("--version,-V", raw.version, "version of mbc and of its back end");
  add_colour(app, raw);
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
  std::vector<std::string> args(given.rbegin(), given.rend());  // CLI11 takes them from the back
  std::string subcommand;
  const auto remember = [&] {
    if (!app.get_subcommands().empty()) subcommand = app.get_subcommands().front()->get_name();
  };
  try {
    app.parse(args);
    remember();
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, kOk, app.help()};
  } catch (const CLI::ParseError& error) {
    remember();
    return describe(app, subcommand, error);
  }
  if (raw.version) return {std::nullopt, kOk, version_text()};
  if (std::string which; empty_value(app, which)) return usage_error(subcommand, "the value of " + which + " is empty");
  return finish(std::move(raw), subcommand);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  const std::vector<std::string> args = arguments(argc, argv);
  CommandLine line = understand(args);
  if (!line.options && line.exit_code == kUsage) line.text = usage_text(line.text, line.hint, asks_for_json(args));
  return line;
}

}  // namespace mbc::tools
