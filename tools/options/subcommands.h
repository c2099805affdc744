// SPDX-License-Identifier: Apache-2.0
// Declares the options of every command; they fill a Raw, from which options.cpp makes Options.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/options.h"

namespace mbc::tools {

// The command line as written.
struct Raw {
  Options options;
  std::string colour = "auto";
  std::string diagnostics = "text";
  std::string formulations, bodies;      // lists as written
  std::string formulation;               // a single formulation of run and compile
  std::string base;                      // import: "fixed" or "free"
  std::vector<std::string> inputs;       // as written
  std::string every;                     // --every of run and resume
  std::optional<std::uint32_t> samples;  // samples of compare; doctor has another default
  std::vector<std::string> with;         // --with of equations
  std::string members;                   // --members of sweep
  std::uint32_t equation_forms = 0;      // the number of forms that equations is asked for
  bool version = false;
};

void add_subcommands(CLI::App& app, Raw& raw);
// Adds the options of a program that runs one model: the applicable options of `mbc run`.
void add_program_options(CLI::App& app, Raw& raw);

}  // namespace mbc::tools
