// SPDX-License-Identifier: Apache-2.0
// CHOLMOD of SuiteSparse as a yardstick for the elimination of sparse rows: numeric factorisation and solve, analysed
// once.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mbc::bench {

// A symmetric positive definite matrix: the rows of its lower triangle by columns, in ascending order.
struct SymmetricMatrix {
  std::vector<int> column_ptr, row;
  std::vector<double> value;
};

class CholmodSolver {
 public:
  virtual ~CholmodSolver() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;  // "CHOLMOD, METIS, supernodal"
  // Numeric factorisation and solve for the right-hand side it was made with.
  virtual std::span<const double> solve() = 0;
};

// Every fill-reducing order it has (AMD, METIS, its own nested dissection), by rows and in supernodes. Empty where the
// benchmarks are built without CHOLMOD. The arguments are copied.
std::vector<std::unique_ptr<CholmodSolver>> cholmod_solvers(const SymmetricMatrix& matrix,
                                                            const std::vector<double>& right);

// Its version and the BLAS that is loaded for it; says so where it is not there.
std::string cholmod_description();

// CHOLMOD and some BLAS start threads unless the environment says otherwise before the program begins: begins again
// with such an environment. For the first line of main.
void keep_to_one_thread(char** argv);

}  // namespace mbc::bench
