// SPDX-License-Identifier: Apache-2.0
// `mbc compile`: the output of a stage of the compiler, and files of a model for linking, loading or running it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/read_file.h"
#include "base/text.h"
#include "mbc/machine_code.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/fmu/archive.h"
#include "tools/link/beside.h"
#include "tools/link/executable.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Form = MachineCode::Form;

// A target: made by Model::emit, by machine_code, or (neither) an archive for FMI.
struct Target {
  const char* name;
  const char* ending;  // ending of its file; also a name. "" if there is none
  std::optional<Stage> stage;
  std::optional<Form> form;

  [[nodiscard]] bool is_code() const { return form || (stage >= Stage::llvm_ir && stage <= Stage::object); }
  [[nodiscard]] bool is_text() const { return stage && *stage != Stage::object; }
  [[nodiscard]] bool is_executable() const { return form == Form::program; }
  [[nodiscard]] bool has_names() const { return stage == Stage::header || (is_code() && !is_executable()); }
};

constexpr std::array<Target, 14> kTargets = {{{"ast", "", Stage::ast, {}},
                                              {"model", "", Stage::model, {}},
                                              {"system", "", Stage::system, {}},
                                              {"kernel", "", Stage::kernel, {}},
                                              {"jacobian", "", Stage::jacobian, {}},
                                              {"llvm-ir", "ll", Stage::llvm_ir, {}},
                                              {"bitcode", "bc", {}, Form::bitcode},
                                              {"asm", "s", Stage::assembly, {}},
                                              {"obj", "o", Stage::object, {}},
                                              {"archive", "a", {}, Form::archive},
                                              {"so", "so", {}, Form::shared_object},
                                              {"header", "h", Stage::header, {}},
                                              {"exe", "", {}, Form::program},
                                              {"fmu", "fmu", {}, {}}}};
constexpr const char* kTargetNames =
    "ast, model, system, kernel, jacobian, llvm-ir, bitcode, asm, obj, archive, so, header, exe, fmu";

// Returns the files to which a target is written.
Written written_as(const Target& target) {
  std::vector<std::string_view> endings;
  if (*target.ending != '\0') endings.push_back(target.ending);
  if (target.is_executable()) endings = {"", "exe", "bin", "out"};
  if (target.is_text()) endings.insert(endings.end(), {"txt", target.name});
  const std::string name = target.name;
  if (target.is_executable()) return {"an executable has no ending", endings};
  return {"`" + name + "` goes to files of its own kind", endings};
}

const Target* target_named(const std::string& name) {
  for (const Target& t : kTargets)
    if (name == t.name || (!name.empty() && name == t.ending)) return &t;
  return nullptr;
}

const Target* target_of_ending(const std::string& path) {
  for (const Target& t : kTargets)
    if (*t.ending != '\0' && path.ends_with(std::string(".") + t.ending)) return &t;
  return nullptr;
}

// Returns the name of the file without folder and ending, as a C identifier: `two-masses.mbd` -> `two_masses`.
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

bool to_stdout(const Options& options) { return options.output.empty() || options.output == "-"; }

// Makes a plain file executable; streams are left alone.
bool make_executable(const std::string& file, std::string& error) {
  struct stat s {};
  if (stat(file.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return true;
  if (chmod(file.c_str(), (s.st_mode & 07777) | ((s.st_mode & 0444) >> 2)) == 0) return true;
  error = "`" + file + "` cannot be made executable";
  return false;
}

int emit_to(const Options& options, const Target& target, const std::string& text, const Report& report) {
  nlohmann::ordered_json said = {{"stage", target.name}};
  if (to_stdout(options)) {
    if (!options.print_json) return target.is_text() ? print_output(text) : print_data(text);
    said["text"] = text;
    return print_json(said);
  }
  std::string error;
  if (!write_text(options.output, text, error) || (target.is_executable() && !make_executable(options.output, error)))
    return report.failure("output_failed", error);
  said["file"] = options.output;
  said["bytes"] = text.size();
  return options.print_json ? print_json(said) : int{kOk};
}

// Makes the checks that are possible before compiling; returns kOk if there is no objection.
int check_target(const Options& options, const Target& target, const Report& report) {
  const bool is_fmu = !target.stage && !target.form;
  if (!options.simulation.empty() && !is_fmu && !target.is_executable())
    return report.usage("compile: NAME is for fmu and exe", "leave it out, or write `-o model.fmu`");
  if (options.fmi != 3 && !is_fmu) return report.usage("compile: --fmi is for fmu", "leave it out");
  if (!target.is_code() && !options.processor.empty())
    return report.usage("compile: --cpu is for llvm-ir, bitcode, asm, obj, archive, so and exe", "leave it out");
  if (!target.has_names() && !options.prefix.empty())
    return report.usage("compile: --prefix is for llvm-ir, bitcode, asm, obj, archive, so and header", "leave it out");
  if ((is_fmu || target.is_executable()) && !options.stdlib.empty())
    return report.usage("compile: --stdlib is not for fmu and exe, which have the library of mbc", "leave it out");
  if (target.is_executable() && to_stdout(options))
    return report.usage("compile: an executable needs a file", "name it: `-o model`");
  if (!target.is_text() && to_stdout(options) && (isatty(1) == 1 || options.print_json))
    return report.usage(
        std::string("compile: ") + target.name + " is no text for " + (options.print_json ? "JSON" : "a terminal"),
        "name a file with -o");
  return check_place(options, options.output, written_as(target));
}

// The archive is made here and not by the library, because it needs files of the installation.
int export_fmu(const Options& options, const Target& target, const Report& report) {
  const std::string identifier = prefix_of(options.output.empty() ? options.file : options.output);
  const Model model = load_model(options, true);
  report.compiled(model);
  if (const int problem = check_not_read(options, model_files(model), {options.output}); problem != kOk) return problem;
  if (!model.ok()) return without_model(options, model);
  if (const Result<Simulation> there = Simulation::create(model, options.simulation); !there) {
    report.failure("model_error", there.error().message);
    return kModelError;
  }
  std::string error;
  const std::string name = options.file == "-" ? "model.mbd" : options.file;
  const std::string bytes = fmu_of(model, {options.fmi, name, identifier, options.simulation, options.set}, error);
  if (!bytes.empty()) return emit_to(options, target, bytes, report);
  report.failure("export_failed", error);
  return kUsage;
}

int no_code(const Error& error, const Report& report) {
  report.failure("emit_failed", error.message);
  if (error.code == ErrorCode::no_such_name || error.code == ErrorCode::model_error) return kModelError;
  if (error.code == ErrorCode::invalid_argument) return kUsage;
  return error.code == ErrorCode::no_native_code ? kUsage : kInternalError;
}

// Writes a copy of the program that runs models, followed by this model.
int write_executable(const Options& options, const Target& target, const Model& model, const std::string& code,
                     const Report& report) {
  constexpr const char* kProgram = "mbc-runner";
  std::string program, error;
  const std::string place = library_beside(kProgram);
  if (place.empty() || !read_file(place, program, error, std::numeric_limits<std::size_t>::max())) {
    report.failure("link_failed", std::string(kProgram) +
                                      ", which executables are made of, was not found beside mbc, "
                                      "in ../lib from there, or in $MBC_LIBRARY_PATH");
    return kUsage;
  }
  const std::string name = options.file == "-" ? "model.mbd" : options.file.substr(options.file.rfind('/') + 1);
  Embedded held = embedded(model, name, options.simulation, options.set);
  held.code = code;
  held.features = processor_features(model, options.processor);
  return emit_to(options, target, executable(program, std::move(held)), report);
}

}  // namespace

int compile_model(const Options& options) {
  const Report report(options);
  const Target* target = options.emit.empty() ? target_of_ending(options.output) : target_named(options.emit);
  if (target == nullptr && options.emit.empty())
    return report.usage("compile: which stage is wanted?",
                        std::string("add `--emit=STAGE` with one of ") + kTargetNames);
  if (target == nullptr) {
    std::vector<std::string> known;
    for (const Target& t : kTargets) known.emplace_back(t.name);
    return report.usage("compile: unknown stage `" + options.emit + "`",
                        did_you_mean(options.emit, known, std::string("the stages are ") + kTargetNames));
  }
  const std::string prefix = options.prefix.empty() ? prefix_of(options.file) : options.prefix;
  if (!is_identifier(prefix))
    return report.usage("compile: `" + prefix + "` is no name for functions in C", "letters, digits, _");
  if (const int problem = check_target(options, *target, report); problem != kOk) return problem;
  if (!target->stage && !target->form) return export_fmu(options, *target, report);
  const Model model = load_model(options, !target->is_code());
  report.compiled(model);
  if (const int problem = check_not_read(options, model_files(model), {options.output}); problem != kOk) return problem;
  if (model.ok() && target->is_code() && !model.knows_processor(options.processor))
    return report.usage("compile: LLVM knows no processor `" + options.processor + "`",
                        "for example --cpu=x86-64-v3 or native");
  if (!model.ok()) {
    if (options.time_passes) report.times(model.stage_times());
    return without_model(options, model);
  }
  const std::string file = options.output.substr(options.output.rfind('/') + 1);
  const std::string name = to_stdout(options) || file.empty() ? "model.so" : file;
  const Result<std::string> made =
      target->form ? machine_code(model, {*target->form, prefix, options.processor, name, options.simulation})
                   : model.emit(*target->stage, prefix, options.processor);
  if (options.time_passes) report.times(model.stage_times());
  if (!made) return no_code(made.error(), report);
  return target->is_executable() ? write_executable(options, *target, model, *made, report)
                                 : emit_to(options, *target, *made, report);
}

}  // namespace mbc::tools
