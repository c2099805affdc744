// SPDX-License-Identifier: Apache-2.0
// Tests the scanner of the metrics with C++ constructs that can mislead a counter of brackets.
#include "tests/house/cpp_scan.h"

#include <doctest/doctest.h>

#include "tests/house/cpp_enums.h"

using namespace mbc::house;

namespace {

// Returns "name:first line+lines" for each function.
std::string functions(std::string_view text) {
  std::string all;
  for (const FunctionSize& f : scan_cpp(text).functions)
    all += (all.empty() ? "" : " ") + f.name + ":" + std::to_string(f.line) + "+" + std::to_string(f.lines);
  return all;
}

ClassSize only_class(std::string_view text) {
  const CppSizes sizes = scan_cpp(text);
  REQUIRE(sizes.classes.size() == 1);
  return sizes.classes[0];
}

}  // namespace

TEST_CASE("a function goes from its name to its closing brace") {
  CHECK(functions("int f(int a) { return a; }\n") == "f:1+1");
  CHECK(functions("template <class T>\nstd::vector<T> g(\n    T a) {\n  return {a};\n}\n") == "g:2+4");
  CHECK(functions("namespace a::b {\nint f();\nint f() {\n}\n}\n") == "f:3+2");
  CHECK(functions("extern \"C\" {\nvoid f() {}\n}\nextern \"C\" int g() {\n}\n") == "f:2+1 g:4+2");
}

TEST_CASE("brackets in texts, comments, characters and directives do not count") {
  CHECK(functions("void f() {\n  g(\"}\\\"}\", '}', R\"x(})\"})x\");  // }\n  /* } */\n}\n") == "f:1+4");
  CHECK(functions("#define OPEN {\\\n  {\nvoid f() {\n}\n") == "f:3+2");
}

TEST_CASE("values in braces are no functions") {
  CHECK(functions("constexpr int k[] = {1, 2};\nint x{3};\nconst std::map<int, int> m = make({1}, {2});\n").empty());
  CHECK(functions("A::A(int a) : x_(a), y_{a}, z_{} {\n  f();\n}\n") == "A:1+3");
}

TEST_CASE("operators and conversions are functions") {
  CHECK(functions("bool A::operator()(int) const { return true; }") == "operator:1+1");
  CHECK(functions("struct A {\n  A& operator=(A) { return *this; }\n  operator int() const { return 1; }\n};") ==
        "=:2+1 int:3+1");
}

TEST_CASE("lambdas are functions of their own, subscripts and attributes are not") {
  CHECK(functions("void f() {\n  const auto g = [&](int a) {\n    return a;\n  };\n  x[0] = g(1);\n}\n") ==
        "f:1+6 lambda:2+3");
  CHECK(functions("[[nodiscard]] int f() { return v[1]; }\n") == "f:1+1");
}

TEST_CASE("methods and members of a class") {
  const ClassSize c = only_class(R"(
class A final : public B<int> {
 public:
  explicit A(int a) : a_(a) {}
  A(const A&) = delete;
  void f();
  [[nodiscard]] std::function<void(int)> g(int x = 1) const { return {}; }
  friend bool operator==(const A&, const A&) = default;
  static int h();
  template <class T>
  void t(T);

 private:
  using Int = int;
  enum class E { a, b };
  static constexpr int kOne = 1;
  std::function<void(int, int)> callback_;
  int a_ = 0, b_, c_{1};
  std::map<int, std::vector<int>> m_ = {{1, {2}}};
  double (*pointer_)(double) = nullptr;
};
)");
  CHECK(c.name == "A");
  CHECK(c.line == 2);
  CHECK(c.has_invariants);
  CHECK(c.methods == 5);
  CHECK(c.members == 6);
}

TEST_CASE("bases, friends and open data of a class") {
  const ClassSize c = only_class(R"(
class A final : public b::B<int>, private C {
 public:
  virtual void f() = 0;
  [[nodiscard]] virtual int g() const = 0;
  friend bool operator==(A, A) = default;
  friend class D;
  int open, wide = 2;
  const int fixed = 1;
  static int shared;

 private:
  int closed_;
};
)");
  CHECK(c.bases == std::vector<std::string>{"b::B", "C"});
  CHECK(c.friends == std::vector<std::string>{"D"});
  CHECK(c.pure == 2);
  CHECK(c.open_members == 2);
  CHECK(only_class("struct A { int a; const int b; };").open_members == 1);
}

TEST_CASE("enums and what they are made of") {
  const auto found = enums_of(
      "enum class A : int { one, two = f(1, 2),\n  three };\nenum { kFour = 4 };\nenum class B;\n"
      "enum class C {\n#include \"list.def\"\n};\n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "A");
  CHECK(found[0].scoped);
  CHECK(found[0].enumerators == std::vector<std::string>{"one", "two", "three"});
  CHECK(found[1].name.empty());
  CHECK(found[1].enumerators == std::vector<std::string>{"kFour"});
  CHECK(found[2].enumerators.empty());
}

TEST_CASE("labels and defaults of a switch are its own") {
  const auto found = switches_of(
      "void f(A a) {\n  switch (a) {\n    case n::A::one:\n      switch (b) {\n        case 2:\n        default:\n     "
      "     "
      "return;\n      }\n    case A::two: {\n      g(x ? y : z);\n    }\n  }\n}\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].labels == std::vector<std::string>{"n::A::one", "A::two"});
  CHECK_FALSE(found[0].has_default);
  CHECK(found[1].labels == std::vector<std::string>{"2"});
  CHECK(found[1].has_default);
}
