// SPDX-License-Identifier: Apache-2.0
// Computes singular value decompositions of the parts, truncated at their ranks.
#include "runtime/rows/truncated_inverse.h"

#include <algorithm>

namespace mbc::runtime {

Eigen::VectorXd TruncatedInverse::scaled(const RowComponent& part, const Eigen::VectorXd& r) const {
  return r(part.rows).cwiseProduct(weight(part.rows));
}

Eigen::MatrixXd TruncatedInverse::scaled_rows(std::size_t k, const Eigen::MatrixXd& G) const {
  const RowComponent& part = parts[k];
  return weight(part.rows).asDiagonal() * G(part.rows, part.columns);
}

// Rows without weight do not constrain the motion. If most rows are such, as with contacts, they are left out of the
// decomposition.
SingularDecomposition TruncatedInverse::decomposed(std::size_t k, const Eigen::MatrixXd& G) const {
  const RowComponent& part = parts[k];
  const auto m = static_cast<Eigen::Index>(part.rows.size()), n = static_cast<Eigen::Index>(part.columns.size());
  std::vector<Eigen::Index> places, rows;
  for (Eigen::Index i = 0; i < m; ++i) {
    if (weight[part.rows[static_cast<std::size_t>(i)]] == 0) continue;
    places.push_back(i);
    rows.push_back(part.rows[static_cast<std::size_t>(i)]);
  }
  const auto kept = static_cast<Eigen::Index>(rows.size());
  if (2 * kept > m) return singular_decomposition(scaled_rows(k, G));
  SingularDecomposition out{Eigen::VectorXd::Zero(std::min(m, n)),
                            Eigen::MatrixXd::Zero(m, std::max(kept, std::min(m, n))), Eigen::MatrixXd::Identity(n, n)};
  if (kept == 0) return out;
  SingularDecomposition made = singular_decomposition(weight(rows).asDiagonal() * G(rows, part.columns));
  out.V = std::move(made.V);
  out.values.head(made.values.size()) = made.values;
  out.U(places, Eigen::seqN(0, kept)) = made.U;
  return out;
}

bool TruncatedInverse::decompose(const Eigen::MatrixXd& G) {
  if (!G.allFinite()) return false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    SingularDecomposition made = decomposed(k, G);
    if (!made.values.allFinite()) return false;
    parts[k].values = std::move(made.values);
    parts[k].U = std::move(made.U);
    parts[k].V = std::move(made.V);
  }
  return true;
}

Eigen::VectorXd TruncatedInverse::leading(std::size_t k, const Eigen::VectorXd& r) const {
  const RowComponent& part = parts[k];
  return part.U.leftCols(part.rank).transpose() * scaled(part, r);
}

Eigen::VectorXd TruncatedInverse::truncated(std::size_t k, const Eigen::VectorXd& r) const {
  const RowComponent& part = parts[k];
  return part.U.rightCols(part.U.cols() - part.rank).transpose() * scaled(part, r);
}

// On a singular position itself a direction that counts has a singular value of zero and is left out.
Eigen::VectorXd RowComponent::over_values(const Eigen::VectorXd& z) const {
  constexpr double kNothing = 1e-14;
  return (values.head(rank).array() > kNothing).select(z.cwiseQuotient(values.head(rank)), 0);
}

void TruncatedInverse::solve(const Eigen::VectorXd& r, Eigen::VectorXd& y, Eigen::VectorXd& multipliers) const {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const RowComponent& part = parts[k];
    const Eigen::VectorXd z = part.over_values(leading(k, r));
    y(part.columns) = part.V.leftCols(part.rank) * z;
    multipliers(part.rows) = weight(part.rows).cwiseProduct(part.U.leftCols(part.rank) * part.over_values(z));
  }
}

}  // namespace mbc::runtime
