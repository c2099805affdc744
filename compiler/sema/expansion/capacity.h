// SPDX-License-Identifier: Apache-2.0
// Estimates the memory of a model from its declarations while they are written out, and finds the memory there is. A
// model that does not fit is refused before it is tried.
#pragma once
#include <cstddef>
#include <string>

#include "compiler/ast/ast.h"

namespace mbc::sema {

// Limits of declarations (with the arguments of instances), of instances and of passes of loops; their numbers are
// 32-bit, with room to spare. A contact of each two of 1,000 spheres is 11,000,000 declarations. The instances that
// components make of themselves have a limit of their own.
inline constexpr std::size_t kMaxItems = 20'000'000;
inline constexpr std::size_t kMaxInstances = 1'200'000;
inline constexpr std::size_t kMaxPasses = 4'000'000;
inline constexpr double kPassBytes = 200;       // a pass of a loop: its scope
inline constexpr double kInstanceBytes = 2000;  // an instance of a component, without its contents

// Returns the bytes from text to a running program that one declaration of this kind takes, roughly; measured on chains
// and nets of particles (docs/benchmarks.md, "Large systems").
double declaration_bytes(const ast::Stmt& statement);

// Returns the bytes this process may have: the least of the machine's memory, the limit of its control group and its
// own limit on addresses. The system is asked once.
double memory_limit();

// "1.5 GB"
std::string memory_text(double bytes);
// 1,234,567
std::string count_text(double count);

}  // namespace mbc::sema
