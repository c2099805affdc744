// SPDX-License-Identifier: Apache-2.0
// Loops: one block for each family runs once per instance and adds values into arrays.
#pragma once
#include <map>

#include "compiler/formulate/builder/kernel_builder.h"

namespace mbc::formulate {

class LoopWriter {
 public:
  explicit LoopWriter(KernelBuilder& builder) : b_(builder) {}

  // Adds a block for the contributions of a part whose target is requested, if there are any.
  template <class Wanted>
  void add_part(kernel::Function& f, const Part& part, Wanted&& wanted) {
    std::vector<const Contribution*> chosen;
    for (const Contribution& c : part.contributions)
      if (wanted(c.target)) chosen.push_back(&c);
    if (!chosen.empty()) add_block(f, part, chosen);
  }
  template <class Wanted>
  void add_parts(kernel::Function& f, Wanted&& wanted) {
    for (const Part& part : b_.system().parts) add_part(f, part, wanted);
  }

  // Returns the place in work where the differing literals of a family begin.
  std::uint32_t constants_of(const Part& part);
  // Starts a function with the block that writes the differing literals of all families.
  kernel::Function function(const char* name);

  // Adds deriv[work + 1] = sum over rows of lambda times (-c | A u), for rows that do work, and the power of supports
  // and prescribed forces; the powers that are reported separately (System::works) follow.
  void add_constraint_power(kernel::Function& f);

 private:
  void add_constants(kernel::Function& f);
  void add_block(kernel::Function& f, const Part& part, const std::vector<const Contribution*>& chosen);
  void add_row_power(kernel::Function& f, const Part& part);

  KernelBuilder& b_;
  std::map<const Part*, std::uint32_t> constants_;
};

}  // namespace mbc::formulate
