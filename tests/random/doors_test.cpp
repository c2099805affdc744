// SPDX-License-Identifier: Apache-2.0
// Tests that every door says what a run says, on models of all random generators: contacts, friction, events, held
// states, non-ideal rows, tables, all representations of bodies and joints as coordinates.
// MBC_RANDOM_MODELS=n tests n models from MBC_RANDOM_SEED on.
#include "tests/random/doors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/physics/run.h"
#include "tests/random/contact_text.h"
#include "tests/random/event_text.h"
#include "tests/random/friction_text.h"
#include "tests/random/how_many.h"
#include "tests/random/mechanism.h"
#include "tests/random/model_text.h"
#include "tests/random/whole_model.h"
#include "tests/support/scratch.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// Adds a force of each constraint beside its ideal one.
std::string nonideal(std::string text, const std::string& on) {
  const std::string start = "\nconstraint ";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1))
    text.insert(text.find('\n', at + 1), " nonideal { force on " + on + ": -0.3*" + on + ".vel }");
  return text;
}

DoorModel whole(std::uint64_t seed) {
  using Version = WholeModel::Version;
  constexpr Version kVersions[] = {Version::quaternion, Version::euler_parameters, Version::natural, Version::plain};
  std::string text = WholeModel(seed).text(kVersions[seed % 4]);
  if (seed % 3 == 0) text = nonideal(text, "b1");
  return {text, "move", {}, ""};
}

// Adds outputs of all multipliers, which are not unique where rows repeat others.
DoorModel with_multipliers(const RandomModel& model) {
  std::string outputs;
  for (const RandomRow& row : model.rows) outputs += "output of_" + row.name + " = " + row.name + ".lambda\n";
  std::string text = model.text;
  return {text.insert(text.find("simulate"), outputs), "", {}, ""};
}

DoorModel drawn(std::uint64_t seed) {
  const std::uint64_t which = seed / 7 + 1;
  switch (seed % 7) {
    case 0:
      return {ContactText(which).text(), "", {}, ""};
    case 1:
      return {FrictionText(which).text(), "", {}, ""};
    case 2:
    case 3:
      return {EventText(2 * which + seed % 2).text(), "", {}, ""};
    case 4:
      return whole(which);
    case 5:
      return {Mechanism(which).text(), "",
              which % 3 == 0 ? std::vector<std::string>() : std::vector<std::string>{"bodies=tree"}, ""};
    default:
      return with_multipliers(random_model(which));
  }
}

// Returns the first block of a text, which all doors take.
std::string first_block(const std::string& text) {
  const std::size_t begin = text.find("\nsimulate");
  return begin == std::string::npos ? "" : text.substr(begin, text.find("}\n", begin) - begin);
}

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MBC_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".mbd") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

void tell(const DoorCounts& c, int by_python) {
  MESSAGE(c.models << " models (" << c.not_run << " without a run, " << c.stopped << " stopped), " << c.rows
                   << " rows, " << c.alike << " alike, " << c.other_rows << " by other rows, " << c.begun << " begun, "
                   << c.not_begun << " not; native " << c.native << ", C " << c.by_c << ", Python " << by_python << ", "
                   << c.fit_objects << " fit objects: " << c.shared << " shared, " << c.linked << " linked; " << c.fmus
                   << " FMUs, " << c.refused << " refused");
}

// Every door was asked at every state that it has an answer for.
void check_doors(const DoorCounts& c, int by_python) {
  CHECK(c.by_c == c.rows + c.begun);
  CHECK((by_python < 0 || by_python == c.rows));
  if (!have_native()) return;
  CHECK(c.native == c.rows);
  CHECK(c.shared == c.fit_objects);
  CHECK(c.linked == c.fit_objects);
}

}  // namespace

TEST_CASE("random models: every door says what the run says") {
  constexpr int kWithFmu = 5;  // models for each that is exported
  const int count = random_models(40, 1);
  const std::uint64_t first = first_random_seed();
  DoorCounts counts;
  const Folder folder;
  PythonDoor python(folder.path());
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const DoorModel model = drawn(seed);
    CAPTURE(seed);
    CAPTURE(model.text);
    Doors doors(model, python, counts);
    doors.along_a_run();
    doors.at_random_states(seed);
    if (seed % kWithFmu == 0) doors.with_an_fmu();
  }
  const int by_python = python.ask();
  tell(counts, by_python);
  check_doors(counts, by_python);
  CHECK(6 * counts.not_run <= counts.models);
  CHECK(20 * counts.stopped <= counts.models);
  CHECK(counts.rows >= 6 * counts.models);
  CHECK(counts.begun >= 2 * counts.models);
  CHECK(20 * counts.other_rows <= counts.rows);
  CHECK(2 * counts.alike >= counts.rows);  // what acts at most states is found again without the discrete state
  if (!have_native()) return;
  CHECK(counts.fit_objects >= 2 * counts.models);
  CHECK(2 * kWithFmu * counts.fmus >= count);
  CHECK(counts.refused == 0);
}

TEST_CASE("examples: every door says what the run says") {
  constexpr std::size_t kMost = 60;  // coordinates: larger models say nothing more about doors
  const std::vector<std::string> files = examples();
  REQUIRE(files.size() > 40);
  const auto count = static_cast<std::size_t>(random_models(4, 8));
  const std::uint64_t first = first_random_seed();
  DoorCounts counts;
  const Folder folder;
  PythonDoor python(folder.path());
  for (std::size_t k = 0; k < std::min(count, files.size()); ++k) {
    const std::string& file = files[(first + k) % files.size()];
    const DoorModel model{read_file(file), "", {}, file};
    CAPTURE(file);
    const Model size = Model::from_file(file);
    const std::string block = first_block(model.text);
    if (size.coordinate_count() > kMost || block.empty() || block.find("timestep") != std::string::npos) continue;
    Doors doors(model, python, counts);
    doors.along_a_run();
    doors.at_random_states(first + k);
  }
  const int by_python = python.ask();
  tell(counts, by_python);
  check_doors(counts, by_python);
  CHECK(counts.not_run + counts.stopped == 0);
  CHECK(counts.rows >= 6 * counts.models);
}
