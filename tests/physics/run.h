// SPDX-License-Identifier: Apache-2.0
// Runs a model from text and keeps everything that it records, with one engine, or with both and a comparison of their
// bytes.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::test {

struct Run {
  std::vector<std::string> names;  // the columns after the time
  std::vector<double> time;
  std::vector<double> values;  // row by row
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
// `simulation` names a block if the text has several.
Run run(const std::string& text, Engine engine = Engine::interpreter, const std::vector<std::string>& set = {},
        const std::string& simulation = {});
// Runs the model with both engines. Checks that status, diagnostics and every bit of the rows agree.
Run run_both(const std::string& text, const std::vector<std::string>& set = {}, const std::string& simulation = {});

// Returns the times at which each event fired, by its name. The run must be complete.
std::map<std::string, std::vector<double>> times_of(const std::string& text, const std::vector<std::string>& set = {});
// Returns the zero of a function that is positive at a and negative at b.
double zero_between(double a, double b, const std::function<double(double)>& f);

std::string example(const std::string& name);  // returns the text of examples/<name>.mbd
// Returns `text` with `from` replaced, which must occur.
std::string replaced(std::string text, const std::string& from, const std::string& to);
// Returns particles connected to one particle, separate from the rest of a model. All rows are coupled, so that the
// kernel uses its looped form from 32 on.
std::string star(int arms);
std::string number(double x);  // returns a literal of the language with every bit; in parentheses if negative

}  // namespace mbc::test
