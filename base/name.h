// SPDX-License-Identifier: Apache-2.0
// Texts and names that occur very often in a model: their common parts are stored once.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace mbc {

// A text that many quantities have, stored once until the program ends or its library is unloaded: a unit, "speed",
// ".x".
class SharedText {
 public:
  SharedText() : text_(&empty()) {}
  SharedText(const std::string& text) : text_(text.empty() ? &empty() : &kept(text)) {}  // NOLINT: written as a string
  SharedText(const char* text) : SharedText(std::string(text)) {}                        // NOLINT
  operator const std::string&() const { return *text_; }                                 // NOLINT: read as one
  [[nodiscard]] const std::string& text() const { return *text_; }
  [[nodiscard]] bool empty_text() const { return text_->empty(); }
  friend bool operator==(SharedText a, SharedText b) { return a.text_ == b.text_; }

 private:
  static const std::string& empty();
  static const std::string& kept(const std::string& text);
  const std::string* text_;
};

// The name of a quantity: a stem, shared by all names that were made from it, and a suffix ("p[3]" and ".x").
class Name {
 public:
  Name() = default;
  Name(std::string text) : stem_(new Stem{{1}, std::move(text)}) {}  // NOLINT: written as a string
  Name(const char* text) : Name(std::string(text)) {}                // NOLINT
  Name(const Name& stem, SharedText suffix);
  Name(const Name& other) : stem_(other.stem_), suffix_(other.suffix_) {
    if (stem_) stem_->names.fetch_add(1, std::memory_order_relaxed);
  }
  Name(Name&& other) noexcept : stem_(std::exchange(other.stem_, nullptr)), suffix_(other.suffix_) {}
  Name& operator=(Name other) noexcept {
    std::swap(stem_, other.stem_);
    suffix_ = other.suffix_;
    return *this;
  }
  ~Name() {
    if (stem_ && stem_->names.fetch_sub(1, std::memory_order_acq_rel) == 1) delete stem_;
  }

  [[nodiscard]] std::string text() const { return stem_ ? stem_->text + suffix_.text() : std::string(); }
  operator std::string() const { return text(); }  // NOLINT: read as one
  // Returns the stem; the name must have no suffix.
  [[nodiscard]] const std::string& stem() const;
  [[nodiscard]] bool empty() const { return !stem_ || (stem_->text.empty() && suffix_.empty_text()); }

  friend bool operator==(const Name& a, std::string_view b) { return a.text() == b; }
  friend std::string operator+(const Name& a, const std::string& b) { return a.text() + b; }
  friend std::string operator+(const Name& a, const char* b) { return a.text() + b; }
  friend std::string operator+(const std::string& a, const Name& b) { return a + b.text(); }
  friend std::string operator+(const char* a, const Name& b) { return a + b.text(); }

 private:
  struct Stem {
    std::atomic<std::uint32_t> names;
    std::string text;
  };
  Stem* stem_ = nullptr;
  SharedText suffix_;
};

}  // namespace mbc
