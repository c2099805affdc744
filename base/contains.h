// SPDX-License-Identifier: Apache-2.0
// Looks for an entry of a list, or adds it.
#pragma once
#include <algorithm>

namespace mbc {

// Returns whether an entry of the list equals x.
template <class List, class T>
[[nodiscard]] bool contains(const List& list, const T& x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

template <class List, class T>
void add_once(List& list, const T& x) {
  if (!contains(list, x)) list.push_back(x);
}

}  // namespace mbc
