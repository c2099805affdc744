// SPDX-License-Identifier: Apache-2.0
// `mbc test`: the `test` blocks of models, one line each, and the reason of a failure.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/report/json_parts.h"
#include "base/joined.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/last_resort.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;

// One test by one engine or by both.
struct Outcome {
  std::vector<TestResult> runs;
  bool agree = true;  // the same last state, bit for bit

  [[nodiscard]] bool passed() const {
    bool all = agree;
    for (const TestResult& r : runs) all = all && r.passed;
    return all;
  }
  // Returns the run to show: the first that failed; both fail alike if the engines agree.
  [[nodiscard]] const TestResult& shown() const {
    for (const TestResult& r : runs)
      if (!r.passed) return r;
    return runs.front();
  }
};

class TestCommand {
 public:
  explicit TestCommand(const Options& options) : options_(options) {}

  int run() {
    catch_interrupts(2);
    const LastResort last([] { return kInterrupted; });
    for (const std::string& file : options_.files) {
      model(file);
      if (interrupted()) return kInterrupted;
      if (written_ != kOk) return written_;
    }
    if (!options_.json_tests) say(total());
    if (written_ != kOk) return written_;
    return failed_ + broken_ > 0 ? kModelError : kOk;
  }

 private:
  void say(const std::string& text) {
    if (written_ == kOk) written_ = print_output(text, options_.colour ? Shows::colours : Shows::text);
  }

  Model load(const std::string& file, bool interpret) const {
    Options one = options_;
    one.file = file;
    return load_model(one, interpret);
  }

  void model(const std::string& file) {
    const std::string name = shown_name(file);
    std::vector<Model> models{load(file, options_.interpret || options_.both)};
    if (options_.both && models[0].ok()) {
      CompileOptions again = compile_options(options_);
      again.native_at_once = true;
      again.folder = file == "-" ? "." : std::filesystem::absolute(file).parent_path().string();
      models.push_back(Model::from_string(models[0].source_text(), name, again));
    }
    for (const Model& m : models)
      if (!m.ok()) return broken(name, m);
    std::vector<Simulation> simulations;
    for (const Model& m : models) {
      Result<Simulation> made = Simulation::create(m);
      if (!made) return refused(made.error());
      simulations.push_back(*std::move(made));
    }
    if (!options_.json_tests) Report(options_).compiled(models[0]);  // warnings of the model
    const std::size_t count = models[0].tests().size();
    if (count == 0) {
      ++without_;
      if (!options_.json_tests) say(fmt::format("none    {}: no tests\n", name));
    }
    for (std::size_t k = 0; k < count && !interrupted(); ++k) {
      Outcome outcome;
      for (Simulation& s : simulations) outcome.runs.push_back(s.run_test(k, interrupt_flag()).value());
      if (interrupted()) return;
      if (simulations.size() == 2) compare(outcome);
      ++(outcome.passed() ? passed_ : failed_);
      say(options_.json_tests ? json(name, outcome) : text(name, outcome));
    }
  }

  // Reports that native code was demanded and is not available.
  void refused(const Error& error) {
    Report(options_).failure(to_text(error.code), error.message);
    written_ = error.code == ErrorCode::no_native_code ? kUsage : kModelError;
  }

  static void compare(Outcome& outcome) {
    const RunResult &a = outcome.runs[0].run, &b = outcome.runs[1].run;
    outcome.agree = b.engine == "native code" && a.rows == b.rows && a.state == b.state;
  }

  void broken(const std::string& name, const Model& model) {
    ++broken_;
    if (!options_.json_tests) {
      Report(options_).compiled(model);
      return say(fmt::format("FAILED  {}: the model has errors\n", name));
    }
    say(api::json_line(
        {{"file", name}, {"test", nullptr}, {"passed", false}, {"failures", diagnostics_json(model.diagnostics())}}));
  }

  std::string text(const std::string& name, const Outcome& outcome) const {
    const TestResult& r = outcome.shown();
    std::string out = fmt::format("{}  {}: \"{}\" over {} ({}, {}, {})\n", outcome.passed() ? "ok    " : "FAILED", name,
                                  escaped(r.test.title), r.test.simulation, counted(r.test.checks, "check"),
                                  counted(r.run.rows, "row"), engines(outcome));
    if (!outcome.agree) out += disagreement(outcome) + "\n";
    if (outcome.passed()) return out;
    if (!options_.json) return out + r.rendered;
    for (const DiagnosticInfo& d : r.failures) print_error(to_json_line(d));
    return out;
  }

  static std::string disagreement(const Outcome& outcome) {
    const std::string& engine = outcome.runs[1].run.engine;
    if (engine != "native code") return "there is no native code to compare with: " + engine;
    return "interpreter and native code do not come to the same state";
  }

  static std::string engines(const Outcome& outcome) {
    return joined_by(outcome.runs, [](const TestResult& r) { return r.run.engine; });
  }

  static std::string json(const std::string& name, const Outcome& outcome) {
    const TestResult& r = outcome.shown();
    Json out{{"file", name},
             {"test", r.test.title},
             {"simulation", r.test.simulation},
             {"line", r.test.place.line},
             {"passed", outcome.passed()},
             {"checks", r.test.checks},
             {"rows", r.run.rows},
             {"engines", Json::array()}};
    for (const TestResult& run : outcome.runs) out["engines"].push_back(run.run.engine);
    if (outcome.runs.size() == 2) out["agree"] = outcome.agree;
    out["failures"] = diagnostics_json(r.failures);
    return api::json_line(out);
  }

  std::string total() const {
    std::string out = fmt::format("{} passed, {} failed", passed_, failed_);
    if (broken_ > 0) out += ", " + counted(broken_, "model") + " with errors";
    if (without_ > 0) out += ", " + counted(without_, "model") + " without tests";
    return out + "\n";
  }

  const Options& options_;
  std::size_t passed_ = 0, failed_ = 0, broken_ = 0, without_ = 0;
  int written_ = kOk;
};

}  // namespace

int test_models(const Options& options) { return TestCommand(options).run(); }

}  // namespace mbc::tools
