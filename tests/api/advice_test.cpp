// SPDX-License-Identifier: Apache-2.0
// Tests that advice works. Each file of diagnostics/advice and diagnostics/runtime_advice fails with an advice, and the
// file of the same name in language/advice follows it; the runner of the golden files runs both. This test checks that
// the pairs are complete and that no diagnostic of a model or a run gives an advice without a pair. It also checks that
// a diagnostic for a place in another file names the place in the user's file.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;
namespace fs = std::filesystem;

namespace {

const fs::path kTests = MBC_TEST_DATA_DIR;

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& e : fs::directory_iterator(folder))
    if (e.path().extension() == ".mbd") files.push_back(e.path());
  return files;
}

// Returns the diagnostics of `mbc check`, and for models that pass those of `mbc run`; of several blocks the first one
// runs.
std::vector<DiagnosticInfo> said_of(const fs::path& file) {
  CompileOptions options;
  options.interpret = true;
  const Model model = Model::from_file(file.string(), options);
  std::vector<DiagnosticInfo> said = model.diagnostics();
  if (!model.ok()) return said;
  Result<Simulation> simulation = Simulation::create(model);
  if (!simulation) return said;
  RunOptions run;
  if (model.simulations().size() > 1) run.simulation = model.simulations().front();
  const RunResult result = simulation.value().run(run);
  said.insert(said.end(), result.warnings.begin(), result.warnings.end());
  if (result.diagnostic) said.push_back(*result.diagnostic);
  return said;
}

bool about_mechanics_or_run(const std::string& code) { return code.substr(1, 2) == "04" || code.substr(1, 2) == "06"; }

std::set<std::string> advised(const fs::path& folder) {
  std::set<std::string> codes;
  for (const fs::path& file : models_in(folder))
    for (const DiagnosticInfo& d : said_of(file))
      if (!d.help.empty() && about_mechanics_or_run(d.code)) codes.insert(d.code);
  return codes;
}

// These diagnostics refer to a setting of the `simulate` block, which a component cannot have, or to the whole run.
const std::set<std::string> kOfTheRun = {"E0614", "W0652", "W0658"};

// These pieces of advice cannot be tested by a pair of files.
const std::map<std::string, std::string> kWithoutPair = {
    {"E0422", "a value on the command line"},
    {"E0424", "which block is run, on the command line"},
    {"E0482", "which values a sweep has, on the command line as well"},
    {"E0609", "needs 2001 constraints: tests/api/limits_test.cpp"},
    {"E0662", "which sweep is run, on the command line"},
    {"E0663", "a value on the command line"},
};

}  // namespace

TEST_CASE("each advice has a model that fails with it and one that follows it") {
  for (const char* folder : {"advice", "runtime_advice"})
    for (const fs::path& file : models_in(kTests / "diagnostics" / folder)) {
      CAPTURE(file.string());
      bool advice = false;
      for (const DiagnosticInfo& d : said_of(file)) advice |= !d.help.empty();
      CHECK(advice);
      const fs::path followed = kTests / "language" / "advice" / file.filename();
      REQUIRE(fs::exists(followed));
      for (const DiagnosticInfo& d : said_of(followed)) CHECK_MESSAGE(false, d.message);
    }
  for (const fs::path& file : models_in(kTests / "language" / "advice")) {
    CAPTURE(file.string());
    CHECK((fs::exists(kTests / "diagnostics" / "advice" / file.filename()) ||
           fs::exists(kTests / "diagnostics" / "runtime_advice" / file.filename())));
  }
}

TEST_CASE("no diagnostic of a model or a run gives an advice that is not tested") {
  std::set<std::string> with_pair = advised(kTests / "diagnostics" / "advice");
  with_pair.merge(advised(kTests / "diagnostics" / "runtime_advice"));
  for (const char* folder : {"mechanics", "states", "mistakes", "tests", "sweeps", "runtime", "runtime_components"})
    for (const std::string& code : advised(kTests / "diagnostics" / folder)) {
      CAPTURE(code);
      CHECK((with_pair.contains(code) || kWithoutPair.contains(code)));
    }
}

TEST_CASE("a place in another file comes with the place in the user's file, in all diagnostics of a run") {
  // Every kind of E06xx and W06xx that a file in runtime/ causes must also occur in a component of another file.
  std::set<std::string> wanted, seen;
  for (const fs::path& file : models_in(kTests / "diagnostics" / "runtime"))
    for (const DiagnosticInfo& d : said_of(file))
      if (d.code.substr(1, 2) == "06" && !kOfTheRun.contains(d.code)) wanted.insert(d.code);
  for (const fs::path& file : models_in(kTests / "diagnostics" / "runtime_components"))
    for (const DiagnosticInfo& d : said_of(file)) {
      CAPTURE(file.string());
      CAPTURE(to_json(d));
      if (d.place.file == file.string() || d.place.line == 0) continue;
      seen.insert(d.code);
      bool users = false;
      for (const auto& [place, text] : d.labels) users |= place.file == file.string() && text.starts_with("in `");
      CHECK(users);
    }
  CHECK(wanted.size() >= 12);
  for (const std::string& code : wanted) {
    CAPTURE(code);
    CHECK(seen.contains(code));
  }
}
