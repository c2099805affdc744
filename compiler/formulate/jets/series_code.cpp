// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/jets/series_code.h"

#include <algorithm>

namespace mbc::formulate {

SeriesCode::Stream SeriesCode::constant(double value) {
  const Value zero = start.constant(value);
  constants_[zero] = value;
  return {zero, {}};
}

SeriesCode::Stream SeriesCode::fixed(Space space, std::uint32_t index) {
  const Value zero = start.load(space, index);
  fixed_[zero] = {space, index};
  return {zero, {}};
}

SeriesCode::Stream SeriesCode::time() { return {start.load(Space::time, 0), number(JetArray::time)}; }

SeriesCode::Stream SeriesCode::state(std::uint32_t entry) {
  return {start.load(Space::state, entry), next.load(Space::deriv, in_array(JetArray::state, entry))};
}

void SeriesCode::rate(std::uint32_t entry, std::uint32_t n, const Stream& stream) {
  start.store(Space::deriv, entry, start.load(Space::state, entry));
  start.store(Space::deriv, n + entry, stream.zero);
  const Value coefficient = stream.next ? product(number(JetArray::reciprocal_next), *stream.next) : next.constant(0);
  next.store(Space::deriv, in_array(JetArray::state_next, entry), coefficient);
}

std::optional<double> SeriesCode::literal(Value zero) const {
  const auto at = constants_.find(zero);
  return at == constants_.end() ? std::nullopt : std::optional(at->second);
}

SeriesCode::Value SeriesCode::held(Value zero) {
  const auto [at, fresh] = held_.try_emplace(zero, 0);
  if (!fresh) return at->second;
  Value value = 0;
  if (const auto c = constants_.find(zero); c != constants_.end()) {
    value = next.constant(c->second);
  } else if (const auto f = fixed_.find(zero); f != fixed_.end()) {
    value = next.load(f->second.first, f->second.second);
  } else {
    const std::uint32_t place = in_array(JetArray::held, n_held_++);
    start.store(Space::work, place, zero);
    value = next.load(Space::work, place);
  }
  return held_[zero] = value;
}

std::pair<std::uint32_t, SeriesCode::Value> SeriesCode::open_pair() {
  const std::uint32_t pair = n_pairs_++;
  return {pair, next.load(Space::work, in_array(JetArray::sums, pair))};
}

void SeriesCode::close_pair(std::uint32_t pair, Value x, Value y) {
  next.store(Space::deriv, in_array(JetArray::left, pair), x);
  next.store(Space::deriv, in_array(JetArray::right, pair), y);
}

SeriesCode::Value SeriesCode::pair(Value x, Value y) {
  if (x == y) return square(x);
  const auto known = pairs_.find(std::minmax(x, y));
  if (known != pairs_.end()) return next.load(Space::work, in_array(JetArray::sums, known->second));
  const auto [pair, total] = open_pair();
  pairs_[std::minmax(x, y)] = pair;
  close_pair(pair, x, y);
  return total;
}

std::pair<std::uint32_t, SeriesCode::Value> SeriesCode::open_square() {
  const std::uint32_t square = n_squares_++;
  return {square, next.load(Space::work, in_array(JetArray::square_sums, square))};
}

void SeriesCode::close_square(std::uint32_t square, Value x) {
  next.store(Space::deriv, in_array(JetArray::squared, square), x);
}

SeriesCode::Value SeriesCode::square(Value x) {
  const auto known = squares_.find(x);
  if (known != squares_.end()) return next.load(Space::work, in_array(JetArray::square_sums, known->second));
  const auto [square, total] = open_square();
  squares_[x] = square;
  close_square(square, x);
  return total;
}

}  // namespace mbc::formulate
