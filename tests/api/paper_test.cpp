// SPDX-License-Identifier: Apache-2.0
// Tests the equations of many models: programs in C, Python, GNU Octave and SymPy are run, and their rates compared
// with those of the kernel; texts and LaTeX keep their rules; expressions are read back by our own parser; their
// lengths are compared with textbooks and SymPy. The suite takes 8 models, `./dev long paper` all that programs can be
// made of.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/read_file.h"
#include "base/table.h"
#include "tests/api/printed_models.h"
#include "tests/support/scratch.h"

using mbc::EquationsRequest;
using Form = mbc::EquationsRequest::Form;
using namespace mbc::test;

namespace {

constexpr int kModels = 8;

// A model with its states; programs of it stand in a folder of their own.
struct Printed {
  std::string name, folder;
  mbc::Model model;
  std::vector<Sample> samples;
};

std::vector<Printed> printed_in(const Folder& folder) {
  std::vector<Printed> out;
  for (const std::string& name : printed_models(kModels)) {
    const mbc::Model model = model_of(name);
    out.push_back({name, folder / std::to_string(out.size()), model, samples(model)});
    std::filesystem::create_directory(out.back().folder);
  }
  return out;
}

// Reads the rates that a program printed, model by model and state by state.
void compare(std::istream& in, const Printed& expected, const char* language) {
  double worst = 0;
  for (const Sample& s : expected.samples) {
    double size = 1;
    for (const double value : s.dy) size = std::max(size, std::fabs(value));
    for (std::size_t k = 0; k < s.dy.size(); ++k) {
      double value = NAN;
      in >> value;
      const double error = std::fabs(value - s.dy[k]) / (1e-13 * s.condition * size);
      worst = error <= worst ? worst : error;
    }
  }
  INFO(expected.name, " in ", std::string(language));
  CHECK(worst <= 1);
}

// One interpreter runs the programs of all models: `begin`, `each` with the folder and the states of a model in the
// place of @folder and @rows, then `end`.
struct Driver {
  const char *language, *file, *begin, *each, *row_begin, *row_end, *end, *command;
  Form form;
};

std::string filled(std::string pattern, const std::string& folder, const std::string& rows) {
  for (const auto& [mark, text] : {std::pair<std::string, const std::string&>{"@folder", folder}, {"@rows", rows}})
    for (std::size_t at = 0; (at = pattern.find(mark, at)) != std::string::npos; at += text.size())
      pattern.replace(at, mark.size(), text);
  return pattern;
}

void run_all(const Driver& d) {
  const Folder folder;
  std::vector<Printed> all = printed_in(folder);
  if (d.form == Form::sympy)
    std::erase_if(all, [](const Printed& p) {
      return std::any_of(p.samples.begin(), p.samples.end(), [](const Sample& s) { return s.redundant; });
    });
  std::string program = d.begin;
  for (const Printed& p : all) {
    std::ofstream(p.folder + "/" + d.file) << written(p.model, d.form);
    program += filled(d.each, p.folder, rows_of(p.samples, d.row_begin, d.row_end));
  }
  const std::string file = folder / "driver";
  std::ofstream(file) << program << d.end;
  std::istringstream out(output_of(d.command + (" " + file)));
  for (const Printed& p : all) compare(out, p, d.language);
}

}  // namespace

TEST_CASE("programs in C compute what the kernel does") {
  if (!is_there("cc --version", "compiler for C")) return;
  const Folder folder;
  for (const Printed& p : printed_in(folder)) {
    if (p.samples.empty()) continue;  // an event at the start changes what a program holds
    const std::string n = std::to_string(p.samples[0].y.size()), file = p.folder + "/model.c";
    std::ofstream(file) << written(p.model, Form::c) << "#include <stdio.h>\nint main(void) {\n  const double rows[]["
                        << n << " + 1] = {" << rows_of(p.samples, "{", "}") << "};\n  double dy[" << n
                        << "];\n  for (unsigned k = 0; k < sizeof rows/sizeof rows[0]; ++k) {\n"
                        << "    rhs(rows[k][0], rows[k] + 1, P, dy);\n    for (int i = 0; i < " << n
                        << "; ++i) printf(\"%.17g\\n\", dy[i]);\n  }\n  return 0;\n}\n";
    REQUIRE(runs("cc -std=c99 -Wall -Werror -O1 -o " + p.folder + "/model " + file + " -lm"));
    std::istringstream out(output_of(p.folder + "/model"));
    compare(out, p, "C");
  }
}

// The trolley of the crane is led by a quotient of derivatives: a run tests it, and terms of it cancel on paper.
TEST_CASE("tests of what is defined belong to runs, and programs name nothing that they do not use") {
  const mbc::Model model = model_of("crane.mbd");
  CHECK(mbc::model_equations(model, {}).value().find("e+308") == std::string::npos);
  if (!is_there("cc --version", "compiler for C")) return;
  const Folder folder;
  std::ofstream(folder / "model.c") << written(model, Form::c);
  CHECK(runs("cc -std=c99 -Wall -Werror -O1 -c -o " + (folder / "model.o") + " " + (folder / "model.c")));
}

TEST_CASE("programs in Python compute what the kernel does") {
  if (!is_there("/usr/bin/python3 -c 'import numpy'", "numpy for /usr/bin/python3")) return;
  run_all({"Python", "rhs.py", "",
           "space = {}\nexec(open('@folder/rhs.py').read(), space)\nfor row in [\n@rows]:\n"
           "    for value in space['rhs'](row[0], row[1:]):\n        print(repr(float(value)))\n",
           "    [", "]", "", "/usr/bin/python3", Form::python});
}

// SymPy computes with 40 digits: its elimination does not choose pivots by size. It needs independent rows.
TEST_CASE("programs for SymPy compute what the kernel does") {
  if (!is_there("/usr/bin/python3 -c 'import sympy'", "SymPy for /usr/bin/python3")) return;
  run_all({"SymPy", "rhs.py", "from sympy import Float\n",
           "space = {}\nexec(open('@folder/rhs.py').read(), space)\nfor row in [\n@rows]:\n"
           "    row = [Float(x, 40) for x in row]\n    p = [Float(x, 40) for x in space['P']]\n"
           "    for value in space['rhs'](row[0], row[1:], p):\n        print(repr(float(value)))\n",
           "    [", "]", "", "/usr/bin/python3", Form::sympy});
}

TEST_CASE("programs for Octave compute what the kernel does") {
  if (!is_there("octave --version", "GNU Octave")) return;
  run_all({"Octave", "rhs.m", "1;\n",
           "cd('@folder'); clear rhs;\nrows = {\n@rows};\nfor k = 1:numel(rows)\n"
           "  printf('%.17g\\n', rhs(rows{k}(1), rows{k}(2:end)));\nend\n",
           "  [", "]", "", "octave --norc --quiet --no-gui", Form::octave});
}

TEST_CASE("no line of a text is longer than 100 columns, and it is the same each time") {
  for (const std::string& name : printed_models(kModels)) {
    for (const bool ascii : {false, true}) {
      EquationsRequest request;
      request.ascii = ascii;
      const std::string made = mbc::model_equations(model_of(name), request).value();
      std::istringstream text(made);
      for (std::string line; std::getline(text, line);) {
        INFO(name);
        CHECK_MESSAGE(mbc::text::display_width(line) <= 100, line);
      }
      if (ascii) CHECK(mbc::model_equations(model_of(name), request).value() == made);
    }
    for (const Form form : {Form::c, Form::python, Form::octave, Form::sympy, Form::julia, Form::mbd}) {
      std::istringstream text(written(model_of(name), form));
      std::size_t longest = 0;
      for (std::string line; std::getline(text, line);) longest = std::max(longest, line.size());
      INFO(name, ", form ", static_cast<int>(form));
      CHECK(longest <= 100);
    }
  }
}

// A[roll.z,6] of the disc vanishes where a root does not, which the other rows divide by.
TEST_CASE("conditions use the names of subexpressions and end within a line") {
  const mbc::Model model = model_of("rolling_disc.mbd");
  EquationsRequest request;
  request.ascii = true;
  request.of = {"A[roll.z,6]", "e[roll.x]"};
  const std::string text = mbc::model_equations(model, request).value();
  CHECK(text.find("z1 = sqrt(1 + ") != std::string::npos);
  CHECK(text.find("A[roll.z,6] = 0  where z1 != 0\n") != std::string::npos);
  for (const Form form : {Form::text, Form::mbd}) {
    request.form = form;
    request.of = {"A[roll.z,6]"};
    std::istringstream alone(mbc::model_equations(model, request).value());
    for (std::string line; std::getline(alone, line);) CHECK_MESSAGE(line.size() <= 100, line);
  }
}

TEST_CASE("no name is given to what is used once") {
  for (const std::string& name : printed_models(kModels)) {
    EquationsRequest request;
    request.ascii = true;
    const std::string text = mbc::model_equations(model_of(name), request).value();
    std::map<std::string, int> seen;
    std::string word;
    for (const char c : text + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '\'') {
        word += c;
        continue;
      }
      if (!word.empty()) ++seen[word];
      word.clear();
    }
    const std::size_t begin = text.find("\nAbbreviations\n"), end = text.find("\n\n", begin + 1);
    if (begin == std::string::npos) continue;
    std::istringstream names(text.substr(begin + 15, end - begin - 15));
    for (std::string line; std::getline(names, line);) {
      std::string own, equals;
      std::istringstream(line) >> own >> equals;
      if (equals != "=") continue;
      INFO(name, ": ", line);
      CHECK(seen[own] >= 3);  // where it is defined, and two uses
    }
  }
}

TEST_CASE("LaTeX is balanced and has no names but its own") {
  const std::set<std::string> known = {"documentclass",
                                       "usepackage",
                                       "allowdisplaybreaks",
                                       "begin",
                                       "end",
                                       "section",
                                       "subsection",
                                       "notag",
                                       "lfloor",
                                       "rfloor",
                                       "arcsin",
                                       "arccos",
                                       "log",
                                       "sinh",
                                       "cosh",
                                       "noindent",
                                       "raggedright",
                                       "texttt",
                                       "label",
                                       "quad",
                                       "qquad",
                                       "frac",
                                       "sqrt",
                                       "left",
                                       "right",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "exp",
                                       "ln",
                                       "arctan",
                                       "tanh",
                                       "min",
                                       "max",
                                       "boldsymbol",
                                       "dot",
                                       "ddot",
                                       "mathrm",
                                       "mathsf",
                                       "operatorname",
                                       "text",
                                       "cdot",
                                       "ne",
                                       "le",
                                       "neg",
                                       "dots",
                                       "sum",
                                       "textbackslash",
                                       "alpha",
                                       "beta",
                                       "gamma",
                                       "delta",
                                       "epsilon",
                                       "zeta",
                                       "eta",
                                       "theta",
                                       "iota",
                                       "kappa",
                                       "lambda",
                                       "mu",
                                       "nu",
                                       "xi",
                                       "pi",
                                       "rho",
                                       "sigma",
                                       "tau",
                                       "upsilon",
                                       "phi",
                                       "chi",
                                       "psi",
                                       "omega",
                                       "Gamma",
                                       "Delta",
                                       "Theta",
                                       "Lambda",
                                       "Xi",
                                       "Pi",
                                       "Sigma",
                                       "Phi",
                                       "Psi",
                                       "Omega"};
  for (const std::string& name : printed_models(kModels)) {
    const std::string text = written(model_of(name), Form::latex);
    INFO(name);
    int depth = 0, growing = 0;
    std::vector<std::string> open;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] == '\\') {
        std::size_t end = k + 1;
        while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
        const std::string command = text.substr(k + 1, end - k - 1);
        if (command.empty()) {
          if (text.compare(k, 2, "\\\\") == 0 && !open.empty() && open.back() == "align") CHECK(growing == 0);
          ++k;
          continue;
        }
        CHECK_MESSAGE(known.count(command) == 1, command);
        if (command == "begin" || command == "end") {
          const std::string environment = text.substr(end + 1, text.find('}', end) - end - 1);
          if (command == "begin") open.push_back(environment);
          REQUIRE(!open.empty());
          CHECK(open.back() == environment);
          if (command == "end") open.pop_back();
        }
        const bool delimiter = command == "left" || command == "right";
        growing += command == "left" ? 1 : command == "right" ? -1 : 0;
        if (!delimiter && text.compare(end, 7, "{align}") == 0) CHECK(growing == 0);
        k = end - 1;
      } else if (text[k] == '{' || text[k] == '}') {
        depth += text[k] == '{' ? 1 : -1;
        CHECK(depth >= 0);
      }
    }
    CHECK(depth == 0);
    CHECK(open.empty());
  }
}

// The lengths are measured by SymPy: count_ops and the length of the text, summed over M and f.
TEST_CASE("equations are no longer than those of SymPy, nor by a fifth than those of textbooks") {
  if (!is_there("/usr/bin/python3 -c 'import sympy'", "SymPy for /usr/bin/python3")) return;
  const std::string data = std::string(MBC_TEST_DATA_DIR) + "/api/equations/textbook";
  std::string text, error;
  REQUIRE_MESSAGE(mbc::read_file(data + ".json", text, error), error);
  std::string ours = "{";
  for (const nlohmann::json& one : nlohmann::json::parse(text)) {
    std::string model;
    for (const std::string line : one.at("model")) model += line + "\n";
    EquationsRequest request;
    request.form = Form::json;
    request.of = one.contains("method") ? std::vector<std::string>{"projected"} : std::vector<std::string>{"M", "f"};
    const std::string method = one.value("method", std::string("udwadia_kalaba"));
    model += "simulate go { time = 0 .. 1 step 0.01; integrator = rk4; formulation = " + method + " }\n";
    ours += (ours.size() > 1 ? "," : "") + nlohmann::json(one.at("name")).dump() + ":" +
            mbc::model_equations(model_of(model), request).value();
  }
  const Folder folder;
  std::ofstream(folder / "ours.json") << ours << "}";
  const std::string out = output_of("/usr/bin/python3 " + data + ".py " + data + ".json " + (folder / "ours.json"));
  CAPTURE(out);
  CHECK(std::count(out.begin(), out.end(), '\n') == 8);
  CHECK(out.find("TOO LONG") == std::string::npos);
}
