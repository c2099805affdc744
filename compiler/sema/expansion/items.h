// SPDX-License-Identifier: Apache-2.0
// The flat list that expansion writes a model out to: one item for each statement in each place.
#pragma once
#include <deque>
#include <vector>

#include "compiler/sema/item.h"

namespace mbc::sema {

class Items {
 public:
  ItemId add(Item item);
  // It has its value, or will never have one.
  void close(ItemId id);
  // Evaluated when its turn comes in the order of the text.
  void place(ItemId id) { order_.push_back(id); }
  Given& give() { return given_.emplace_back(); }

  Item& operator[](ItemId id) { return all_[id]; }
  const Item& operator[](ItemId id) const { return all_[id]; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] double bytes() const { return bytes_; }  // what they take when all is made of them, about
  [[nodiscard]] const std::vector<ItemId>& in_text_order() const { return order_; }
  // What `energy` and `momentum` are made of, and whether some of it has no value as yet.
  [[nodiscard]] const std::vector<ItemId>& system() const { return system_; }
  [[nodiscard]] bool system_open() const { return system_open_ > 0; }

 private:
  std::deque<Item> all_;
  std::deque<Given> given_;
  std::vector<ItemId> order_, system_;
  std::size_t system_open_ = 0;
  double bytes_ = 0;
};

}  // namespace mbc::sema
