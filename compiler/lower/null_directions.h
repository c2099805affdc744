// SPDX-License-Identifier: Apache-2.0
// Finds the vectors that a sparse system of linear forms maps to zero, in a simple basis.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace mbc::lower {

using SparseForm = std::map<std::uint32_t, double>;  // column -> coefficient, none zero

// Returns a basis of { c : every form is zero at c } over `columns` columns, by elimination to reduced echelon form.
// Each vector has a first component of 1, and small fractions where fractions fit. The unit vectors of columns that are
// in no form are left out.
std::vector<SparseForm> null_directions(std::uint32_t columns, const std::vector<SparseForm>& forms);

}  // namespace mbc::lower
