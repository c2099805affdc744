// SPDX-License-Identifier: Apache-2.0
// Vectors and rotations of three components as expressions. Zeros vanish, so that the plane z = 0 costs what it costs.
#pragma once
#include <array>

#include "compiler/lower/names.h"

namespace mbc::lower {

using Vector3 = std::array<NodeId, 3>;
using Matrix3 = std::array<NodeId, 9>;  // row-major
using Tensor3 = std::array<NodeId, 6>;  // xx, yy, zz, xy, xz, yz

class Algebra3 {
 public:
  // The graph outlives the object.
  explicit Algebra3(Graph& g) : g_(g) {}

  [[nodiscard]] Vector3 zero() const { return {g_.zero(), g_.zero(), g_.zero()}; }
  [[nodiscard]] Matrix3 identity() const;
  [[nodiscard]] Vector3 sum(const Vector3& a, const Vector3& b) const;
  [[nodiscard]] Vector3 difference(const Vector3& a, const Vector3& b) const;
  [[nodiscard]] Vector3 scaled(NodeId factor, const Vector3& a) const;
  [[nodiscard]] Vector3 cross(const Vector3& a, const Vector3& b) const;
  [[nodiscard]] NodeId dot(const Vector3& a, const Vector3& b) const { return g_.dot(a, b); }
  [[nodiscard]] Vector3 times(const Matrix3& R, const Vector3& v) const;             // R v
  [[nodiscard]] Vector3 transposed_times(const Matrix3& R, const Vector3& v) const;  // R^T v
  [[nodiscard]] Vector3 times(const Tensor3& I, const Vector3& v) const;
  // R I R^T
  [[nodiscard]] Tensor3 turned(const Matrix3& R, const Tensor3& I) const;
  // (a . b) E - (a b^T + b a^T)/2. With b = m a + 2 h it takes the second moments of a mass m with first moments h to
  // the point -a.
  [[nodiscard]] Tensor3 moments(const Vector3& a, const Vector3& b) const;
  [[nodiscard]] Tensor3 sum(const Tensor3& a, const Tensor3& b) const;

 private:
  Graph& g_;
};

}  // namespace mbc::lower
