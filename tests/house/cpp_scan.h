// SPDX-License-Identifier: Apache-2.0
// Where the functions and classes of a C++ text begin and end, and how many methods and data members a class has. Not a
// parser: it counts brackets in text that compiles and that clang-format has laid out.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mbc::house {

// A function with a body, at namespace or class scope, or a lambda. The lines of a lambda are also lines of the
// function it stands in.
struct FunctionSize {
  std::string name;  // "lambda" for those
  int line = 0;      // of its name, from 1
  int lines = 0;     // from there to the closing brace
};

struct ClassSize {
  std::string name;
  int line = 0;
  bool has_invariants = false;       // `class`; a `struct` is plain data
  int methods = 0;                   // declared, overloads apart; without friends and what is defaulted or deleted
  int members = 0;                   // data of an object: no statics
  int open_members = 0;              // those of them that are public and may be changed
  int pure = 0;                      // methods that are declared `= 0`
  std::vector<std::string> bases;    // without arguments of templates
  std::vector<std::string> friends;  // classes; operators that are friends for their form's sake are none
};

struct CppSizes {
  std::vector<FunctionSize> functions;
  std::vector<ClassSize> classes;
};

CppSizes scan_cpp(std::string_view text);

}  // namespace mbc::house
