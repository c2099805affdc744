// SPDX-License-Identifier: Apache-2.0
// The options of every command, declared; they fill a Raw, of which options.cpp makes Options.
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
  std::string formulation;               // one, of run and compile
  std::vector<std::string> inputs;       // as written
  std::string every;                     // of run and resume
  std::optional<std::uint32_t> samples;  // of compare; doctor has another default
  std::vector<std::string> with;         // of equations
  std::uint32_t equation_forms = 0;      // how many are asked for
  bool version = false;
};

void add_subcommands(CLI::App& app, Raw& raw);
// Of a program that runs one model: those of `mbc run` that fit.
void add_program_options(CLI::App& app, Raw& raw);

}  // namespace mbc::tools
