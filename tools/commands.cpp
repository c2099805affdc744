// SPDX-License-Identifier: Apache-2.0
// The commands that run nothing: check, compile, explain; and how a model is loaded.
#include "tools/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/table.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/fmu/archive.h"
#include "tools/link/shared_object.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

// "so": an object that is linked then.
constexpr std::array<std::pair<const char*, Stage>, 10> kStages = {{{"ast", Stage::ast},
                                                                    {"model", Stage::model},
                                                                    {"system", Stage::system},
                                                                    {"kernel", Stage::kernel},
                                                                    {"jacobian", Stage::jacobian},
                                                                    {"llvm-ir", Stage::llvm_ir},
                                                                    {"asm", Stage::assembly},
                                                                    {"obj", Stage::object},
                                                                    {"so", Stage::object},
                                                                    {"header", Stage::header}}};
constexpr const char* kStageNames = "ast, model, system, kernel, jacobian, llvm-ir, asm, obj, so, header, fmu";

std::optional<Stage> stage_named(const std::string& name) {
  for (const auto& [known, stage] : kStages) {
    if (name == known) return stage;
  }
  return std::nullopt;
}

std::string stage_of_ending(const std::string& path) {
  if (path.ends_with(".o")) return "obj";
  if (path.ends_with(".so")) return "so";
  if (path.ends_with(".h")) return "header";
  if (path.ends_with(".s")) return "asm";
  if (path.ends_with(".ll")) return "llvm-ir";
  if (path.ends_with(".fmu")) return "fmu";
  return "";
}

// The name of the file without folder and ending, as a C identifier: `two-masses.mbd` -> `two_masses`.
std::string prefix_of(const std::string& file) {
  std::string stem = file == "-" ? "model" : file.substr(file.rfind('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  for (char& c : stem) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  if (stem.empty() || std::isdigit(static_cast<unsigned char>(stem.front()))) stem.insert(0, "m_");
  return stem;
}

bool is_identifier(const std::string& text) {
  const auto fits = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), fits);
}

// "pendulum.mbd: ok (3 coordinates, 1 constraint row)"
std::string verdict(const Model& model, const std::string& file) {
  return fmt::format("{}: ok ({}, {})\n", file == "-" ? "<stdin>" : file,
                     counted(model.coordinate_count(), "coordinate"),
                     counted(model.constraint_row_count(), "constraint row"));
}

int emit_to(const Options& options, const std::string& text, const Report& report) {
  nlohmann::ordered_json said = {{"stage", options.emit.empty() ? stage_of_ending(options.output) : options.emit}};
  if (options.output.empty() || options.output == "-") {
    said["text"] = text;
    return options.print_json ? print_json(said) : print_output(text);
  }
  std::string error;
  said["file"] = options.output;
  said["bytes"] = text.size();
  if (write_text(options.output, text, error)) return options.print_json ? print_json(said) : int{kOk};
  report.failure("output_failed", error);
  return kOutputFailed;
}

bool is_compiled(Stage stage) { return stage >= Stage::llvm_ir && stage <= Stage::object; }

// What can be said before compiling; kOk when nothing speaks against it.
int check_target(const Options& options, Stage stage, const Report& report) {
  if (!is_compiled(stage) && !options.processor.empty())
    return report.usage("compile: --cpu is for llvm-ir, asm, obj and so", "leave it out");
  if (!is_compiled(stage) && stage != Stage::header && !options.prefix.empty())
    return report.usage("compile: --prefix is for llvm-ir, asm, obj, so and header", "leave it out");
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (stage == Stage::object && to_stdout && (isatty(1) == 1 || options.print_json))
    return report.usage(
        options.print_json ? "an object file is no text for JSON" : "an object file is no text for a terminal",
        "name a file: `-o model.o`");
  return check_place(options, options.output);
}

int link_to(const Options& options, const std::string& object, const Report& report) {
  std::string error;
  const std::string name = options.output.substr(options.output.rfind('/') + 1);
  const std::string linked = shared_object(object, name.empty() || name == "-" ? "model.so" : name, error);
  if (!linked.empty()) return emit_to(options, linked, report);
  report.failure("link_failed", error);
  return kUsage;
}

// Where there is no model to go on with; the compiler's messages have been said.
int without_model(const Options& options, const Model& model) {
  if (options.print_json) static_cast<void>(print_json(verdict_json(model, options.file)));
  return kModelError;
}

// The archive is made here, not by the library: it needs files of the installation.
int export_fmu(const Options& options, const Report& report) {
  const std::string identifier = prefix_of(options.output.empty() ? options.file : options.output);
  const bool to_stdout = options.output.empty() || options.output == "-";
  if (to_stdout && (isatty(1) == 1 || options.print_json))
    return report.usage(options.print_json ? "an FMU is no text for JSON" : "an FMU is no text for a terminal",
                        "name a file: `-o model.fmu`");
  if (!options.processor.empty() || !options.prefix.empty() || !options.stdlib.empty())
    return report.usage("compile: --cpu, --prefix and --stdlib are not for fmu", "leave them out");
  if (const int problem = check_place(options, options.output); problem != kOk) return problem;
  const Model model = load_model(options, true);
  report.compiled(model);
  if (!model.ok()) return without_model(options, model);
  if (const Result<Simulation> there = Simulation::create(model, options.simulation); !there) {
    report.failure("model_error", there.error().message);
    return kModelError;
  }
  std::string error;
  const std::string name = options.file == "-" ? "model.mbd" : options.file;
  const std::string bytes = fmu_of(model, {options.fmi, name, identifier, options.simulation, options.set}, error);
  if (!bytes.empty()) return emit_to(options, bytes, report);
  report.failure("export_failed", error);
  return kUsage;
}

// `E0302`, `e0302` or `dimension_mismatch`.
bool is_code(const CodeInfo& info, const std::string& wanted) {
  const auto same = [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); };
  return wanted == info.name || std::equal(info.code.begin(), info.code.end(), wanted.begin(), wanted.end(), same);
}

std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 100;
  std::istringstream words(text);
  std::string out;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    const bool fits = column > 0 && column + 1 + text::display_width(word) <= kWidth;
    if (column > 0) out += fits ? ' ' : '\n';
    column = (fits ? column + 1 : 0) + text::display_width(word);
    out += word;
  }
  return out + "\n";
}

}  // namespace

Model load_model(const Options& options, bool interpret) {
  CompileOptions compile;
  compile.set = options.set;
  compile.stdlib = options.stdlib;
  compile.interpret = interpret;
  compile.native_at_once = options.native;
  compile.cache = !options.no_cache;
  compile.colour = options.colour && !options.json;
  if (options.file != "-") return Model::from_file(options.file, compile);
  compile.folder = ".";
  std::string error;
  const std::optional<std::string> text = read_standard_input(error);
  if (!text) print_error("mbc: " + error + "\n");
  return Model::from_string(text.value_or(""), "<stdin>", compile);
}

int check_model(const Options& options) {
  const Model model = load_model(options, true);
  const Report report(options);
  if (!options.print_json) report.compiled(model);
  if (options.time_passes) report.times(model.stage_times());
  if (options.print_json) {
    const int written = print_json(verdict_json(model, options.file));
    return written == kOk && !model.ok() ? int{kModelError} : written;
  }
  return model.ok() ? print_output(verdict(model, options.file)) : int{kModelError};
}

int compile_model(const Options& options) {
  const Report report(options);
  const std::string name = options.emit.empty() ? stage_of_ending(options.output) : options.emit;
  if (name == "fmu") return export_fmu(options, report);
  if (!options.simulation.empty() || options.fmi != 3)
    return report.usage("compile: NAME and --fmi are for fmu", "leave them out, or write `-o model.fmu`");
  const std::optional<Stage> stage = stage_named(name);
  if (name.empty())
    return report.usage("compile: which stage is wanted?",
                        std::string("add `--emit=STAGE` with one of ") + kStageNames);
  if (!stage) {
    std::vector<std::string> known;
    for (const auto& [stage_name, unused] : kStages) known.emplace_back(stage_name);
    const std::string near = nearest(name, known);
    return report.usage("compile: unknown stage `" + name + "`",
                        near.empty() ? std::string("the stages are ") + kStageNames : "did you mean `" + near + "`?");
  }
  const std::string prefix = options.prefix.empty() ? prefix_of(options.file) : options.prefix;
  if (!is_identifier(prefix))
    return report.usage("compile: `" + prefix + "` is no name for functions in C", "letters, digits, _");
  if (const int problem = check_target(options, *stage, report); problem != kOk) return problem;
  const Model model = load_model(options, !is_compiled(*stage));
  report.compiled(model);
  if (model.ok() && is_compiled(*stage) && !model.knows_processor(options.processor))
    return report.usage("compile: LLVM knows no processor `" + options.processor + "`",
                        "for example --cpu=x86-64-v3 or native");
  const Result<std::string> text = model.emit(*stage, prefix, options.processor);
  if (options.time_passes) report.times(model.stage_times());
  if (!model.ok()) return without_model(options, model);
  if (text && name == "so") return link_to(options, *text, report);
  if (text) return emit_to(options, *text, report);
  report.failure("emit_failed", text.error().message);
  return text.error().code == ErrorCode::no_native_code ? kUsage : kInternalError;
}

int explain_code(const Options& options) {
  const Report report(options);
  std::string text;
  std::vector<std::string> names;
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const CodeInfo& info : all_codes()) {
    names.push_back(info.name);
    if (!options.list && !is_code(info, options.code)) continue;
    found.push_back({{"code", info.code}, {"name", info.name}, {"severity", std::string(to_text(info.severity))}});
    if (options.list) {
      text += info.code + " " + info.name + "\n";
    } else {
      found.back()["text"] = explain(info.code);
      text =
          std::string(to_text(info.severity)) + "[" + info.code + "] " + info.name + "\n" + wrapped(explain(info.code));
    }
  }
  if (!text.empty() && options.print_json) return print_json(options.list ? found : found.front());
  if (!text.empty()) return print_output(text);
  const std::string near = nearest(options.code, names);
  return report.usage("explain: there is no diagnostic `" + options.code + "`",
                      near.empty() ? "`mbc explain --list` shows all of them" : "did you mean `" + near + "`?");
}

int execute(const Options& options) {
  switch (options.command) {
    case Command::run:
      return run_model(options);
    case Command::resume:
      return resume_run(options);
    case Command::view:
      return view_model(options);
    case Command::plot:
      return plot_result(options);
    case Command::check:
      return check_model(options);
    case Command::compile:
      return compile_model(options);
    case Command::explain:
      return explain_code(options);
    case Command::examples:
      return show_examples(options);
    case Command::begin:
      return begin_model(options);
    case Command::document:
      return document(options);
    case Command::doctor:
      return doctor_model(options);
    case Command::compare:
      return compare_methods(options);
    case Command::sweep:
      return sweep_model(options);
    case Command::info:
      return info_model(options);
    case Command::repl:
      return run_repl(options);
    case Command::test:
      return test_models(options);
    case Command::fmt:
      return format_models(options);
    case Command::jupyter:
      return jupyter(options);
    case Command::lsp:
      return serve_editor(options);
  }
  return kInternalError;
}

}  // namespace mbc::tools
