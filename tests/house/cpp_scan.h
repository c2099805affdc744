// SPDX-License-Identifier: Apache-2.0
// Finds the beginnings and ends of the functions and classes of a C++ text, and the numbers of methods and data
// members. It is not a parser: it counts brackets in text that compiles and is laid out by clang-format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mbc::house {

// A FunctionSize describes a function with a body at namespace or class scope, or a lambda. The lines of a lambda also
// belong to the surrounding function.
struct FunctionSize {
  std::string name;  // "lambda" for a lambda
  int line = 0;      // line of the name, from 1
  int lines = 0;     // lines from the name to the closing brace
};

struct ClassSize {
  std::string name;
  int line = 0;
  bool has_invariants = false;  // true for a `class`; a `struct` is plain data
  int methods = 0;       // declared methods, each overload counted; without friends, defaulted and deleted methods
  int members = 0;       // data of an object without statics
  int open_members = 0;  // the public and mutable ones among them
  int pure = 0;          // methods declared `= 0`
  std::vector<std::string> bases;    // without template arguments
  std::vector<std::string> friends;  // classes; operators that must be friends are not listed
};

struct CppSizes {
  std::vector<FunctionSize> functions;
  std::vector<ClassSize> classes;
};

CppSizes scan_cpp(std::string_view text);

}  // namespace mbc::house
