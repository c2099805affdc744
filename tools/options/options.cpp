// SPDX-License-Identifier: Apache-2.0
// The command line as a whole, and its errors.
#include "tools/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <tuple>

#include "base/contains.h"
#include "base/row_format.h"
#include "base/settings.h"
#include "base/text.h"
#include "mbc/mbc.h"
#include "tools/options/help_texts.h"
#include "tools/options/subcommands.h"
#include "tools/report.h"
#include "tools/words.h"

namespace mbc::tools {
namespace {

bool wants_colour(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  const char* off = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return (off == nullptr || *off == '\0') && !dumb && isatty(2) == 1;
}

// Returns the setting for an `--input`, or "" if the text has none.
std::string input_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return "";
  const std::string name = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
  if (name.empty() || value.empty()) return "";
  const bool file = value.ends_with(".csv") && value.find_first_of("()\"") == std::string::npos;
  return "input." + name + "=" + (file ? "table(t, \"" + value + "\")" : value);
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

struct Verb {
  const char *word, *missing, *example;
};

constexpr const char* kNoModel = "no model file is given";
constexpr const char* kAnyModel = "for example `mbc VERB model.mbd`; - is standard input";
constexpr Verb kVerbs[] = {
#define MBC_VERB(command, word, function, missing, example, ...) {word, missing, example},
#include "tools/verbs.def"
};

// Without a verb the program is a session.
Command command_of(const std::string& word) {
  const auto found = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return word == v.word; });
  return found != std::end(kVerbs) ? static_cast<Command>(found - std::begin(kVerbs)) : Command::repl;
}

// This function does not know whether diagnostics are JSON: asks_for_json searches the whole line once.
CommandLine usage_error(const std::string& subcommand, const std::string& message, std::string hint = {}) {
  const std::string program = subcommand.empty() ? "mbc" : "mbc " + subcommand;
  if (hint.empty()) hint = "`" + program + " --help` lists what can be given";
  return {std::nullopt, kUsage, program + ": " + message, hint};
}

// Returns whether the line requests JSON diagnostics; a line with errors can do so as well.
bool asks_for_json(const std::vector<std::string>& args) {
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k] == "--diagnostics=json" || (args[k] == "--diagnostics" && k + 1 < args.size() && args[k + 1] == "json"))
      return true;
  return false;
}

// Returns the names of all options that are allowed here, as they are typed.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool looks_like_model(const std::string& word) {
  struct stat info {};
  return word.ends_with(".mbd") || stat(word.c_str(), &info) == 0;
}

// Returns the application of the given verb, or the whole one without a verb.
const CLI::App& chosen(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands().front();
}

CommandLine unexpected(const CLI::App& app, const std::string& subcommand, const std::string& word) {
  if (word.size() > 1 && word.front() == '-')
    return usage_error(subcommand, "unknown option `" + word + "`",
                       did_you_mean(word.substr(0, word.find('=')), option_names(chosen(app))));
  if (!subcommand.empty())
    return usage_error(subcommand, "unexpected argument `" + word + "`",
                       subcommand == "plot" ? "columns are listed with commas: `mbc plot swing.csv bob.x,bob.z`" : "");
  if (looks_like_model(word))
    return usage_error("", "`" + word + "` is no command", "to run the model: `mbc run " + word + "`");
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  return usage_error("", "unknown command `" + word + "`",
                     did_you_mean(word, commands, "the commands are " + joined(commands)));
}

// Describes an error of CLI11, in our words where its own are hard to read.
CommandLine describe(const CLI::App& app, const std::string& subcommand, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> rest = app.remaining(true);
    if (!rest.empty()) return unexpected(app, subcommand, rest.front());
  }
  return usage_error(subcommand, error.what());
}

// Splits "a, b(x = 1, y)" into "a", "b(x = 1, y)"; returns false if an entry is empty.
bool split_list(const std::string& text, std::vector<std::string>& out) {
  for (const std::string& entry : pieces_between_commas(text)) out.push_back(trimmed(entry));
  return std::find(out.begin(), out.end(), "") == out.end();
}

// Finds an entry of a list that is no choice of the setting. The arguments of a choice are read with the model.
std::optional<CommandLine> unknown_choice(const std::string& subcommand, const std::string& option,
                                          const std::vector<std::string>& list, settings::Key key) {
  std::vector<std::string> known;
  for (const settings::ChoiceInfo& choice : settings::choices(key)) known.emplace_back(choice.name);
  for (const std::string& entry : list)
    if (const std::string name = trimmed(entry.substr(0, entry.find('('))); !contains(known, name))
      return usage_error(subcommand, option + ": there is no `" + name + "`",
                         did_you_mean(name, known, "the choices are " + joined(known)));
  return {};
}

// Checks `--json`: a run answers with its summary, which goes to one place; a session answers the expressions of the
// command line.
std::string check_json(Options& o) {
  if (!o.print_json) return "";
  if (o.command == Command::repl && o.expressions.empty())
    return "--json answers what -e asks; `mbc jupyter serve` talks in JSON";
  if (o.command == Command::run) {
    if (!o.summary.empty() && o.summary != "-")
      return "--json prints the summary, and --summary writes it: leave out one of them";
    o.summary = "-";
  }
  return "";
}

bool compares_results(const Options& o) {
  return o.command == Command::compare && names_rows(o.file) && names_rows(o.simulation);
}

// Returns whether a verb reads its model once, so that it can be made of a robot file.
bool takes_robots(Command c) {
  return c == Command::import_file || c == Command::run || c == Command::view || c == Command::check ||
         c == Command::info || c == Command::doctor || c == Command::linearize || c == Command::equilibrium ||
         c == Command::equations || c == Command::explain || c == Command::compile;
}

// Answers a verb without the file or name that it needs.
std::optional<CommandLine> without_subject(const Options& o) {
  const Verb& verb = kVerbs[static_cast<std::size_t>(o.command)];
  const bool given = !o.file.empty() || !o.files.empty() || !o.code.empty() || !o.join.empty() ||
                     (o.command == Command::explain && o.list);
  const bool takes_results = o.command == Command::plot || o.command == Command::view || compares_results(o);
  struct stat info {};
  const bool is_pipe = stat(o.file.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
  if (!takes_results && !is_pipe && names_rows(o.file))
    return usage_error(verb.word, "`" + o.file + "` is a result, not a model",
                       "`mbc plot " + o.file + "` draws it; a model has the ending .mbd");
  if (!takes_robots(o.command) && is_robot_file(o.file))
    return usage_error(verb.word, "`" + o.file + "` is a robot file, not a model",
                       "`mbc import " + o.file + " -o robot.mbd` makes a model of it");
  if (given || verb.missing == nullptr) return std::nullopt;
  std::string example = verb.example;
  if (const std::size_t at = example.find("VERB"); at != std::string::npos) example.replace(at, 4, verb.word);
  return usage_error(verb.word, verb.missing, example);
}

// Two results are compared as they are: what says how a model is compiled and run has no meaning.
std::string check_results(const Raw& raw) {
  const Options& o = raw.options;
  if (!compares_results(o)) return "";
  const std::pair<bool, const char*> given[] = {{!raw.formulations.empty(), "--formulations"},
                                                {!raw.bodies.empty(), "--bodies"},
                                                {raw.samples.has_value(), "--samples"},
                                                {o.seed != Options().seed, "--seed"},
                                                {o.no_run, "--no-run"},
                                                {!o.set.empty(), "--set"},
                                                {!o.stdlib.empty(), "--stdlib"},
                                                {o.interpret, "--interpret"},
                                                {o.no_cache, "--no-cache"}};
  for (const auto& [is, name] : given)
    if (is) return std::string(name) + " is for models, not for two results";
  return "";
}

bool is_source_code(EquationsRequest::Form form) {
  return form > EquationsRequest::Form::json && form != EquationsRequest::Form::mbd;
}

// Options that say how an answer looks, of which another one given leaves nothing to be seen.
std::string check_answers(const Options& o) {
  const bool look = !o.log.empty() || o.equal || o.points || o.steps || !o.x_limits.empty() || !o.y_limits.empty() ||
                    o.title || o.across > 1;
  if (o.command == Command::plot && o.print_json && o.output.empty() && look)
    return "--title, --log, --equal, --xlim, --ylim, --points, --steps and --across are for a picture, and --json "
           "without -o gives numbers";
  if (o.command == Command::linearize && o.print_json && o.matrices)
    return "--json and --csv both go to standard output";
  if (o.command == Command::import_file && o.output == "-" && (o.print_json || o.names))
    return "the model and " + std::string(o.print_json ? "--json" : "--names") + " both go to standard output";
  if (o.command == Command::import_file && o.print_json && o.names)
    return "--json holds the names already: leave out --names";
  if (o.command == Command::equations && o.equations.derivation && o.equations.form > EquationsRequest::Form::json)
    return "--derivation is for equations to read: source code has no place for it";
  if (o.command == Command::equations && !o.equations.of.empty() && is_source_code(o.equations.form))
    return "--of is for equations to read: source code has all that the motion needs";
  if (o.command == Command::equations && o.equations.ascii && o.equations.form != EquationsRequest::Form::text)
    return "--ascii is for equations as text: leave it out, or the other form";
  return "";
}

// Reads `--members`: 17, 100..199, 200.. to the end. Returns false if it is none of these.
bool read_members(const std::string& text, Options& o) {
  const std::size_t dots = text.find("..");
  const auto number = [&](std::size_t begin, std::size_t end, std::uint64_t& out) {
    const auto [stop, problem] = std::from_chars(text.data() + begin, text.data() + end, out);
    return problem == std::errc{} && stop == text.data() + end && out > 0;
  };
  if (dots == std::string::npos) return number(0, text.size(), o.first) && (o.last = o.first) > 0;
  if (!number(0, dots, o.first)) return false;
  return dots + 2 == text.size() || (number(dots + 2, text.size(), o.last) && o.last >= o.first);
}

// Joining the parts of a sweep reads no model.
std::string check_join(const Raw& raw) {
  const Options& o = raw.options;
  if (o.join.empty()) return "";
  const bool other = !o.file.empty() || !o.vary.empty() || !o.record.empty() || !o.set.empty() ||
                     !raw.members.empty() || !o.report.empty() || o.print_json || o.assemble || o.jobs > 0 ||
                     o.interpret || o.native || o.no_cache || o.time_passes || !o.stdlib.empty();
  return other ? "--join takes results, -o, --force and --quiet alone: what was run is in them" : "";
}

CommandLine finish(Raw raw, const std::string& subcommand) {
  Options& o = raw.options;
  o.command = command_of(subcommand);
  if (o.command == Command::compare) o.samples = raw.samples.value_or(100);
  if (const std::string problem = check_results(raw); !problem.empty())
    return usage_error(subcommand, problem, "for example `mbc compare a.csv b.csv --tolerance 1e-6`");
  for (const std::string& set : o.set)
    if (!raw.formulation.empty() && set.substr(0, set.find_first_of(" =")) == "formulation")
      return usage_error(subcommand, "--formulation and --set formulation=... say the same thing twice");
  for (const std::string& input : raw.inputs) {
    o.set.push_back(input_setting(input));
    if (o.set.back().empty())
      return usage_error(subcommand, "--input " + input + " gives no input a signal",
                         "for example `--input u=u.csv` or `--input \"u = 2*sin(t)\"`");
  }
  if (!raw.formulation.empty()) o.set.push_back("formulation=" + raw.formulation);
  for (const std::string& with : raw.with) {  // a value sets the parameter as well
    o.equations.numbers.push_back(trimmed(with.substr(0, with.find('='))));
    if (with.find('=') != std::string::npos) o.set.push_back(with);
  }
  o.print_json = o.print_json || (o.command == Command::equations && o.equations.form == EquationsRequest::Form::json);
  if (!o.row.empty()) o.file = o.code;  // explain FILE ROW
  o.free_base = raw.base == "free";
  if (o.command == Command::import_file && o.names && o.output.empty())
    return usage_error(subcommand, "--names prints the names in place of the text", "name a file with -o");
  if (o.command == Command::explain && o.row.empty() && (!o.set.empty() || !o.stdlib.empty()))
    return usage_error(subcommand, "--set and --stdlib are for a row of a model", "`mbc explain FILE ROW`");
  if (raw.equation_forms > 1)
    return usage_error(subcommand, "equations are printed in one form: leave out all but one of --latex, --c, ...");
  if (o.equations.fragments && o.equations.form != EquationsRequest::Form::latex)
    return usage_error(subcommand, "--fragments are of --latex: add it");
  for (const auto& [text, list, name] : {std::tuple{&raw.formulations, &o.formulations, "--formulations"},
                                         std::tuple{&raw.bodies, &o.bodies, "--bodies"}})
    if (!text->empty() && !split_list(*text, *list))
      return usage_error(subcommand, std::string("an entry of ") + name + " is empty", "names, separated by commas");
  for (const auto& wrong : {unknown_choice(subcommand, "--formulations", o.formulations, settings::Key::formulation),
                            unknown_choice(subcommand, "--bodies", o.bodies, settings::Key::bodies)})
    if (wrong) return *wrong;
  if (o.command == Command::compare && o.print_json && o.csv == "-")
    return usage_error(subcommand, "--json and --csv - both go to standard output");
  for (const std::string& problem : {check_json(o), check_answers(o)})
    if (!problem.empty()) return usage_error(subcommand, problem);
  o.json = raw.diagnostics == "json";
  o.colour = wants_colour(raw.colour);
  if (std::optional<CommandLine> missing = without_subject(o)) return *std::move(missing);
  if (o.accuracy == "global" && !o.checkpoint.empty())
    return usage_error(subcommand,
                       "--accuracy global makes a second run, which no checkpoint holds: leave out one of them");
  if (!raw.every.empty() && o.command == Command::run && o.checkpoint.empty())
    return usage_error(subcommand, "--every is the time between checkpoints: it needs --checkpoint FILE");
  if (o.command == Command::equilibrium && o.seed != Options().seed && o.starts == 0)
    return usage_error(subcommand, "--seed is of the positions that --starts draws: add --starts N");
  if (const std::string problem = check_join(raw); !problem.empty())
    return usage_error(subcommand, problem, "`mbc sweep --join a.csv b.csv -o all.csv`");
  if (!raw.members.empty() && !read_members(raw.members, o))
    return usage_error(subcommand, "--members `" + printable(raw.members) + "` is no list of numbers from 1 on",
                       "for example `--members 100..199`, `--members 17` or `--members 200..`");
  if (o.motions && o.report.empty())
    return usage_error(subcommand, "--motions says how many motions a page holds: it needs --report OUT.html");
  o.every_given = !raw.every.empty();
  if (o.every_given) o.every = raw.every;
  if (o.both && o.interpret) return usage_error(subcommand, "--both and --interpret exclude each other");
  if (o.native && o.interpret) return usage_error(subcommand, "--native and --interpret exclude each other");
  if (o.command == Command::repl && o.file.empty() && !o.set.empty())
    return usage_error(subcommand, "--set needs a model", "for example `mbc repl model.mbd --set k=2`");
  if (o.command == Command::examples && o.code.empty() && !o.output.empty())
    return usage_error(subcommand, "-o needs the name of an example", "`mbc examples` lists them");
  if (o.command != Command::repl && !o.expressions.empty())
    return usage_error(subcommand, "-e is evaluated in a session", "`mbc repl FILE -e p.z`");
  return {std::move(o), kOk, ""};
}

// The library is located but not opened, because opening takes a hundred times as long.
std::string version_text() {
  const std::string library = back_end_library();
  return "mbc " + version() + "\nback end: " + (library.empty() ? "interpreter only" : library) + "\n";
}

// Finds an option with an empty file name, which would otherwise count as not given.
bool empty_value(const CLI::App& app, std::string& which) {
  for (const CLI::Option* option : chosen(app).get_options()) {
    if (option->count() == 0 || option->results().empty() || !option->results().front().empty()) continue;
    if (option->get_type_size() == 0 || option->get_name() == "--title") continue;  // a title may be empty
    which = option->get_name();
    return true;
  }
  return false;
}

void begin(CLI::App& app, Raw& raw, const std::string& what_version) {
  app.set_help_flag("-h,--help", "print this text");
  app.get_formatter()->column_width(34);
  app.add_flag("--version,-V", raw.version, what_version);
}

// `verb` is the verb of a program, which is not written.
CommandLine understand(CLI::App& app, Raw& raw, const std::vector<std::string>& given,
                       const std::function<std::string()>& version, const std::string& verb) {
  std::vector<std::string> args(given.rbegin(), given.rend());  // CLI11 reads them from the back
  const auto subcommand = [&] { return &chosen(app) == &app ? verb : chosen(app).get_name(); };
  try {
    app.parse(args);
  } catch (const CLI::CallForHelp&) {
    const bool verbs = !app.get_subcommands({}).empty(), other = !given.front().starts_with('-');
    if (verbs && other && app.get_subcommands().empty()) return unexpected(app, "", given.front());
    return {std::nullopt, kOk, app.help()};
  } catch (const CLI::ParseError& error) {
    return describe(app, subcommand(), error);
  }
  if (raw.version) return {std::nullopt, kOk, version()};
  if (std::string which; empty_value(app, which))
    return usage_error(subcommand(), "the value of " + which + " is empty");
  return finish(std::move(raw), subcommand());
}

CommandLine understand(const std::vector<std::string>& given) {
  Raw raw;
  CLI::App app(kDescription, "mbc");
  begin(app, raw, "version of mbc and of its back end");
  app.footer(kMainFooter);
  app.require_subcommand(0, 1);
  add_subcommands(app, raw);
  return understand(app, raw, given, version_text, "");
}

CommandLine understand_program(const std::vector<std::string>& given, const std::string& name) {
  Raw raw;
  raw.options.file = name;
  CLI::App app("runs " + name + ", by mbc " + version(), name);
  begin(app, raw, "version of the mbc that made this program");
  add_program_options(app, raw);
  return understand(
      app, raw, given, [&] { return name + ", by mbc " + version() + "\n"; }, "run");
}

// Replaces "mbc run" by the name of the program.
void call_by_name(std::string& text, const std::string& program) {
  for (std::size_t at = 0; (at = text.find("mbc run", at)) != std::string::npos; at += program.size())
    text.replace(at, 7, program);
}

}  // namespace

CommandLine parse_program_line(int argc, const char* const* argv, const std::string& name) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  CommandLine line = understand_program(args, name);
  if (line.options || line.exit_code != kUsage) return line;
  const std::string own = argc > 0 ? argv[0] : name;
  call_by_name(line.text, own);
  call_by_name(line.hint, own);
  line.text = usage_text(line.text, line.hint, asks_for_json(args));
  return line;
}

bool is_robot_file(const std::string& file) { return is_one_of(ending_of(file), {"urdf", "xml", "sdf", "world"}); }

CommandLine parse_command_line(int argc, const char* const* argv) {
  const std::vector<std::string> args = arguments(argc, argv);
  CommandLine line = understand(args);
  if (!line.options && line.exit_code == kUsage) line.text = usage_text(line.text, line.hint, asks_for_json(args));
  return line;
}

}  // namespace mbc::tools
