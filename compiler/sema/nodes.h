// SPDX-License-Identifier: Apache-2.0
// The nodes of a value: one for a scalar, the components of a vector, the entries of a matrix. Up to three need no
// memory of their own, because an elaboration makes and copies values by the million.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "compiler/sema/names.h"

namespace mbc::sema {

class Nodes {
 public:
  using NodeId = graph::NodeId;

  Nodes() = default;
  Nodes(std::initializer_list<NodeId> nodes) { append({nodes.begin(), nodes.size()}); }
  Nodes(const std::vector<NodeId>& nodes) { append(nodes); }  // NOLINT: written as a vector
  Nodes(const Nodes& other) : few_(other.few_), count_(other.count_) {
    if (other.more_) more_ = std::make_unique<std::vector<NodeId>>(*other.more_);
  }
  Nodes(Nodes&&) noexcept = default;
  Nodes& operator=(const Nodes& other) {
    if (this != &other) *this = Nodes(other);
    return *this;
  }
  Nodes& operator=(Nodes&&) noexcept = default;
  ~Nodes() = default;

  [[nodiscard]] std::size_t size() const { return more_ ? more_->size() : count_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const NodeId* data() const { return more_ ? more_->data() : few_.data(); }
  [[nodiscard]] NodeId* data() { return more_ ? more_->data() : few_.data(); }
  [[nodiscard]] const NodeId* begin() const { return data(); }
  [[nodiscard]] const NodeId* end() const { return data() + size(); }
  [[nodiscard]] NodeId* begin() { return data(); }
  [[nodiscard]] NodeId* end() { return data() + size(); }
  NodeId operator[](std::size_t k) const { return data()[k]; }
  NodeId& operator[](std::size_t k) { return data()[k]; }
  [[nodiscard]] NodeId at(std::size_t k) const {
    if (k >= size()) throw std::out_of_range("a node that a value does not have");
    return data()[k];
  }
  [[nodiscard]] NodeId front() const { return data()[0]; }

  void push_back(NodeId node) {
    if (!more_ && count_ < few_.size()) {
      few_[count_++] = node;
      return;
    }
    if (!more_) more_ = std::make_unique<std::vector<NodeId>>(few_.begin(), few_.end());
    count_ = 0;
    more_->push_back(node);
  }
  void append(std::span<const NodeId> nodes) {
    for (const NodeId node : nodes) push_back(node);
  }
  void clear() { *this = Nodes(); }
  void assign(std::size_t count, NodeId node) {
    clear();
    for (std::size_t k = 0; k < count; ++k) push_back(node);
  }
  operator std::vector<NodeId>() const { return {begin(), end()}; }  // NOLINT: read as a vector

 private:
  std::array<NodeId, 3> few_;
  std::uint32_t count_ = 0;                    // of few_, if that holds them
  std::unique_ptr<std::vector<NodeId>> more_;  // else all of them
};

}  // namespace mbc::sema
