// SPDX-License-Identifier: Apache-2.0
// What a model takes in memory, foreseen from its declarations while they are written out, and what there is: a model
// that cannot be held is refused before it is tried.
#pragma once
#include <cstddef>
#include <string>

#include "compiler/ast/ast.h"

namespace mbc::sema {

// Declarations, the arguments of instances among them, instances and passes of loops, of any kind: the numbers of them
// are 32-bit, with room to spare. A contact of each two of 1,000 spheres is 11,000,000 declarations; what components
// make of themselves is instances.
inline constexpr std::size_t kMaxItems = 20'000'000;
inline constexpr std::size_t kMaxInstances = 1'200'000;
inline constexpr std::size_t kMaxPasses = 4'000'000;
inline constexpr double kPassBytes = 200;       // a pass of a loop: its scope
inline constexpr double kInstanceBytes = 2000;  // an instance of a component, without what is in it

// Bytes from text to a running program that one declaration of this kind takes, about; measured on chains and nets of
// particles (docs/benchmarks.md, "Large systems").
double declaration_bytes(const ast::Stmt& statement);

// Bytes this process may have: the least of the machine's memory, what its control group is given and its own limit on
// addresses. Asked for once.
double memory_limit();

// "1.5 GB"
std::string memory_text(double bytes);
// 1,234,567
std::string count_text(double count);

}  // namespace mbc::sema
