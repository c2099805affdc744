// SPDX-License-Identifier: Apache-2.0
// Tests the path from text to syntax tree: binding of operators, the newline rule, contextual keywords, docs, spans,
// recovery, and the REPL.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "tests/compiler/parse/parse_support.h"

namespace mbc::test {

std::string shape(const std::string& expression) {
  const Parsed p(expression, ParseMode::repl);
  if (p.sink.has_errors() || p.file.statements.size() != 1) return "error";
  const auto* e = std::get_if<ast::ExprStmt>(&p.file.statements[0]->node);
  if (e == nullptr) return "no expression";
  // The indented list has one node per line and two blanks per level; it is joined into one line here.
  const std::string text = ast::print(*e->shown.value);
  std::string out;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::size_t begin = text.find_first_not_of(' ', at);
    const std::size_t level = (begin - at) / 2;
    for (; depth > level; --depth) out += ")";
    if (depth == level && !out.empty() && level > 0) out += " ";
    if (level > depth) out += "(";
    depth = level;
    std::string node = text.substr(begin, end - begin);
    for (const std::string_view word : {"number ", "name "}) {
      if (const std::size_t k = node.find(word); k != std::string::npos) node.erase(k, word.size());
    }
    if (out.ends_with(")")) out += " ";
    out += node;
    at = end + 1;
  }
  for (; depth > 0; --depth) out += ")";
  return out;
}

namespace {

template <class Node>
const Node& statement(const Parsed& p, std::size_t i) {
  REQUIRE(i < p.file.statements.size());
  const auto* node = std::get_if<Node>(&p.file.statements[i]->node);
  REQUIRE(node != nullptr);
  return *node;
}

TEST_CASE("binding of operators") {
  CHECK(shape("-2^2") == "unary -(power(2 2))");
  CHECK(shape("2^3^2") == "power(2 power(3 2))");
  CHECK(shape("2^-1") == "power(2 unary -(1))");
  CHECK(shape("1 - 2 - 3") == "sum(1 - 2 - 3)");
  CHECK(shape("a/b*c") == "product(a / b * c)");
  CHECK(shape("a + b*c") == "sum(a + product(b * c))");
  CHECK(shape("-a*b") == "product(unary -(a) * b)");
  CHECK(shape("not a == b and c or d") == "or(and(unary not(compare ==(a b)) c) d)");
  CHECK(shape("a < b + 1") == "compare <(a sum(b + 1))");
  CHECK(shape("if a then b else if c then d else e") == "if(a then b else if(c then d else e))");
  CHECK(shape("2*(a + b)") == "product(2 * () sum(a + b))");
  CHECK(shape("x''") == "prime 2(x)");
  CHECK(shape("(a*x)'") == "prime 1(() product(a * x))");
  CHECK(shape("a.b'.c") == "member c(prime 1(member b(a)))");
  CHECK(shape("sum(i^2 for i in 1..n)") == "sum over(power(i 2) i in range(1 n))");
}

TEST_CASE("indices, units and calls") {
  CHECK(shape("p[i].x") == "member x(index(p i))");
  CHECK(shape("p [i]") == "index(p i)");
  CHECK(shape("p[m]") == "index(p m)");
  CHECK(shape("2 [m]") == "measured [m](2)");
  CHECK(shape("2[m]") == "measured [m](2)");
  CHECK(shape("-2 [m]^2") == "unary -(power(measured [m](2) 2))");
  CHECK(shape("(1, 2) [kg*m/s^2]") == "measured [kg*m*s^-2](tuple(1 2))");
  CHECK(shape("1 [J/(kg*K)]") == "measured [J*kg^-1*K^-1](1)");
  CHECK(shape("1 [1/s]") == "measured [s^-1](1)");
  CHECK(shape("1 [m^(-1/2)]") == "measured [m^-1/2](1)");
  CHECK(shape("4 [1]") == "measured [1](4)");
  CHECK(shape("diag(1, 2) [m]") == "measured [m](call(diag arg 1 arg 2))");
  CHECK(shape("f(1, k = 2)") == "call(f arg 1 k = 2)");
  CHECK(shape("a.at(1).pos") == "member pos(call(member at(a) arg 1))");
}

TEST_CASE("numbers keep their value and their text") {
  const Parsed p("mbd 1\nlet a = .5, b = 1e-3, c = 12, d = 2.50");
  REQUIRE(p.file.statements.size() == 4);
  const auto number = [&p](std::size_t i) { return std::get<ast::Number>(statement<ast::Let>(p, i).value->node); };
  CHECK(number(0).value == 0.5);
  CHECK(number(1).value == 1e-3);
  CHECK(number(2).integer);
  CHECK_FALSE(number(1).integer);
  CHECK(number(3).text == "2.50");
}

TEST_CASE("a statement goes on over line ends") {
  const auto statements = [](const std::string& text) {
    const Parsed p("mbd 1\n" + text);
    CHECK_MESSAGE(p.errors().empty(), render_text(p.sink, p.sources));
    return p.file.statements.size();
  };
  CHECK(statements("let a = 1\nlet b = 2") == 2);
  CHECK(statements("let a = 1; let b = 2;;") == 2);
  CHECK(statements("let a = (1\n+\n2\n)\nlet b = 2") == 2);
  CHECK(statements("let a = 1 +\n2\n- 3\n\n// note\n* 4") == 1);
  CHECK(statements("let a =\n1, b = 2") == 2);
  CHECK(statements("let a = if b\nand c then\n1\nelse\n2") == 1);
  CHECK(statements("particle p(1)\nat (0, 0, 0)\nmoving (1, 0, 0)") == 1);
  CHECK(statements("particle p(1)\nat 2 [s] { x = 1 }") == 2);
  CHECK(statements("particle p(1)\nat (1, 0, 0)\nat 2 [s] {\nx = 1\n}") == 2);
  CHECK(statements("coord x = 1\nrate 2") == 1);
  CHECK(statements("torque m on a\nfrom b: 1") == 1);
  CHECK(statements("constraint c: a == b\nnonideal { force on p: 1 }") == 1);
  CHECK(statements("if a { let b = 1 }\nelse { let b = 2 }") == 1);
  CHECK(statements("if a { let b = 1 }\nlet b = 2") == 2);
  CHECK(statements("for i in 1..2 { let b = 1 } let c = 1") == 2);
  CHECK(statements("let a = 1\r\nlet b = 2\rlet c = 3") == 3);
}

TEST_CASE("the word of a modifier at the beginning of a line is a name where the statement takes none") {
  const Parsed p("mbd 1\ninit {\n  x = 1\n  rate = 2\n  at' = 3\n}\nlet at = 2\nmodel from() { }");
  CHECK(p.errors().empty());
  CHECK(statement<ast::Init>(p, 0).entries.size() == 3);
}

TEST_CASE("documentation belongs to the next statement") {
  const Parsed p(
      "/// file\nmbd 1\n/// one\n/// two\nlet a = 1\nlet b = /// lost\n2\nmodel M() {\n/// inner\nparticle "
      "p(1)\n}\n//// "
      "ruler\nlet c = 1");
  REQUIRE(p.file.statements.size() == 4);
  CHECK(p.file.statements[0]->doc == "one\ntwo");
  CHECK(p.file.statements[1]->doc.empty());
  CHECK(statement<ast::Component>(p, 2).body.at(0)->doc == "inner");
  CHECK(p.file.statements[3]->doc.empty());
  CHECK(p.file.description == "file");
}

TEST_CASE("documentation at the head of a file belongs to the file") {
  const auto head = [](const std::string& text) {
    const Parsed p(text);
    return std::pair(p.file.description, p.file.statements.at(0)->doc);
  };
  using Both = std::pair<std::string, std::string>;
  CHECK(head("mbd 1\n/// one\n/// two\nlet a = 1") == Both("one\ntwo", ""));
  CHECK(head("mbd 1\n/// one\n\nlet a = 1") == Both("one", ""));
  CHECK(head("mbd 1\n/// one\n \n/// two\nlet a = 1") == Both("one", "two"));
  CHECK(head("mbd 1\n/// one\n\n/// two\n\nlet a = 1") == Both("one\ntwo", ""));
  CHECK(head("/// one\nmbd 1\n/// two\nlet a = 1") == Both("one", "two"));
  CHECK(head("mbd 1\nlet a = 1") == Both("", ""));
}

TEST_CASE("spans cover what was written") {
  const Parsed p("mbd 1\nparticle p(2*m) at (1, 0, 0) // c\n");
  const auto& e = statement<ast::Entity>(p, 0);
  CHECK(p.sources.text(p.file.statements[0]->span) == "particle p(2*m) at (1, 0, 0)");
  CHECK(p.sources.text(e.name.span) == "p");
  CHECK(p.sources.text(e.args.at(0).value->span) == "2*m");
  CHECK(p.sources.text(e.modifiers.at(0).span) == "at");
  CHECK(p.sources.text(e.modifiers.at(0).value->span) == "(1, 0, 0)");
  CHECK(p.sources.text(p.file.version_span) == "1");
}

TEST_CASE("statements as data") {
  const Parsed p(
      "mbd 1\nparam n: int = 3, m = 1 [kg]\ninput u [N*m] = 0, w\nstate i = 0 where i' = u\n"
      "test \"a b\" over demo { check x == 1 within 2 at 3; check y always }\n"
      "sweep s over demo { c.n = 1 .. 2 count 5; record x, y }\nuse joints, \"a.mbd\"\nwhen x rising { y = 1 }\n"
      "simulate { assemble; time = 0 .. 1 step 0.5 }\nload on x: 1\njoint J(a: frame, k = 2) { }\n");
  CHECK_MESSAGE(p.errors().empty(), render_text(p.sink, p.sources));
  CHECK(statement<ast::Param>(p, 0).type == "int");
  CHECK(statement<ast::Param>(p, 1).type.empty());
  CHECK(statement<ast::Input>(p, 2).unit->factors.size() == 2);
  CHECK_FALSE(statement<ast::Input>(p, 3).unit.has_value());
  CHECK(statement<ast::Input>(p, 3).value == nullptr);
  CHECK(std::holds_alternative<ast::Prime>(statement<ast::StateVar>(p, 4).rate_lhs->node));
  const auto& test = statement<ast::Test>(p, 5);
  CHECK(test.title == "a b");
  CHECK(test.over == "demo");
  REQUIRE(test.checks.size() == 2);
  CHECK(test.checks[0].within != nullptr);
  CHECK(test.checks[0].at != nullptr);
  CHECK(test.checks[1].always);
  const auto& sweep = statement<ast::Sweep>(p, 6);
  CHECK(sweep.settings.at(0).key == "c.n");
  CHECK(sweep.records.size() == 2);
  CHECK(statement<ast::Use>(p, 7).items.at(1).file);
  CHECK(statement<ast::Use>(p, 7).items.at(1).name == "a.mbd");
  CHECK(statement<ast::When>(p, 8).direction == ast::When::Direction::rising);
  const auto& run = statement<ast::Simulate>(p, 9);
  CHECK(run.name.name.empty());
  CHECK(run.settings.at(0).value == nullptr);
  CHECK(std::holds_alternative<ast::Range>(run.settings.at(1).value->node));
  CHECK(statement<ast::Load>(p, 10).name.name.empty());
  CHECK(statement<ast::Component>(p, 11).parameters.at(1).default_value != nullptr);
}

TEST_CASE("one mistake costs one statement and gives one message") {
  const Parsed p(
      "mbd 1\nlet a = b c\nlet d = 1\nmodel M(n: int 10) {\n  x x x\n  let e = 2\n}\nlet f = \nlet g = 3\n"
      "simulate demo {\n  time = 0 ..\n  integrator = rk4 rk4\n  save = \"a\"\n}\n");
  const std::vector<std::string> expected = {
      "2:11 E0133 expected an operator or the end of the statement, found `c`",
      "4:16 E0132 expected `,` or `)` after `int`, found `10`",
      "8:8 E0130 expected a value after `=`, found the end of the line",
      "11:14 E0130 expected a value after `..`, found the end of the line",
      "12:20 E0133 expected an operator or the end of the statement, found `rk4`",
  };
  CHECK(p.errors() == expected);
  const auto is_let = [](const ast::StmtPtr& s) { return std::holds_alternative<ast::Let>(s->node); };
  CHECK(std::count_if(p.file.statements.begin(), p.file.statements.end(), is_let) == 2);
  const auto& run = std::get<ast::Simulate>(p.file.statements.back()->node);
  REQUIRE_FALSE(run.settings.empty());
  CHECK(run.settings.back().key == "save");
}

TEST_CASE("at most twenty errors, however many there are") {
  std::string text = "mbd 1\n";
  for (int i = 0; i < 1000; ++i) text += "let a = b c\n";
  const Parsed p(text);
  CHECK(p.sink.error_count() == 20);
  CHECK(p.sink.full());
}

TEST_CASE("the REPL: no header, expressions, keywords as names") {
  const auto kind = [](const std::string& text) {
    const Parsed p(text, ParseMode::repl);
    CHECK_MESSAGE(p.errors().empty(), render_text(p.sink, p.sources));
    return p.file.statements.empty() ? 999 : p.file.statements[0]->node.index();
  };
  const std::size_t expression = ast::Stmt{.span = {}, .doc = {}, .node = ast::ExprStmt{}}.node.index();
  for (const char* text : {"1 + 2", "x", "x'", "-x", "sin(2)", "force*2", "load", "state'", "load.x", "p[1].pos",
                           "if a then b else c", "(1, 2, 3)", "not a", "test(2)", "energy.total", "speed + 1"}) {
    CAPTURE(text);
    CHECK(kind(text) == expression);
  }
  for (const char* text : {"let a = 1", "force f on p: 1", "gravity (0, 0, 1)", "gravity -1", "space 2", "Chain c(1)",
                           "if a { let b = 1 }", "simulate { time = 0 .. 1 }", "at 2 { x = 1 }", "mbd 1\nlet a = 1"}) {
    CAPTURE(text);
    CHECK(kind(text) != expression);
  }
  CHECK(kind("") == 999);
  const Parsed two("a = 1", ParseMode::repl);
  CHECK(two.first_code() == "E0133");
}

TEST_CASE("the REPL reads on while a statement is open") {
  for (const char* text : {"init {", "let a = (1", "let a = 1 +", "let a = b ==", "let a =", "param a = 1,", "f(x)[1",
                           "if a then b", "let a = if b then", "not", "for i in 1..3 { let b = (", "force f on p:"}) {
    CAPTURE(text);
    CHECK(wants_more(text));
  }
  for (const char* text :
       {"", "let a = 1", "x", ")", "init { }", "if a then b else c", "let a = 1 // (", "\xff (", "x'"}) {
    CAPTURE(text);
    CHECK_FALSE(wants_more(text));
  }
}

TEST_CASE("the printed tree is stable") {
  const Parsed p(
      "mbd 1\n/// doc\nparticle p[i in 1..2](m) at (1, 2) [m]\nconstraint c: x == 1 nonideal { force on p: -x }\n");
  CHECK(ast::print(p.file) ==
        "/// doc\n"
        "file version 1\n"
        "  particle p\n"
        "    i in range\n"
        "      number 1\n"
        "      number 2\n"
        "    arg name m\n"
        "    at measured [m]\n"
        "      tuple\n"
        "        number 1\n"
        "        number 2\n"
        "  constraint c\n"
        "    compare ==\n"
        "      name x\n"
        "      number 1\n"
        "    nonideal\n"
        "    force\n"
        "      on name p\n"
        "      unary -\n"
        "        name x\n");
}

TEST_CASE("several threads may parse at once") {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t k = 0; k < good.size(); ++k) {
    threads.emplace_back([&good, k] {
      for (int i = 0; i < 50; ++i) {
        const Parsed p("mbd 1\nlet a = sin(x)^2 + 1\nparticle p(1) at (1, 0, 0)\n");
        if (p.errors().empty() && p.file.statements.size() == 2) ++good[k];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(good == std::vector<int>(4, 50));
}

// Long texts reuse the trees of statements of the same form, even from earlier texts.
TEST_CASE("a long text has the trees of its statements") {
  const std::string some =
      "mbd 1\n/// mass\nparam m = 2 [kg], k: int = 3\nlet a = (1, 2, -m)*k^2, b = -a.x + 3*m\n"
      "for i in 1..3 {\n  let c[i] = i*m\n  if k > 2 { param d = 1 } else { let e = 2 [m/s^2] }\n}\n"
      "/// a bob\nparticle p(m) at (0, 0, 1) moving (0, 1, 0)\nconstraint rod: dist(p, ground) == 1 [m]\n"
      "when hit: p.z < 0 { p.vz = -p.vz; stop \"down\" }\nsimulate run { time = 0 .. 1 step 0.1; rows = all }\n";
  std::string more;
  for (int i = 0; i < 300; ++i) more += "let x" + std::to_string(i) + " = 2*x + " + std::to_string(i) + "\n";
  const std::string alone = ast::print(Parsed(some).file);
  for (const std::string before : {"", "\n\n", "/// what it is\n\n"}) {
    const std::string head = before + some;
    const Parsed whole(head + more), again(head + more);
    CHECK_FALSE(whole.sink.has_errors());
    const Parsed shorter(head);
    CHECK(ast::print(whole.file).starts_with(ast::print(shorter.file)));
    CHECK(ast::print(whole.file) == ast::print(again.file));
    REQUIRE(whole.file.statements.size() == shorter.file.statements.size() + 300);
    for (std::size_t k = 0; k < shorter.file.statements.size(); ++k) {
      CHECK(whole.file.statements[k]->span == shorter.file.statements[k]->span);
      CHECK(whole.file.statements[k]->doc == shorter.file.statements[k]->doc);
    }
    CHECK(whole.file.version_span == shorter.file.version_span);
    CHECK(whole.file.description == shorter.file.description);
    const ast::Stmt& last = *again.file.statements.back();
    CHECK(again.sources.text(last.span) == "x299 = 2*x + 299");
    CHECK(ast::print(*std::get<ast::Let>(last.node).value).find("299") != std::string::npos);
  }
  // Errors outside of all statements are reported as in a short text.
  for (const std::string wrong : {"let = 2\n", "mbd 1\n", "let q = 1 2\n", "}\n", "param p = (1, 2\n"})
    CHECK(Parsed(some + wrong + more).first_code() == Parsed(some + wrong + "let x = 1\n").first_code());
}

}  // namespace
}  // namespace mbc::test
