// SPDX-License-Identifier: Apache-2.0
// Tests the meaning of names in a text, by the scope rules of elaboration and in texts that elaboration never sees.
#include "mbc/source_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "mbc/mbc.h"

using namespace mbc;

namespace {

struct Indexed {
  std::string text;
  SourceIndex index;

  // Returns the uses of this word in order.
  [[nodiscard]] std::vector<IndexUse> uses(const std::string& word) const {
    std::vector<IndexUse> out;
    for (const IndexUse& u : index.uses)
      if (u.place.file == 0 && text.substr(u.place.begin, u.place.end - u.place.begin) == word) out.push_back(u);
    return out;
  }
  [[nodiscard]] const IndexSymbol& meant(const std::string& word, std::size_t k) const {
    const IndexUse use = uses(word).at(k);
    REQUIRE(use.symbol != kNoSymbol);
    return index.symbols.at(use.symbol);
  }
  [[nodiscard]] const IndexFact* fact(const std::string& expression) const {
    for (const IndexFact& f : index.facts)
      if (text.substr(f.place.begin, f.place.end - f.place.begin) == expression) return &f;
    return nullptr;
  }
};

Indexed indexed(const std::string& text) {
  const Model model = Model::from_string(text, "model.mbd", {.interpret = true, .cache = false, .facts = true});
  Result<SourceIndex> index = source_index(model);
  REQUIRE(index);
  return {text, *index};
}

}  // namespace

TEST_CASE("a name means what is declared nearest") {
  const Indexed i = indexed(
      "mbd 1\n"
      "param k = 1\n"
      "def f(k) = 2*k\n"
      "model Box(k: int = 3) { let inner = k\n particle p(1) at (0, 0, k) }\n"
      "Box box(k = 4)\n"
      "for k in 1..2 { let half = 0.5*k\n particle q[k](1) at (half, 0, 0) }\n"
      "output a = k, b = f(k = k), c = box.inner, d = sum(k for k in 1..3)\n");
  CHECK(i.index.whole);
  CHECK(i.index.understood);
  const std::vector<IndexUse> k = i.uses("k");
  REQUIRE(k.size() == 15);
  const auto kind = [&](std::size_t n) { return i.meant("k", n).kind; };
  CHECK(kind(0) == SymbolKind::parameter);  // This is its declaration.
  CHECK(kind(1) == SymbolKind::argument);   // This is the argument of f.
  CHECK(k[1].symbol == k[2].symbol);
  CHECK(kind(3) == SymbolKind::argument);  // This is the argument of Box.
  CHECK(k[3].symbol == k[4].symbol);
  CHECK(k[3].symbol == k[5].symbol);
  CHECK(k[6].symbol == k[3].symbol);  // The instance names the argument here.
  CHECK(k[6].kind == UseKind::argument);
  CHECK(kind(7) == SymbolKind::loop_index);
  CHECK(k[8].symbol == k[7].symbol);
  CHECK(k[9].symbol == k[7].symbol);
  CHECK(k[10].symbol == k[0].symbol);  // This is the use in output a.
  CHECK(k[11].symbol == k[1].symbol);  // This is the argument in f(k = ...).
  CHECK(k[12].symbol == k[0].symbol);
  CHECK(k[13].symbol != k[0].symbol);  // This is the index of the sum, used before its declaration in the text.
  CHECK(k[13].symbol == k[14].symbol);
  CHECK(i.meant("inner", 1).owner == i.uses("Box").at(0).symbol);
  CHECK(i.meant("half", 1).local == false);
}

TEST_CASE("members are found through instances of instances, and in the library") {
  const Indexed i = indexed(
      "mbd 1\nuse joints\n"
      "model Arm(on: frame) {\n  body bar(mass = 1, inertia = diag(1, 1, 1)) at on.pos + (1, 0, 0)\n"
      "  Revolute hinge(on, bar.at(-1, 0, 0), axis = ey)\n}\n"
      "Arm arm(ground)\nlet load = arm.hinge.force\noutput x = load.x, y = arm.bar.x\n"
      "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n");
  REQUIRE(i.index.understood);
  const IndexSymbol& force = i.meant("force", 0);
  CHECK(force.name == "force");
  CHECK(i.index.files.at(force.place.file).name == "stdlib/joints.mbd");
  CHECK(i.index.files.at(force.place.file).standard);
  CHECK(i.meant("hinge", 1).kind == SymbolKind::instance);
  CHECK(i.meant("axis", 0).kind == SymbolKind::argument);
  CHECK(i.meant("Revolute", 0).description.starts_with("A hinge"));
  CHECK(i.meant("Revolute", 0).head.starts_with("joint Revolute(a: frame"));
  CHECK(i.uses("joints").at(0).kind == UseKind::module);
  CHECK(i.uses("rk4").at(0).kind == UseKind::choice);
  CHECK(i.uses("integrator").at(0).kind == UseKind::setting);
  for (const IndexUse& u : i.index.uses) CHECK(u.certain);
  const IndexFact* load = i.fact("arm.hinge.force");
  REQUIRE(load != nullptr);
  CHECK(load->shape == "a vector");
}

TEST_CASE("what only a call makes known is not claimed to be certain") {
  const Indexed i =
      indexed("mbd 1\ndef place(thing) = thing.tip\nmodel M() { point tip at (0, 0, 1)\n particle p(1) }\n");
  const std::vector<IndexUse> tip = i.uses("tip");
  REQUIRE(tip.size() >= 1);
  CHECK(tip[0].symbol == kNoSymbol);
  CHECK_FALSE(tip[0].certain);
}

TEST_CASE("units, levels, values and rows are those of the compiler") {
  const Indexed i = indexed(
      "mbd 1\nparam m = 2 [kg], k = 8 [N/m]\nlet T = 2*pi*sqrt(m/k)\nparticle p(m) at (0, 0, 1) [m]\n"
      "let v = norm(p.vel)\nconstraint rod: dist(ground, p) == 1 [m]\nconstraint plane: p.vy == 0\n");
  REQUIRE(i.index.understood);
  const IndexFact* period = i.fact("2*pi*sqrt(m/k)");
  REQUIRE(period != nullptr);
  CHECK(period->unit == "s");
  CHECK(period->level.empty());
  REQUIRE(period->value.size() == 1);
  CHECK(period->value[0] == doctest::Approx(M_PI).epsilon(1e-15));
  const IndexFact* speed = i.fact("norm(p.vel)");
  REQUIRE(speed != nullptr);
  CHECK(speed->unit == "m/s");
  CHECK(speed->level == "velocity");
  CHECK(speed->value.empty());
  REQUIRE(i.index.rows.size() == 2);
  CHECK(i.index.rows[0].level == "position");
  CHECK(i.index.rows[1].level == "velocity");
}

TEST_CASE("a text with mistakes has an index of what could be read") {
  const Indexed broken = indexed("mbd 1\nuse joints\nparam m = 1\nparticle p(m) at (\nlet a = 2*m\nlet b = = 3\n");
  CHECK_FALSE(broken.index.whole);
  CHECK_FALSE(broken.index.understood);
  CHECK(broken.meant("m", 0).kind == SymbolKind::parameter);
  CHECK(std::any_of(broken.index.symbols.begin(), broken.index.symbols.end(),
                    [](const IndexSymbol& s) { return s.name == "Revolute"; }));
  const Indexed unknown = indexed("mbd 1\nparticle p(1) at (0, 0, q)\n");
  CHECK(unknown.index.whole);
  CHECK(unknown.index.understood);
  CHECK(unknown.uses("q").at(0).symbol == kNoSymbol);
  CHECK_FALSE(source_index(Model()));
}

TEST_CASE("labels of machines, events, sweeps and tests") {
  const Indexed i = indexed(
      "mbd 1\nparticle p(1) at (0, 0, 1)\nstate phase in (up, down) = up\n"
      "when land: p.z falling { phase = phase.down }\noutput n = land.count\nparam c = 1\nforce f on p: -c*p.pos\n"
      "simulate demo { time = 0 .. 1 step 0.1 }\nsweep tune over demo { c = 1 .. 2 count 3; record final(p.z) }\n"
      "test \"stays\" over demo { check c > 0 }\n");
  CHECK(i.meant("down", 1).kind == SymbolKind::label);
  CHECK(i.uses("down").at(0).symbol == i.uses("down").at(1).symbol);
  CHECK(i.meant("land", 1).kind == SymbolKind::event);
  CHECK(i.meant("demo", 1).kind == SymbolKind::simulation);
  CHECK(i.uses("demo").size() == 3);
  CHECK(i.uses("c").size() == 4);  // The uses are the declaration, the force, the sweep and the check.
}

// Every name that the compiler finds is in the index, for all available texts.
TEST_CASE("no name of the examples and of the library is unknown") {
  namespace fs = std::filesystem;
  std::size_t files = 0;
  for (const char* folder : {"/examples", "/tests/language", "/stdlib"})
    for (const auto& entry : fs::recursive_directory_iterator(std::string(MBC_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".mbd") continue;
      const Model model = Model::from_file(entry.path().string(), {.interpret = true, .cache = false});
      const Result<SourceIndex> index = source_index(model);
      REQUIRE_MESSAGE(index, entry.path().string());
      CHECK_MESSAGE(index->whole, entry.path().string());
      const std::string text = model.source_text();
      ++files;
      const Vocabulary& v = vocabulary();
      for (const IndexUse& u : index->uses) {
        if (u.kind != UseKind::name || u.symbol != kNoSymbol || u.place.file != 0) continue;
        const std::string word = text.substr(u.place.begin, u.place.end - u.place.begin);
        const auto known = [&](const std::vector<BuiltinInfo>& list) {
          return std::any_of(list.begin(), list.end(), [&](const BuiltinInfo& b) { return b.name == word; });
        };
        // These are options of `table`, and a name of the library that is known without `use`.
        static const std::set<std::string> options = {"linear", "cubic", "hold", "line", "error", "Contact"};
        CHECK_MESSAGE((known(v.values) || known(v.functions) || word == "frame" || options.contains(word)),
                      entry.path().string(), ": ", word);
      }
    }
  CHECK(files > 90);
}
