// SPDX-License-Identifier: Apache-2.0
// Compares the vocabulary that editors get with that of the compiler.
#include "mbc/vocabulary.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "compiler/sema/expressions/functions.h"
#include "compiler/sema/expressions/names.h"
#include "mbc/mbc.h"

using namespace mbc;

TEST_CASE("something is said of all that is built in") {
  const Vocabulary& v = vocabulary();
  CHECK(v.functions.size() == sema::Functions::names().size());
  CHECK(v.values.size() == sema::Names::builtin_values().size());
  for (const auto* list : {&v.functions, &v.values})
    for (const BuiltinInfo& b : *list) CHECK_MESSAGE(!b.meaning.empty(), b.name);
  for (const BuiltinInfo& f : v.functions) CHECK_MESSAGE(!f.arguments.empty(), f.name);
}

TEST_CASE("statements, modifiers and settings are those of the compiler") {
  const Vocabulary& v = vocabulary();
  std::set<std::string> modifiers;
  for (const StatementInfo& s : v.statements)
    for (const std::string& m : s.modifiers) modifiers.insert(m);
  CHECK(modifiers.contains("moving"));
  CHECK(modifiers.contains("nonideal"));
  for (const std::string& m : modifiers)
    CHECK(std::find(v.modifiers.begin(), v.modifiers.end(), m) != v.modifiers.end());
  REQUIRE(v.settings.size() == 13);
  CHECK(v.settings[1].key == "integrator");
  CHECK(v.settings[1].choices.at(0).name == "rk4");
  CHECK(v.modules.size() >= 6);
}

namespace {

// Returns a model that uses every member of an object.
std::string model_with(const std::string& object, const std::vector<MemberInfo>& members, unsigned space) {
  const std::string size = std::to_string(space);
  std::string text = "mbd 1\nspace " + size + "\n";
  text += space == 3   ? "particle p(1) at (0, 0, 1)\nbody b(mass = 1, inertia = diag(1, 2, 3)) at (1, 0, 0)\n"
                         "point q on b at (1, 0, 0)\nframe f on b at (0, 1, 0)\n"
          : space == 2 ? "particle p(1) at (0, 1)\nbody b(mass = 1, inertia = 1) at (1, 0)\npoint q on b at (1, 0)\n"
                         "frame f on b at (0, 1)\n"
                       : "particle p(1) at 1\n";
  text += "constraint c: p.x == 1\nwhen e: t - 1 rising { stop \"end\" }\nlet v = p.pos\n";
  int k = 0;
  for (const MemberInfo& m : members) {
    const std::string value =
        m.name == "at" ? object + ".at(" + (space == 3 ? "1, 0, 0" : "1, 0") + ")" : object + "." + m.name;
    text += "let m" + std::to_string(++k) + " = " + value + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the members that are shown are understood") {
  const std::pair<const char*, const char*> objects[] = {
      {"particle", "p"}, {"body", "b"},   {"point", "q"},       {"frame", "f"},          {"ground", "ground"},
      {"event", "e"},    {"vector", "v"}, {"energy", "energy"}, {"momentum", "momentum"}};
  for (const unsigned space : {2u, 3u})
    for (const auto& object : objects) {
      const char* what = object.first;  // Messages may contain this word.
      const std::vector<MemberInfo> members = members_of(what, space);
      REQUIRE_MESSAGE(!members.empty(), what);
      const std::string text = model_with(object.second, members, space);
      const Model model = Model::from_string(text, "members.mbd", {.interpret = true, .cache = false});
      CHECK_MESSAGE(model.ok(), what, " in space ", space, "\n", text, model.render_diagnostics());
    }
  CHECK(members_of("number", 3).empty());
}

TEST_CASE("so are those of constraints") {
  const Model model = Model::from_string(
      "mbd 1\nparticle p(1) at (0, 0, 1)\nbody b(mass = 1, inertia = diag(1, 2, 3)) at (1, 0, 0)\n"
      "constraint c: b.x + p.x == 1\n"
      "output a1 = c.residual, a2 = c.lambda, a3 = c.reaction, a4 = c.moment(b), a5 = c.ideal\n",
      "members.mbd", {.interpret = true, .cache = false});
  CHECK_MESSAGE(model.ok(), model.render_diagnostics());
  CHECK(members_of("constraint", 3).size() == 5);
  const Model deck = Model::from_string(
      "mbd 1\nparticle p(1) at (0, 0, 1)\nconstraint c: p.z >= 0 restitution 0.5\n"
      "output a1 = c.residual, a2 = c.lambda, a3 = c.reaction, a5 = c.ideal, a7 = c.impulse, a8 = c.count, a9 = "
      "c.time\n"
      "output a6 = if c.active then 1 else 0\n",
      "members.mbd", {.interpret = true, .cache = false});
  CHECK_MESSAGE(deck.ok(), deck.render_diagnostics());
  CHECK(members_of("inequality", 3).size() == 9);
}
