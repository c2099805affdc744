// SPDX-License-Identifier: Apache-2.0
// Running a model from text and keeping everything it recorded; by one engine, or by both with their bytes compared.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::test {

struct Run {
  std::vector<std::string> names;  // of the columns after time
  std::vector<double> time;
  std::vector<double> values;  // one row after the other
  RunResult result;

  [[nodiscard]] std::size_t rows() const { return time.size(); }
  [[nodiscard]] std::size_t column(const std::string& name) const;
  [[nodiscard]] double at(std::size_t row, const std::string& name) const {
    return values[row * names.size() + column(name)];
  }
  [[nodiscard]] double last(const std::string& name) const { return at(rows() - 1, name); }
  [[nodiscard]] const ConstraintReport& constraint(const std::string& name) const;
  [[nodiscard]] std::string code() const { return result.diagnostic ? result.diagnostic->code : ""; }
};

enum class Engine : std::uint8_t { interpreter, native };
[[nodiscard]] bool have_native();

Simulation compile_text(const std::string& text, Engine engine, const std::vector<std::string>& set = {});
Run run(Simulation& program, const RunOptions& options = {});
// `simulation` names a block where the text has several.
Run run(const std::string& text, Engine engine = Engine::interpreter, const std::vector<std::string>& set = {},
        const std::string& simulation = {});
// By the interpreter and by native code: checks that status, diagnostics and every bit of the rows agree.
Run run_both(const std::string& text, const std::vector<std::string>& set = {}, const std::string& simulation = {});

// When each event of a run has fired, by its name; the run is complete.
std::map<std::string, std::vector<double>> times_of(const std::string& text, const std::vector<std::string>& set = {});
// The zero of a function that is positive at a and negative at b.
double zero_between(double a, double b, const std::function<double(double)>& f);

std::string example(const std::string& name);  // text of examples/<name>.mbd
// `text` with `from` (which must be there) replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);
// Particles tied to one, apart from the rest of a model: rows that are all coupled, so that the kernel takes its looped
// form from 32 on.
std::string star(int arms);
std::string number(double x);  // as a literal of the language, every bit kept; in parentheses when negative

}  // namespace mbc::test
