// SPDX-License-Identifier: Apache-2.0
// Models whose equations are printed in tests, the states at which programs are compared with the kernel, and how
// programs are run.
#pragma once
#include <string>
#include <vector>

#include "mbc/equations.h"
#include "mbc/simulation.h"

namespace mbc::test {

// The model in docs/equations.md and what is printed of it there.
struct Shown {
  std::string page, model, output;
  std::size_t output_at = 0;
};
Shown shown();

// Texts of models, and names of files in `examples`, with the smaller ones of more kinds first.
const std::vector<std::string>& printed_models();
// The first ones: so many in the suite, and as many as MBC_RANDOM_MODELS asks for.
std::vector<std::string> printed_models(int usual);

mbc::Model model_of(const std::string& name);
std::string written(const mbc::Model& model, EquationsRequest::Form form);

struct Sample {
  double time = 0;
  std::vector<double> y, dy;
  double condition = 1;    // of the linear system, times the sensitivity of the rates to the state
  bool redundant = false;  // rows depend on others
};
// 20 states along a motion, which satisfy the constraints, or those before its first event; in models without rows
// moved at random.
std::vector<Sample> samples(const mbc::Model& model);
// The states as the rows of an initialiser, "0.02, 1, 2".
std::string rows_of(const std::vector<Sample>& list, const char* begin, const char* end);

std::string output_of(const std::string& command);
bool runs(const std::string& command);
// Says that a test is skipped where a command fails.
bool is_there(const std::string& command, const char* what);

}  // namespace mbc::test
