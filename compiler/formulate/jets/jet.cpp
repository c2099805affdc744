// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/jets/jet.h"

#include <map>
#include <vector>

#include "base/check.h"
#include "compiler/formulate/blocks/emit_block.h"
#include "compiler/formulate/jets/recurrences.h"

namespace mbc::formulate {

using Stream = Recurrences::Stream;

namespace {

// The series of a right-hand side with more instructions is not written out, because compiling it would take seconds.
constexpr std::size_t kLongest = 20'000;
constexpr std::uint32_t kLanes = 8;

constexpr std::uint32_t padded(std::uint32_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Order k is instance k - 1 of the blocks that depend on the order.
class JetWriter {
 public:
  JetWriter(const kernel::Kernel& kernel, std::uint32_t n, std::uint32_t order)
      : kernel_(kernel), n_(n), order_(order) {}

  MadeJet run(const char* name) {
    const kernel::Function* f = kernel_.function(name);
    if (f == nullptr || f->blocks.size() != 1 || !f->calls.empty() || f->blocks.front().count != 1 ||
        f->blocks.front().lanes != 1)
      return refused("its equations of motion are too large to be written out, or are solved by calls", {});
    if (f->blocks.front().code.size() > kLongest)
      return refused("its equations of motion are " + std::to_string(f->blocks.front().code.size()) +
                         " operations long, and at most " + std::to_string(kLongest) + " are developed in series",
                     {});
    if (!develop(f->blocks.front())) return std::move(made_);
    n_guards_ = f->guard_end - f->guard_begin;
    for (std::uint32_t k = 0; k < n_guards_; ++k)
      r_.start.store(Space::work, k, stored_.at({Space::work, f->guard_begin + k}).zero);
    for (std::uint32_t i = 0; i < n_; ++i) {
      const auto at = stored_.find({Space::deriv, i});
      CHECK(at != stored_.end(), "every entry of the state has a rate");
      r_.rate(i, n_, at->second);
    }
    name_ = std::string(name) + "_jet" + std::to_string(order_);
    lay_out();
    return {assembled(), {}, {}};
  }

 private:
  MadeJet refused(std::string why, Span at) { return {std::nullopt, std::move(why), at}; }

  // ---- the right-hand side, instruction by instruction

  bool develop(const Block& block) {
    std::vector<Stream> image(block.code.size());
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      const Inst& inst = block.code[i];
      switch (inst.kind) {
        case Inst::Kind::constant:
          image[i] = r_.constant(block.constants[inst.a]);
          break;
        case Inst::Kind::load:
          image[i] = loaded(inst);
          break;
        case Inst::Kind::store:
          stored_[{inst.space, inst.b}] = image[inst.a];
          break;
        case Inst::Kind::op:
          if (const auto made = r_.apply(inst.op, image[inst.a], image[inst.b], image[inst.c], block.origin[i])) {
            image[i] = *made;
            break;
          }
          made_ = refused(r_.refused(), block.origin[i]);
          return false;
        case Inst::Kind::table:
          if (image[inst.a].next) {
            made_ = refused("a table is looked up along the motion, and has no series", block.origin[i]);
            return false;
          }
          image[i] = {r_.start.table(block.tables[inst.b], image[inst.a].zero, inst.c, block.origin[i]), {}};
          break;
      }
    }
    return true;
  }

  Stream loaded(const Inst& inst) {
    switch (inst.space) {
      case Space::time:
        return r_.time();
      case Space::state:
        return r_.state(inst.b);
      case Space::params:
      case Space::inputs:
      case Space::mask:
        return r_.fixed(inst.space, inst.b);
      case Space::work:
      case Space::deriv:
        break;
    }
    return stored_.at({inst.space, inst.b});
  }

  // ---- arrays

  struct Range {
    std::uint32_t first = 0, step = 0;  // place of order 1, and the step from order to order
  };
  Range& range(JetArray array) { return ranges_[static_cast<std::size_t>(array)]; }

  void lay_out() {
    const std::uint32_t orders = order_ - 1;  // those of the code of order k
    pairs_ = padded(r_.n_pairs());
    squares_ = padded(r_.n_squares());
    std::uint32_t deriv = 0, work = 0;
    const auto take = [](std::uint32_t& end, std::uint32_t size) {
      end += size;
      return end - size;
    };
    take(deriv, padded((order_ + 1) * n_));
    range(JetArray::state) = {n_, n_};
    range(JetArray::state_next) = {2 * n_, n_};
    range(JetArray::left) = {take(deriv, orders * pairs_), pairs_};
    range(JetArray::right) = {take(deriv, orders * pairs_), pairs_};
    range(JetArray::squared) = {take(deriv, orders * squares_), squares_};
    take(work, padded(n_guards_));
    range(JetArray::sums) = {take(work, pairs_), 0};
    range(JetArray::square_sums) = {take(work, squares_), 0};
    range(JetArray::held) = {take(work, r_.n_held()), 0};
    range(JetArray::number) = {take(work, orders), 1};
    range(JetArray::reciprocal) = {take(work, order_), 1};
    range(JetArray::reciprocal_next) = {range(JetArray::reciprocal).first + 1, 1};
    range(JetArray::time) = {take(work, orders), 1};
    out_.kernel.n_state = deriv;
    out_.kernel.n_work = work;
  }

  // Returns the code with the final places of its accesses, for so many instances; a value is stored as soon as it is
  // known.
  Block placed(const CodeBuilder& code, const char* name, std::uint32_t count) {
    const Block block = code.finish(name, 1);
    Block out;
    out.name = name;
    out.count = count;
    out.constants = block.constants;
    out.tables = block.tables;
    std::vector<Range> columns;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> column_of;  // by first and step
    std::vector<std::vector<std::uint32_t>> stores(block.code.size());
    for (std::uint32_t i = 0; i < block.code.size(); ++i)
      if (block.code[i].kind == Inst::Kind::store) stores[block.code[i].a].push_back(i);
    const auto access = [&](Inst inst) {
      const auto array = static_cast<JetArray>(inst.b >> kJetArrayBits);
      const std::uint32_t place = inst.b & ((1u << kJetArrayBits) - 1);
      if (array == JetArray::plain) return inst;
      const Range& r = range(array);
      inst.b = r.first + place;
      if (r.step == 0) return inst;
      const auto [at, fresh] = column_of.try_emplace({inst.b, r.step}, static_cast<std::uint32_t>(columns.size()));
      if (fresh) columns.push_back({inst.b, r.step});
      inst.indexed = true;
      inst.b = at->second;
      return inst;
    };
    std::vector<std::uint32_t> moved(block.code.size(), 0);
    for (std::uint32_t i = 0; i < block.code.size(); ++i) {
      Inst inst = block.code[i];
      if (inst.kind == Inst::Kind::store) continue;
      std::uint32_t* operands[] = {&inst.a, &inst.b, &inst.c};
      for (std::uint32_t k = 0; k < kernel::operand_count(inst) && k < std::size(operands); ++k)
        *operands[k] = moved[*operands[k]];
      if (inst.kind == Inst::Kind::load) inst = access(inst);
      moved[i] = out.add(inst, block.origin[i]);
      for (const std::uint32_t s : stores[i]) {
        Inst store = access(block.code[s]);
        store.a = moved[i];
        out.add(store, block.origin[s]);
      }
    }
    out.columns = static_cast<std::uint32_t>(columns.size());
    out.table = {count, out.columns,
                 [&](std::uint32_t row, std::uint32_t c) { return columns[c].first + row * columns[c].step; }};
    return out;
  }

  // ---- sums of lower orders, in lanes

  class LaneCode {
   public:
    LaneCode(const char* name, std::uint32_t count) {
      block_.name = name;
      block_.lanes = kLanes;
      block_.count = count;
    }
    std::uint32_t constant(double value) { return block_.add_constant(value); }
    std::uint32_t load(std::uint32_t at) {
      return block_.add({Inst::Kind::load, Op::leaf, Space::deriv, true, 0, column(at), 0});
    }
    std::uint32_t op(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
      return block_.add({Inst::Kind::op, op, {}, false, a, b, c});
    }
    Block stored(std::uint32_t value, std::uint32_t at) {
      block_.add({Inst::Kind::store, Op::leaf, Space::work, true, value, column(at), 0});
      block_.columns = static_cast<std::uint32_t>(columns_.size());
      block_.table = {block_.count, block_.columns,
                      [&](std::uint32_t row, std::uint32_t c) { return columns_[c] + kLanes * row; }};
      return std::move(block_);
    }

   private:
    std::uint32_t column(std::uint32_t at) {
      columns_.push_back(at);
      return static_cast<std::uint32_t>(columns_.size() - 1);
    }
    Block block_;
    std::vector<std::uint32_t> columns_;
  };

  // Sums x_1 y_(k-1) + x_2 y_(k-2) + ..., term by term.
  Block pair_sums(std::uint32_t k) {
    LaneCode code("pairs", pairs_ / kLanes);
    const auto entry = [&](JetArray array, std::uint32_t j) {
      return code.load(range(array).first + (j - 1) * range(array).step);
    };
    std::uint32_t total = 0;
    for (std::uint32_t j = 1; j < k; ++j) {
      const std::uint32_t x = entry(JetArray::left, j), y = entry(JetArray::right, k - j);
      total = j == 1 ? code.op(Op::mul, x, y) : code.op(Op::fma, x, y, total);
    }
    return code.stored(k == 1 ? code.constant(0) : total, range(JetArray::sums).first);
  }

  // Sums 2 (x_1 x_(k-1) + ...), and the square in the middle if there is one.
  Block square_sums(std::uint32_t k) {
    LaneCode code("squares", squares_ / kLanes);
    const auto entry = [&](std::uint32_t j) {
      return code.load(range(JetArray::squared).first + (j - 1) * range(JetArray::squared).step);
    };
    std::optional<std::uint32_t> total;
    for (std::uint32_t j = 1; 2 * j < k; ++j) {
      const std::uint32_t x = entry(j), y = entry(k - j);
      total = total ? code.op(Op::fma, x, y, *total) : code.op(Op::mul, x, y);
    }
    if (total) total = code.op(Op::add, *total, *total);
    if (k % 2 == 0) {
      const std::uint32_t middle = entry(k / 2);
      total = total ? code.op(Op::fma, middle, middle, *total) : code.op(Op::mul, middle, middle);
    }
    return code.stored(total ? *total : code.constant(0), range(JetArray::square_sums).first);
  }

  // ---- the function

  kernel::Jet assembled() {
    kernel::Function f;
    f.name = name_;
    push_block(f, placed(r_.start, "start", 1));
    std::vector<double> numbers, reciprocals, times(order_ - 1, 0.0);
    times.front() = 1;
    for (std::uint32_t k = 1; k < order_; ++k) numbers.push_back(k);
    for (std::uint32_t k = 1; k <= order_; ++k) reciprocals.push_back(1.0 / k);
    add_constants(f, range(JetArray::number).first, numbers);
    add_constants(f, range(JetArray::reciprocal).first, reciprocals);
    add_constants(f, range(JetArray::time).first, times);
    const auto of_order = static_cast<std::uint32_t>(f.blocks.size());
    f.blocks.push_back(placed(r_.next, "order", order_ - 1));
    for (std::uint32_t k = 1; k < order_; ++k) {
      if (pairs_ > 0) push_block(f, pair_sums(k));
      if (squares_ > 0) push_block(f, square_sums(k));
      f.steps.push_back({true, of_order, k - 1});
    }
    f.check_begin = n_;
    f.check_end = (order_ + 1) * n_;
    f.guard_end = n_guards_;
    out_.order = order_;
    out_.n = n_;
    out_.kernel.name = kernel_.name;
    out_.kernel.n_params = kernel_.n_params;
    out_.kernel.n_inputs = kernel_.n_inputs;
    out_.kernel.n_mask = kernel_.n_mask;
    out_.kernel.fields.push_back({"coefficients", Space::deriv, 0, (order_ + 1) * n_});
    out_.kernel.functions.push_back(std::move(f));
    return std::move(out_);
  }

  const kernel::Kernel& kernel_;
  std::uint32_t n_, order_, n_guards_ = 0, pairs_ = 0, squares_ = 0;
  std::string name_;
  Recurrences r_;
  std::map<CodeBuilder::Place, Stream> stored_;
  Range ranges_[kJetArrays];
  kernel::Jet out_;
  MadeJet made_;
};

}  // namespace

MadeJet jet_of(const kernel::Kernel& kernel, std::uint32_t n_y, const char* name, std::uint32_t order) {
  CHECK(order >= 2, "a series has at least two coefficients behind the value");
  return JetWriter(kernel, n_y, order).run(name);
}

}  // namespace mbc::formulate
