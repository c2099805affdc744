// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/items.h"

#include "compiler/sema/dependencies.h"
#include "compiler/sema/expansion/capacity.h"

namespace mbc::sema {

ItemId Items::add(Item item) {
  const auto id = static_cast<ItemId>(all_.size());
  if (item.symbol) item.symbol->item = id;
  if (item.array) ++item.array->open;
  if (item.statement && part_of_system(*item.statement)) {
    system_.push_back(id);
    ++system_open_;
  }
  all_.push_back(item);
  bytes_ += item.statement ? declaration_bytes(*item.statement) : 0;
  return id;
}

void Items::close(ItemId id) {
  Item& item = all_[id];
  if (item.state == Item::State::done) return;
  item.state = Item::State::done;
  if (item.array) --item.array->open;
  if (item.statement && part_of_system(*item.statement)) --system_open_;
}

}  // namespace mbc::sema
