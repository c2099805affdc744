// SPDX-License-Identifier: Apache-2.0
// Saves and restores the state of objects as bytes: one list of members serves both directions.
//
//   void transfer(Archive& archive) { archive(rank_, mask_, history_); }
//
// Numbers are stored as they lie in memory, so the same build reads back exactly the bits that were written.
//
// The bytes may be forged, with a check sum that fits. Therefore every value must be one that its type allows: numbers
// are finite unless they are read by may_be_infinite(), enumerators are those that known() accepts, lists whose length
// the model determines are read by fixed(). All further conditions (indices, signs, an order of times) are stated by
// expect().
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mbc {

class Archive {
 public:
  Archive() = default;                                                               // writes
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reading_(true) {}  // reads

  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }

  // Transfers vectors whose lengths the model determines; another length is a failure.
  template <class... Vectors>
  void fixed(Vectors&... vectors) {
    const auto keep = [this](auto& vector) {
      const std::size_t size = vector.size();
      one(vector);
      expect(vector.size() == size);
      vector.resize(size);
    };
    (keep(vectors), ...);
  }
  // Transfers a list that has its full size or is empty.
  template <class T>
  void fixed_or_empty(std::vector<T>& vector, std::size_t size) {
    one(vector);
    if (vector.empty() || vector.size() == size) return;
    expect(false);
    if (reading_) vector.clear();
  }
  // Transfers numbers that mean "never" or "unknown" when they are infinite.
  template <std::same_as<double>... Values>
  void may_be_infinite(Values&... values) {
    const auto keep = [this](double& value) {
      raw(&value, sizeof value);
      expect(!std::isnan(value));
    };
    (keep(values), ...);
  }
  // Transfers the results of kernel functions: any value may be undefined, and the length is fixed.
  void results(std::vector<double>& values) {
    std::uint64_t size = values.size();
    one(size);
    expect(size == values.size());
    if (good_) raw(values.data(), values.size() * sizeof(double));
  }
  template <class T>
  void optional(std::optional<T>& value) {
    bool there = value.has_value();
    one(there);
    if (reading_ && there) value.emplace();
    if (reading_ && !there) value.reset();
    if (there) one(*value);
  }
  // When reading: states a condition that the types do not imply, on ranges or references.
  void expect(bool sound) { good_ = good_ && (!reading_ || sound); }

  [[nodiscard]] bool reading() const { return reading_; }
  // When reading: returns whether nothing was missing or invalid so far. After missing bytes, values keep what they
  // had.
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) void one(T& value) {
    raw(&value, sizeof value);
    if constexpr (std::is_floating_point_v<T>) expect(std::isfinite(value));
  }
  template <class T>
  requires std::is_enum_v<T>
  void one(T& value) {
    auto number = static_cast<std::underlying_type_t<T>>(value);
    one(number);
    const auto read = static_cast<T>(number);
    expect(known(read));
    if (good_) value = read;
  }
  void one(bool& value) {  // a byte that is neither 0 nor 1 is no bool
    auto byte = static_cast<std::uint8_t>(value);
    one(byte);
    expect(byte <= 1);
    value = byte == 1;
  }
  void one(std::string& value) { list(value); }
  template <class T>
  void one(std::vector<T>& value) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return list(value);
    std::uint64_t size = value.size();
    one(size);
    if (reading_ && !fits(size, 1)) return;
    value.resize(size);
    for (std::size_t k = 0; k < size; ++k) {
      T item = value[k];
      one(item);
      value[k] = std::move(item);
    }
  }
  template <class T, std::size_t n>
  void one(std::array<T, n>& value) {
    for (T& item : value) one(item);
  }
  template <class T>
  requires requires(T& t, Archive& a) { t.transfer(a); }
  void one(T& value) { value.transfer(*this); }

  template <class List>
  void list(List& value) {
    std::uint64_t size = value.size();
    one(size);
    if (reading_ && !fits(size, sizeof(typename List::value_type))) return;
    value.resize(size);
    raw(value.data(), size * sizeof(typename List::value_type));
    if constexpr (std::is_floating_point_v<typename List::value_type>)
      expect(std::all_of(value.begin(), value.end(), [](auto x) { return std::isfinite(x); }));
  }

  bool fits(std::uint64_t count, std::size_t item) {
    good_ = good_ && count <= (bytes_.size() - at_) / item;
    return good_;
  }

  void raw(void* data, std::size_t size) {
    if (!reading_) {
      bytes_.append(static_cast<const char*>(data), size);
    } else if (fits(size, 1) && size > 0) {
      std::memcpy(data, bytes_.data() + at_, size);
      at_ += size;
    }
  }

  std::string bytes_;
  std::size_t at_ = 0;
  bool reading_ = false, good_ = true;
};

}  // namespace mbc
