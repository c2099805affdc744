// SPDX-License-Identifier: Apache-2.0
// Tests the words and signs of any text, and the surroundings of a place in an unfinished text.
#include "tools/lsp/scan.h"

#include <doctest/doctest.h>

using namespace mbc::lsp;
using Where = Surroundings::Where;

namespace {

// `|` marks the place.
Surroundings at(std::string text) {
  const std::size_t place = text.find('|');
  REQUIRE(place != std::string::npos);
  text.erase(place, 1);
  return surroundings(text, static_cast<std::uint32_t>(place));
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("every byte but blanks is part of one word or sign") {
  const std::string text = "mbd 1 // µ\n/// doc\nlet x_1 = 1.5e-3*1..n // \"a\"\nlet s = \"open\nlet b = a' <= .5";
  std::uint32_t from = 0;
  std::string words;
  for (const Lexeme& l : scan(text)) {
    CHECK(l.begin >= from);
    CHECK(l.end > l.begin);
    CHECK(text.substr(from, l.begin - from).find_first_not_of(" \n") == std::string::npos);
    from = l.end;
    if (l.what == Lex::number) words += text.substr(l.begin, l.end - l.begin) + " ";
  }
  CHECK(from == text.size());
  CHECK(words == "1 1.5e-3 1 .5 ");
}

TEST_CASE("what is asked for at a place") {
  CHECK(at("mbd 1\npar|").where == Where::statement);
  CHECK(at("mbd 1\nlet a = |").where == Where::expression);
  CHECK(at("mbd 1\nlet a = 1 // |").where == Where::nothing);
  CHECK(at("mbd 1\nuse joi|").where == Where::module);
  CHECK(at("mbd 1\nparam m = 2 [k|").where == Where::unit);
  CHECK(at("mbd 1\nlet a = (1, 2) [m/|").where == Where::unit);
  CHECK(at("mbd 1\nlet a = p[i|").where == Where::expression);
  CHECK(at("mbd 1\ninput u [N*|").where == Where::unit);
  CHECK(at("mbd 1\nsimulate { |").where == Where::setting);
  CHECK(at("mbd 1\nsimulate { time = 0 .. 1; integ|").where == Where::setting);
  const Surroundings choice = at("mbd 1\nsimulate {\n  integrator = r|");
  CHECK(choice.where == Where::expression);
  CHECK(choice.setting == "integrator");
  CHECK(at("mbd 1\nsimulate {\n  time = 0 .. 1 step 1\n  integrator = |").setting == "integrator");
  CHECK(at("mbd 1\nsimulate { stabilise = project(|").called == Words{"project"});
  CHECK(at("mbd 1\ntest \"a\" over b {\n  ch|").block == "test");
}

TEST_CASE("names before a dot") {
  CHECK(at("let a = p.|").chain == Words{"p"});
  CHECK(at("let a = chain.hinge[i + 1].fo|").chain == Words{"chain", "hinge"});
  CHECK(at("let a = b.at(1, 2, 3).|").chain == Words{"b", "at"});
  CHECK(at("let a = b.at(1, 2, 3).|").call);
  CHECK(at("let a = (b + c).|").chain.empty());
  CHECK(at("model M(a: frame) {\n  let x = a.|").component == "M");
}

TEST_CASE("calls and their arguments") {
  const Surroundings instance = at("mbd 1\nRevolute hinge[1](ground, |");
  CHECK(instance.called == Words{"Revolute", "hinge"});
  CHECK(instance.argument_index == 1);
  const Surroundings named = at("let a = f(1, k = atan2(x, |");
  CHECK(named.called == Words{"atan2"});
  CHECK(named.argument_index == 1);
  const Surroundings outer = at("let a = f(atan2(x, y), k = |");
  CHECK(outer.called == Words{"f"});
  CHECK(outer.argument == "k");
  CHECK(outer.argument_index == 1);
  CHECK(at("let a = f(1)\nlet b = |").called.empty());
}
