// SPDX-License-Identifier: Apache-2.0
// A vector in pieces of a fixed length: growing moves no element and leaves less than one piece unused.
#pragma once
#include <cstddef>
#include <vector>

namespace mbc {

template <class T>
class ChunkedVector {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return pieces_[i / kPiece].data()[i % kPiece]; }
  void set(std::size_t i, const T& value) { pieces_[i / kPiece][i % kPiece] = value; }
  void push_back(const T& value) {
    if (size_ % kPiece == 0) {
      pieces_.emplace_back();
      if (size_ > 0) pieces_.back().reserve(kPiece);  // the first piece grows step by step: most have only one
    }
    pieces_.back().push_back(value);
    ++size_;
  }
  void shrink_to_fit() {
    if (!pieces_.empty()) pieces_.back().shrink_to_fit();
  }

 private:
  static constexpr std::size_t kPiece = 4096;
  std::vector<std::vector<T>> pieces_;
  std::size_t size_ = 0;
};

}  // namespace mbc
