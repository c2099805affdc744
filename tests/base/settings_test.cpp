// SPDX-License-Identifier: Apache-2.0
// Tests include/mbc/settings.def: the compiler understands every choice, every formulation has equations, and
// docs/language.md describes each choice with its arguments and defaults.
#include "base/settings.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/diagnostics/render.h"
#include "compiler/parse/parse.h"
#include "compiler/pipeline.h"
#include "mbc/settings.h"

namespace {

using namespace mbc;
using settings::ArgumentInfo;
using settings::ChoiceInfo;
using settings::Key;
using settings::Range;

constexpr Key kChosen[] = {Key::integrator, Key::formulation, Key::bodies, Key::stabilise, Key::at_singular};

std::string manual() {
  const std::ifstream in(MBC_SOURCE_DIR "/docs/language.md", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Elaborates the model with one setting. Whether formulations apply to it is not tested here.
sema::Model model_with(const std::string& setting, Sink& sink) {
  SourceSet sources;
  const std::uint32_t file = sources.add(
      "settings.mbd", "mbd 1\nparticle p(1) at (0, 0, 0)\nsimulate { time = 0 .. 1 step 0.1\n " + setting + " }\n");
  const ast::File tree = parse(sources, file, ParseMode::file, sink);
  const sema::ModuleSet modules;
  const std::vector<sema::Override> overrides;
  sema::Model model = sema::elaborate(tree, sources, modules, overrides, sink);
  CHECK_MESSAGE(!sink.has_errors(), render_text(sink, sources, {}));
  return model;
}

std::string valid_value(const ArgumentInfo& a) {
  const std::string name = settings::to_text(a.argument);
  return a.range == Range::word ? name : name + " = 0.125";
}

}  // namespace

TEST_CASE("every choice of every setting is understood, and stays what it was") {
  for (const Key key : kChosen)
    for (const ChoiceInfo& choice : settings::choices(key)) {
      CAPTURE(choice.name);
      Sink sink;
      const sema::Model model = model_with(std::string(settings::to_text(key)) + " = " + choice.name, sink);
      REQUIRE(model.simulations.size() == 1);
      const sema::Simulation& s = model.simulations[0];
      const std::string name = key == Key::integrator    ? s.integrator.name()
                               : key == Key::formulation ? s.formulation.name()
                               : key == Key::bodies      ? s.bodies.name()
                               : key == Key::stabilise   ? s.stabilise.name()
                                                         : s.at_singular.name();
      CHECK(name == choice.name);
    }
}

TEST_CASE("every argument of every choice is understood") {
  for (const Key key : kChosen)
    for (const ChoiceInfo& choice : settings::choices(key))
      for (const ArgumentInfo& a : choice.arguments) {
        const std::string text = std::string(choice.name) + "(" + valid_value(a) + ")";
        CAPTURE(text);
        Sink sink;
        const sema::Model model = model_with(std::string(settings::to_text(key)) + " = " + text, sink);
        REQUIRE(model.simulations.size() == 1);
        const sema::Simulation& s = model.simulations[0];
        const sema::Arguments& given = key == Key::integrator    ? static_cast<const sema::Arguments&>(s.integrator)
                                       : key == Key::formulation ? static_cast<const sema::Arguments&>(s.formulation)
                                                                 : static_cast<const sema::Arguments&>(s.stabilise);
        CHECK(given.find(a.argument) == (a.range == Range::word ? 1.0 : 0.125));
      }
}

TEST_CASE("without settings a run has the first choice of each") {
  Sink sink;
  const sema::Model model = model_with("", sink);
  const sema::Simulation& s = model.simulations.at(0);
  CHECK(s.integrator.method == settings::Integrator::automatic);
  CHECK(s.formulation.method == settings::Formulation::udwadia_kalaba);
  CHECK(s.bodies.method == settings::Representation::quaternion);
  CHECK(s.stabilise.method == settings::Stabilisation::project);
  CHECK(s.at_singular.method == settings::AtSingular::pass);
  CHECK(s.stabilise.value(settings::Argument::tol) == 1e-12);
  CHECK_FALSE(s.stabilise.written);
}

TEST_CASE("every formulation has equations, and no other is known") {
  std::size_t count = 0;
  for (const ChoiceInfo& choice : settings::choices(Key::formulation)) {
    CAPTURE(choice.name);
    CHECK(formulate::find_formulation(choice.name) != nullptr);
    ++count;
  }
  CHECK(formulate::find_formulation("newton") == nullptr);
  CHECK(count == 11);
}

TEST_CASE("the manual names every setting, choice and argument") {
  const std::string text = manual();
  const auto named = [&](const std::string& word) { return text.find(word) != std::string::npos; };
  for (const std::string& key : settings::keys()) CHECK_MESSAGE(named("`" + key), key);
  for (const Key key : kChosen)
    for (const ChoiceInfo& choice : settings::choices(key)) {
      CHECK_MESSAGE(named("`" + std::string(choice.name)), choice.name);
      for (const ArgumentInfo& a : choice.arguments) {
        const std::string name = settings::to_text(a.argument);
        CHECK_MESSAGE(named(name), name);
      }
    }
}

namespace {

// The public enumerators are exactly the words of the list, in its order.
template <class Enum>
void check_words(Key key) {
  const auto choices = settings::choices(key);
  for (std::size_t k = 0; k < choices.size(); ++k) {
    CAPTURE(choices[k].name);
    CHECK(to_text(static_cast<Enum>(k)) == std::string(choices[k].name));
  }
  CHECK(to_text(static_cast<Enum>(choices.size())) == std::string("?"));
}

}  // namespace

TEST_CASE("the words of the public interface are those of the language") {
  check_words<mbc::Integrator>(Key::integrator);
  check_words<mbc::Formulation>(Key::formulation);
  check_words<mbc::Representation>(Key::bodies);
  check_words<mbc::Stabilisation>(Key::stabilise);
}
