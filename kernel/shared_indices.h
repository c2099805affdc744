// SPDX-License-Identifier: Apache-2.0
// An array of 32-bit indices that copies share. Index tables of blocks and plans of routines are the larger part of a
// large kernel and equal in many of its functions. It changes like a vector; a change while others share it makes a
// copy first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace mbc::kernel {

class SharedIndices {
 public:
  using List = std::vector<std::uint32_t>;
  SharedIndices() = default;
  SharedIndices(List list) : list_(std::make_shared<List>(std::move(list))) {}  // NOLINT: as a vector would be taken

  SharedIndices(std::initializer_list<std::uint32_t> words) : SharedIndices(List(words)) {}

  [[nodiscard]] const List& list() const {
    static const List nothing;
    return list_ ? *list_ : nothing;
  }
  operator const List&() const { return list(); }  // NOLINT: read as a vector
  [[nodiscard]] std::size_t size() const { return list().size(); }
  [[nodiscard]] bool empty() const { return list().empty(); }
  [[nodiscard]] const std::uint32_t* data() const { return list().data(); }
  [[nodiscard]] List::const_iterator begin() const { return list().begin(); }
  [[nodiscard]] List::const_iterator end() const { return list().end(); }
  const std::uint32_t& operator[](std::size_t i) const { return list()[i]; }
  [[nodiscard]] bool same_storage(const SharedIndices& other) const { return list_ == other.list_; }
  // Keeps the words alive and at their address.
  [[nodiscard]] std::shared_ptr<const List> storage() const { return list_; }

  // ---- changes
  List& own() {
    if (!list_)
      list_ = std::make_shared<List>();
    else if (list_.use_count() > 1)
      list_ = std::make_shared<List>(*list_);
    return *list_;
  }
  std::uint32_t& operator[](std::size_t i) { return own()[i]; }
  void push_back(std::uint32_t word) { own().push_back(word); }
  void pop_back() { own().pop_back(); }
  void shrink() {  // for all owners
    if (list_) list_->shrink_to_fit();
  }
  void reserve(std::size_t size) { own().reserve(size); }
  void append(const List& more) {
    List& mine = own();
    mine.insert(mine.end(), more.begin(), more.end());
  }

 private:
  std::shared_ptr<List> list_;
};

inline bool operator==(const SharedIndices& a, const SharedIndices& b) {
  return a.same_storage(b) || a.list() == b.list();
}

}  // namespace mbc::kernel
