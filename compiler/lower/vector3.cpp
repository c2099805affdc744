// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/vector3.h"

namespace mbc::lower {

namespace {

constexpr std::size_t kAt[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};  // of the entries of a tensor

}  // namespace

Matrix3 Algebra3::identity() const {
  Matrix3 E;
  for (std::size_t k = 0; k < 9; ++k) E[k] = k % 4 == 0 ? g_.one() : g_.zero();
  return E;
}

Vector3 Algebra3::sum(const Vector3& a, const Vector3& b) const {
  return {g_.add(a[0], b[0]), g_.add(a[1], b[1]), g_.add(a[2], b[2])};
}

Vector3 Algebra3::difference(const Vector3& a, const Vector3& b) const {
  return {g_.sub(a[0], b[0]), g_.sub(a[1], b[1]), g_.sub(a[2], b[2])};
}

Vector3 Algebra3::scaled(NodeId factor, const Vector3& a) const {
  return {g_.mul(factor, a[0]), g_.mul(factor, a[1]), g_.mul(factor, a[2])};
}

Vector3 Algebra3::cross(const Vector3& a, const Vector3& b) const {
  const auto part = [&](std::size_t i, std::size_t j) { return g_.sub(g_.mul(a[i], b[j]), g_.mul(a[j], b[i])); };
  return {part(1, 2), part(2, 0), part(0, 1)};
}

Vector3 Algebra3::times(const Matrix3& R, const Vector3& v) const {
  Vector3 out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = g_.dot(Vector3{R[3 * i], R[3 * i + 1], R[3 * i + 2]}, v);
  return out;
}

Vector3 Algebra3::transposed_times(const Matrix3& R, const Vector3& v) const {
  Vector3 out;
  for (std::size_t j = 0; j < 3; ++j) out[j] = g_.dot(Vector3{R[j], R[3 + j], R[6 + j]}, v);
  return out;
}

Vector3 Algebra3::times(const Tensor3& I, const Vector3& v) const {
  Vector3 out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = g_.dot(Vector3{I[kAt[i][0]], I[kAt[i][1]], I[kAt[i][2]]}, v);
  return out;
}

Tensor3 Algebra3::turned(const Matrix3& R, const Tensor3& I) const {
  Vector3 rows[3];  // of I R^T, transposed
  for (std::size_t i = 0; i < 3; ++i) rows[i] = times(I, Vector3{R[3 * i], R[3 * i + 1], R[3 * i + 2]});
  Tensor3 out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      out[kAt[i][j]] = g_.dot(Vector3{R[3 * j], R[3 * j + 1], R[3 * j + 2]}, rows[i]);
  return out;
}

Tensor3 Algebra3::moments(const Vector3& a, const Vector3& b) const {
  Vector3 products;
  for (std::size_t k = 0; k < 3; ++k) products[k] = g_.mul(a[k], b[k]);
  const auto aside = [&](std::size_t i, std::size_t j) {
    return g_.mul(g_.constant(-0.5), g_.add(g_.mul(a[i], b[j]), g_.mul(a[j], b[i])));
  };
  return {g_.add(products[1], products[2]),
          g_.add(products[0], products[2]),
          g_.add(products[0], products[1]),
          aside(0, 1),
          aside(0, 2),
          aside(1, 2)};
}

Tensor3 Algebra3::sum(const Tensor3& a, const Tensor3& b) const {
  Tensor3 out;
  for (std::size_t k = 0; k < 6; ++k) out[k] = g_.add(a[k], b[k]);
  return out;
}

}  // namespace mbc::lower
