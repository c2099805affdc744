// SPDX-License-Identifier: Apache-2.0
// mbc_sparse_solve_check reads every word of a plan once, in the order in which the solve reads them.
#include <cstddef>
#include <cstdint>

#include "kernel/support/mbc_support.h"
#include "kernel/support/rows.h"

namespace {

using Size = std::uint64_t;

// Reads words in turn; past the end it returns 0 and remembers it.
struct Reader {
  const std::uint32_t* plan;
  Size words, at;
  bool overrun = false;

  std::uint32_t next() {
    if (at < words) return plan[at++];
    overrun = true;
    return 0;
  }
};

const char* check_rows(const std::uint32_t* plan, Size words, Size n, Size m) {
  const std::uint32_t* row_ptr = plan + MBC_SPARSE_ROW_PTR;
  if (words < MBC_SPARSE_ROW_PTR + m + 1) return "the plan is too short";
  if (const char* wrong = mbc::support::check_row_pointers(row_ptr, m)) return wrong;
  if (words < MBC_SPARSE_ROW_PTR + m + 1 + row_ptr[m]) return "the plan is too short";
  for (Size e = 0; e < row_ptr[m]; ++e)
    if (row_ptr[m + 1 + e] >= n) return "a column index is out of range";
  return nullptr;
}

const char* check_blocks(const std::uint32_t* plan, Size words, Size n) {
  Size values = 0, speeds = 0;
  Reader table{plan, words, plan[MBC_SPARSE_BLOCKS_AT]};
  for (Size k = 0; k < plan[MBC_SPARSE_BLOCKS]; ++k) {
    Reader block{plan, words, table.next()};
    const Size size = block.next();
    if (table.next() != values) return "the values of the blocks are not in order";
    if (size > n) return "a block of M is too large";
    for (Size i = 0; i < size; ++i)
      if (block.next() >= n) return "a speed of a block is out of range";
    for (Size i = 0; i < size * (size + 1) / 2; ++i)
      if (const std::uint32_t entry = block.next(); entry != MBC_SPARSE_NONE && entry >= plan[MBC_SPARSE_MASS_SIZE])
        return "an entry of a block is out of range";
    if (block.overrun || table.overrun) return "the plan is too short";
    values += size * size;
    speeds += size;
  }
  if (speeds != n) return "the blocks do not cover the speeds";
  return values == plan[MBC_SPARSE_BLOCK_VALUES] ? nullptr : "the blocks need other values";
}

// Checks the ranges and counts their rows.
const char* check_ranges(const std::uint32_t* plan, Size words, Size m, Size& rows) {
  Reader at{plan, words, plan[MBC_SPARSE_RANGES_AT]};
  Size before = 0;
  rows = 0;
  for (Size k = 0; k < plan[MBC_SPARSE_RANGES] && !at.overrun; ++k) {
    const Size first = at.next(), end = at.next();
    if (first < before || end <= first || end > m) return "the ranges of rows do not ascend";
    rows += end - first;
    before = end;
  }
  return at.overrun ? "the plan is too short" : nullptr;
}

const char* check_response(const std::uint32_t* plan, Size words, Size rows, Size values_of_a) {
  Size response = 0;
  Reader at{plan, words, plan[MBC_SPARSE_RESPONSE_AT]};
  for (Size k = 0; k < rows; ++k)
    for (Size touched = at.next(); touched > 0 && !at.overrun; --touched) {
      const Size block = at.next(), count = at.next();
      if (block >= plan[MBC_SPARSE_BLOCKS]) return "a block does not exist";
      const Size size = plan[plan[plan[MBC_SPARSE_BLOCKS_AT] + 2 * block]];
      for (Size e = 0; e < count && !at.overrun; ++e) {
        const Size entry = at.next(), place = at.next();
        if (entry >= values_of_a || place >= size) return "an entry of a response is out of range";
      }
      response += size;
    }
  if (at.overrun) return "the plan is too short";
  return response == plan[MBC_SPARSE_RESPONSE] ? nullptr : "the responses need other room";
}

class FrontCheck {
 public:
  FrontCheck(const std::uint32_t* plan, Size words, Size rows, Size values_of_a)
      : plan_(plan), rows_(rows), values_of_a_(values_of_a), at_{plan, words, plan[MBC_SPARSE_FRONTS_AT]} {}

  const char* run() {
    Reader places{plan_, at_.words, plan_[MBC_SPARSE_PLACES_AT]};
    for (Size k = 0; k < plan_[MBC_SPARSE_FRONTS]; ++k) {
      if (places.next() != at_.at) return "a front is not at its place";
      if (const char* wrong = front()) return wrong;
    }
    if (places.overrun) return "the plan is too short";
    if (first_ != rows_) return "the fronts do not eliminate every row";
    return panels_ == plan_[MBC_SPARSE_PANELS] ? nullptr : "the fronts need other room";
  }

 private:
  const char* front() {
    const Size m = plan_[MBC_PLAN_M], c = at_.next(), r = at_.next(), own = at_.next(), children = at_.next(),
               entries = at_.next();
    if (c > m || r > m || own + r * r > plan_[MBC_SPARSE_STACK]) return "a front is too large";
    for (Size j = 0; j < c; ++j)
      if (at_.next() >= m) return "a row of a front is out of range";
    for (Size i = 0; i < r; ++i)
      if (const Size index = at_.next(); index >= rows_ || index < first_ + c)
        return "a place below a front is out of range";
    for (Size k = 0; k < children && !at_.overrun; ++k)
      if (const char* wrong = child(c + r)) return wrong;
    for (Size k = 0; k < entries && !at_.overrun; ++k)
      if (const char* wrong = entry(c * (c + r))) return wrong;
    first_ += c;
    panels_ += c * (c + r + 1);
    return at_.overrun ? "the plan is too short" : nullptr;
  }

  const char* child(Size height) {
    const Size r = at_.next(), from = at_.next();
    if (r > height || from + r * r > plan_[MBC_SPARSE_STACK]) return "a child of a front is too large";
    Size least = 0;
    for (Size i = 0; i < r; ++i) {
      const Size place = at_.next();
      if (place < least || place >= height) return "the places of a child do not ascend";
      least = place + 1;
    }
    return nullptr;
  }

  const char* entry(Size panel) {
    const Size place = at_.next(), runs = at_.next();
    if (place >= panel) return "an entry of S is outside its panel";
    for (Size k = 0; k < runs && !at_.overrun; ++k) {
      const Size a = at_.next(), w = at_.next(), length = at_.next();
      if (a + length > values_of_a_ || w + length > plan_[MBC_SPARSE_RESPONSE]) return "a run of S is out of range";
    }
    return nullptr;
  }

  const std::uint32_t* plan_;
  Size rows_, values_of_a_;
  Reader at_;
  Size first_ = 0, panels_ = 0;
};

// Checks the blocks that a row of the border touches.
const char* check_blocks_of_border(const std::uint32_t* plan, Size words, Size at_word) {
  Reader at{plan, words, at_word};
  const Size touched = at.next();
  if (touched > plan[MBC_SPARSE_BLOCKS]) return "a row of the border touches too many blocks";
  for (Size i = 0; i < touched && !at.overrun; ++i)
    if (at.next() >= plan[MBC_SPARSE_BLOCKS]) return "a block does not exist";
  return at.overrun ? "the plan is too short" : nullptr;
}

// Checks that the rows of the border ascend and are in no range.
const char* check_border(const std::uint32_t* plan, Size words, Size m) {
  Reader at{plan, words, plan[MBC_SPARSE_BORDER_AT]}, ranges{plan, words, plan[MBC_SPARSE_RANGES_AT]};
  Size least = 0, left = plan[MBC_SPARSE_RANGES], first = m, end = m;
  const auto next_range = [&] {
    first = left > 0 ? ranges.next() : m;
    end = left > 0 ? ranges.next() : m;
    left -= left > 0 ? 1 : 0;
  };
  next_range();
  for (Size k = 0; k < plan[MBC_SPARSE_BORDER] && !at.overrun; ++k) {
    const Size row = at.next();
    if (row < least || row >= m) return "the rows of the border do not ascend";
    while (row >= end && end < m) next_range();
    if (row >= first && row < end) return "a row of the border is eliminated twice";
    least = row + 1;
  }
  for (Size k = 0; k < plan[MBC_SPARSE_BORDER] && plan[MBC_PLAN_MASS_KIND] == 1 && !at.overrun; ++k)
    if (const char* wrong = check_blocks_of_border(plan, words, at.next())) return wrong;
  return at.overrun ? "the plan is too short" : nullptr;
}

}  // namespace

extern "C" const char* mbc_sparse_solve_check(const std::uint32_t* plan, std::uint32_t words, std::uint32_t n_mask,
                                              std::uint32_t n_work) noexcept {
  if (words < MBC_SPARSE_ROW_PTR + 1) return "the plan is too short";
  const Size n = plan[MBC_PLAN_N], m = plan[MBC_PLAN_M], mass_size = plan[MBC_SPARSE_MASS_SIZE];
  const bool blocks = plan[MBC_PLAN_MASS_KIND] == 1;
  if (plan[MBC_PLAN_MASS_KIND] > 1) return "unknown kind of mass matrix";
  if (const char* wrong = check_rows(plan, words, n, m)) return wrong;
  if (m > n_mask) return "the mask has too few rows";
  const Size values_of_a = plan[MBC_SPARSE_ROW_PTR + m];
  Size rows = 0;
  if (const char* wrong = check_ranges(plan, words, m, rows)) return wrong;
  if (blocks) {
    if (const char* wrong = check_blocks(plan, words, n)) return wrong;
    if (const char* wrong = check_response(plan, words, rows, values_of_a)) return wrong;
  } else if (mass_size != n || plan[MBC_SPARSE_BLOCK_VALUES] != n || plan[MBC_SPARSE_RESPONSE] != values_of_a) {
    return "the sizes do not fit a diagonal mass matrix";
  }
  if (const char* wrong = FrontCheck(plan, words, rows, values_of_a).run()) return wrong;
  if (const char* wrong = check_border(plan, words, m)) return wrong;
  const Size most = plan[MBC_SPARSE_BORDER_MOST], border = most > 0 ? (most + 1) * n + most * most + 4 * most : 0;
  if (plan[MBC_SPARSE_BORDER] > 0 && most == 0) return "the border has no room";
  const Size scratch = Size{plan[MBC_SPARSE_BLOCK_VALUES]} + plan[MBC_SPARSE_RESPONSE] + 2 * m + n +
                       plan[MBC_SPARSE_PANELS] + plan[MBC_SPARSE_STACK] + border;
  if (scratch > plan[MBC_SPARSE_SCRATCH_SIZE]) return "the scratch is too small";
  const Size sizes[] = {mass_size, n, values_of_a, m, n, m, m, m, plan[MBC_SPARSE_SCRATCH_SIZE]};
  for (std::size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (plan[MBC_PLAN_MASS + i] + sizes[i] > n_work) return "an array of the plan leaves the workspace";
  return nullptr;
}
