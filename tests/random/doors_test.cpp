// SPDX-License-Identifier: Apache-2.0
// Tests that every door says what a run says, on models of all random generators: contacts, friction, events, held
// states, non-ideal rows, tables, all representations of bodies and joints as coordinates.
// MBC_RANDOM_MODELS=n tests n models from MBC_RANDOM_SEED on.
#include "tests/random/doors.h"

#include <doctest/doctest.h>

#include <algorithm>

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

struct Drawn {
  std::string text, block;
  std::vector<std::string> set;
};

// Adds a force of each constraint beside its ideal one.
std::string nonideal(std::string text, const std::string& on) {
  const std::string start = "\nconstraint ";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1))
    text.insert(text.find('\n', at + 1), " nonideal { force on " + on + ": -0.3*" + on + ".vel }");
  return text;
}

Drawn whole(std::uint64_t seed) {
  using Version = WholeModel::Version;
  constexpr Version kVersions[] = {Version::quaternion, Version::euler_parameters, Version::natural, Version::plain};
  std::string text = WholeModel(seed).text(kVersions[seed % 4]);
  if (seed % 3 == 0) text = nonideal(text, "b1");
  return {text, "move", {}};
}

// Adds outputs of all multipliers, which are not unique where rows repeat others.
Drawn with_multipliers(const RandomModel& model) {
  std::string outputs;
  for (const RandomRow& row : model.rows) outputs += "output of_" + row.name + " = " + row.name + ".lambda\n";
  std::string text = model.text;
  return {text.insert(text.find("simulate"), outputs), "", {}};
}

Drawn drawn(std::uint64_t seed) {
  const std::uint64_t which = seed / 7 + 1;
  switch (seed % 7) {
    case 0:
      return {ContactText(which).text(), "", {}};
    case 1:
      return {FrictionText(which).text(), "", {}};
    case 2:
    case 3:
      return {EventText(2 * which + seed % 2).text(), "", {}};
    case 4:
      return whole(which);
    case 5:
      return {Mechanism(which).text(), "",
              which % 3 == 0 ? std::vector<std::string>() : std::vector<std::string>{"bodies=tree"}};
    default:
      return with_multipliers(random_model(which));
  }
}

}  // namespace

TEST_CASE("random models: every door says what the run says") {
  const int count = random_models(40, 1);
  const std::uint64_t first = first_random_seed();
  DoorCounts counts;
  const Folder folder;
  PythonDoor python(folder.path());
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const Drawn model = drawn(seed);
    CAPTURE(seed);
    CAPTURE(model.text);
    Doors doors(model.text, model.set, model.block, python, counts);
    doors.along_a_run();
    doors.at_random_states(seed);
  }
  const int by_python = python.ask();
  MESSAGE(counts.models << " models, " << counts.rows << " rows, " << counts.alike << " alike, " << counts.begun
                        << " begun, " << counts.not_begun << " not, " << counts.objects << " by an object, "
                        << by_python << " by Python");
  CHECK(counts.rows >= 6 * counts.models);
  CHECK(counts.begun >= counts.models);
  CHECK((by_python < 0 || by_python == counts.rows));
}
