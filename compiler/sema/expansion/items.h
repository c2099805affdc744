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
  // Marks an item that has its value, or will never have one.
  void close(ItemId id);
  // Adds the item to the order of the text, in which items are evaluated.
  void place(ItemId id) { order_.push_back(id); }
  Given& give() { return given_.emplace_back(); }

  Item& operator[](ItemId id) { return all_[id]; }
  const Item& operator[](ItemId id) const { return all_[id]; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] double bytes() const { return bytes_; }  // estimate for the complete model
  [[nodiscard]] const std::vector<ItemId>& in_text_order() const { return order_; }
  // The items that `energy` and `momentum` depend on, and whether one of them has no value so far.
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
