// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/steps/code_builder.h"

#include <algorithm>
#include <bit>

namespace mbc::formulate {

namespace {

constexpr std::uint32_t kUnplaced = 0xffff'ffffu;

}  // namespace

CodeBuilder::Value CodeBuilder::push(const Inst& inst, bool for_all, Span origin) {
  const Key key{static_cast<int>(inst.kind),
                static_cast<int>(inst.op),
                static_cast<int>(inst.space),
                inst.a,
                inst.b,
                inst.c,
                for_all};
  const auto [at, fresh] = known_.try_emplace(key, static_cast<Value>(code_.size()));
  if (!fresh) return at->second;
  code_.push_back(inst);
  origin_.push_back(origin);
  for_all_.push_back(for_all);
  return at->second;
}

CodeBuilder::Value CodeBuilder::constant(double c) {
  const auto [at, fresh] =
      constant_of_.try_emplace(std::bit_cast<std::uint64_t>(c), static_cast<std::uint32_t>(constants_.size()));
  if (fresh) constants_.push_back(c);
  return push({Inst::Kind::constant, Op::constant, {}, false, at->second, 0, 0}, true, {});
}

CodeBuilder::Value CodeBuilder::load(Space space, std::uint32_t index) {
  return push({Inst::Kind::load, Op::leaf, space, false, 0, index, 0}, false, {});
}

CodeBuilder::Value CodeBuilder::load_for_all(Space space, std::uint32_t index) {
  return push({Inst::Kind::load, Op::leaf, space, false, 0, index, 0}, true, {});
}

CodeBuilder::Value CodeBuilder::op(Op op, Value a, Value b, Value c, Span origin) {
  return push({Inst::Kind::op, op, {}, false, a, b, c}, false, origin);
}

CodeBuilder::Value CodeBuilder::table(const std::shared_ptr<const kernel::DataTable>& points, Value at,
                                      std::uint32_t order, Span origin) {
  const auto known = std::find(tables_.begin(), tables_.end(), points);
  const auto index = static_cast<std::uint32_t>(known - tables_.begin());
  if (known == tables_.end()) tables_.push_back(points);
  return push({Inst::Kind::table, Op::table, {}, false, at, index, order}, false, origin);
}

void CodeBuilder::store(Space space, std::uint32_t index, Value value) { stores_.push_back({{space, index}, value}); }

std::optional<CodeBuilder::Stored> CodeBuilder::inlined(const Block& block,
                                                        const std::function<std::optional<Value>(const Inst&)>& load) {
  if (block.count != 1 || block.lanes != 1) return std::nullopt;
  Stored stored;
  std::vector<Value> image(block.code.size(), 0);
  for (std::size_t i = 0; i < block.code.size(); ++i) {
    const Inst& inst = block.code[i];
    switch (inst.kind) {
      case Inst::Kind::constant:
        image[i] = constant(block.constants[inst.a]);
        break;
      case Inst::Kind::load: {
        if (inst.indexed) return std::nullopt;
        const auto own = stored.find({inst.space, inst.b});
        const std::optional<Value> value = own != stored.end() ? own->second : load(inst);
        if (!value) return std::nullopt;
        image[i] = *value;
        break;
      }
      case Inst::Kind::store:
        if (inst.indexed) return std::nullopt;
        stored[{inst.space, inst.b}] = image[inst.a];
        break;
      case Inst::Kind::op: {
        const std::uint32_t n = kernel::arity(inst.op);
        image[i] = op(inst.op, image[inst.a], n > 1 ? image[inst.b] : 0, n > 2 ? image[inst.c] : 0, block.origin[i]);
        break;
      }
      case Inst::Kind::table:
        image[i] = table(block.tables[inst.b], image[inst.a], inst.c, block.origin[i]);
        break;
    }
  }
  return stored;
}

Block CodeBuilder::finish(const char* name, std::uint32_t lanes) const {
  std::vector<bool> needed(code_.size(), false);
  for (const auto& [place, value] : stores_) needed[value] = true;
  for (std::size_t i = code_.size(); i-- > 0;) {
    if (!needed[i]) continue;
    const std::uint32_t operands[] = {code_[i].a, code_[i].b, code_[i].c};
    for (std::uint32_t k = 0; k < kernel::operand_count(code_[i]); ++k) needed[operands[k]] = true;
  }
  Block block;
  block.name = name;
  block.lanes = lanes;
  block.constants = constants_;
  block.tables = tables_;
  std::vector<std::uint32_t> table, moved(code_.size(), kUnplaced);
  std::map<std::uint32_t, std::uint32_t> column_of;  // by entry: arrays with the same entry share a column
  const auto column = [&](std::uint32_t entry) {
    const auto [at, fresh] = column_of.try_emplace(entry, static_cast<std::uint32_t>(table.size()));
    if (fresh) table.push_back(entry * lanes);
    return at->second;
  };
  const auto access = [&](Inst inst, bool for_all) {
    if (lanes == 1 || for_all) return inst;
    inst.indexed = true;
    inst.b = column(inst.b);
    return inst;
  };
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (!needed[i]) continue;
    Inst inst = code_[i];
    std::uint32_t* operands[] = {&inst.a, &inst.b, &inst.c};
    for (std::uint32_t k = 0; k < kernel::operand_count(inst) && k < std::size(operands); ++k)
      *operands[k] = moved[*operands[k]];
    if (inst.kind == Inst::Kind::load && inst.space != Space::time) inst = access(inst, for_all_[i]);
    moved[i] = block.add(inst, origin_[i]);
  }
  for (const auto& [place, value] : stores_)
    block.add(access({Inst::Kind::store, Op::leaf, place.first, false, moved[value], place.second, 0}, false),
              origin_[value]);
  block.columns = static_cast<std::uint32_t>(table.size());
  block.table = {block.count, block.columns, [&](std::uint32_t, std::uint32_t c) { return table[c]; }};
  return block;
}

}  // namespace mbc::formulate
