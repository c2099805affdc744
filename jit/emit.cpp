// SPDX-License-Identifier: Apache-2.0
// Emits a kernel's functions as LLVM IR. Short blocks are straight-line code in the function itself. Blocks of several
// instances are loops over an index table: index arithmetic for columns that count up evenly, a private constant for
// the other columns; small loops are unrolled. Code beyond kPartLength instructions goes to functions of its own
// (split_block.h).
#include "jit/emit.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <map>
#include <optional>

#include "jit/emit_ops.h"
#include "jit/emit_return.h"
#include "jit/emit_transpose.h"
#include "jit/split_block.h"

namespace mbc::jit {
namespace {

using kernel::Block;
using kernel::Function;
using kernel::Inst;
using kernel::Space;
using llvm::Value;

// Loops of at most this many instructions in all are unrolled, so that equal subexpressions of the instances are
// merged.
constexpr std::size_t kUnrollLength = 128;

// The arguments of every emitted function, in the order of Space.
using Arguments = std::array<Value*, 7>;

// The instance of a block that is being emitted: a known one, or a loop's variable (i64).
struct Instance {
  std::uint32_t fixed = 0;
  Value* variable = nullptr;
};

class ModuleEmitter {
 public:
  ModuleEmitter(llvm::Module& module, const EmitOptions& options)
      : module_(module), options_(options), builder_(module.getContext()) {}

  void emit(const Function& function);

 private:
  // Returns one column of a block's table as the index (i64) of an access.
  Value* column(const Block& block, std::uint32_t c, const Instance& instance);
  llvm::GlobalVariable* table(const Block& block);
  llvm::GlobalVariable* array(const kernel::SharedIndices& words, const std::string& name);
  llvm::GlobalVariable* array(const kernel::DataTable& table);
  Value* element(const Block& block, const Inst& inst, const Instance& instance, const Arguments& arguments,
                 std::uint32_t lane = 0);
  llvm::Type* type_of(const Block& block) {
    if (block.lanes == 1) return builder_.getDoubleTy();
    return llvm::FixedVectorType::get(builder_.getDoubleTy(), block.lanes);
  }
  Value* load(const Block& block, const Inst& inst, const Instance& instance, const Arguments& arguments);
  void store(const Block& block, const Inst& inst, const Instance& instance, const Arguments& arguments, Value* value);

  void instruction(const Block& block, std::uint32_t i, const Instance& instance, const Arguments& arguments,
                   std::vector<Operand>& values);
  void straight_line(const Block& block, const Instance& instance, const Arguments& arguments);
  void block(llvm::Function* parent, const Block& block, const Arguments& arguments);
  void parts(llvm::Function* parent, const Block& block, const Arguments& arguments);
  void instance(llvm::Function* parent, const Block& block, std::uint32_t number, const Arguments& arguments);
  // The functions of a block that was split off, and the scratch array for values that pass from one to the next.
  struct SplitOff {
    std::vector<llvm::Function*> functions;
    Value* scratch = nullptr;
  };
  SplitOff split_off(llvm::Function* parent, const Block& block);
  void call_parts(const SplitOff& made, Value* instance, const Arguments& arguments);
  llvm::Function* part(const std::string& name, const Block& block, const Part& plan);

  // for (i = 0; i < count; ++i) body(i); leaves the builder behind the loop.
  template <typename Body>
  void loop(llvm::Function* parent, std::uint64_t count, Body body);
  // Emits body() for an open gate of the instance, and the stores of Block::off for a shut one.
  template <typename Body>
  void gated(llvm::Function* parent, const Block& block, Value* instance, const Arguments& arguments, Body body);
  void call(llvm::Function* parent, const kernel::RoutineCall& call, const Arguments& arguments);

  llvm::Function* create(const std::string& name, llvm::GlobalValue::LinkageTypes linkage, llvm::Type* result,
                         llvm::ArrayRef<llvm::Type*> leading);
  Value* slot(Value* scratch, std::uint32_t index) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getDoubleTy(), scratch, index);
  }
  llvm::BasicBlock* new_block(llvm::Function* parent, const char* name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, parent);
  }
  llvm::ConstantInt* i64(std::uint64_t value) { return builder_.getInt64(value); }

  llvm::Module& module_;
  const EmitOptions& options_;
  llvm::IRBuilder<> builder_;
  std::string name_;              // of the function being emitted
  std::size_t emitted_ = 0;       // instructions put into its body so far
  std::uint32_t part_count_ = 0;  // functions split off
  std::uint32_t widest_ = 1;      // lanes of its blocks
  Stored stored_;                 // values that straight-line code of this function has stored, by place
  std::map<const kernel::DataTable*, llvm::GlobalVariable*> data_;
  std::map<const Block*, SplitOff> repeated_;  // blocks whose instances are steps of their own
  const Block* table_of_ = nullptr;
  llvm::GlobalVariable* table_ = nullptr;
};

// Creates a function of the seven arrays behind `leading` extra arguments. The arrays never overlap, and only the last
// two are written.
llvm::Function* ModuleEmitter::create(const std::string& name, llvm::GlobalValue::LinkageTypes linkage,
                                      llvm::Type* result, llvm::ArrayRef<llvm::Type*> leading) {
  static constexpr const char* kNames[] = {"t", "state", "params", "inputs", "mask", "work", "deriv"};
  std::vector<llvm::Type*> types(leading.begin(), leading.end());
  types.push_back(builder_.getDoubleTy());
  types.insert(types.end(), 6, builder_.getPtrTy());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), linkage, name, module_);
  function->setDoesNotThrow();
  if (widest_ > 4) {  // else vectors of eight would be split in two on machines that have them
    function->addFnAttr("min-legal-vector-width", "512");
    function->addFnAttr("prefer-vector-width", "512");
  }
  const auto extra = static_cast<unsigned>(leading.size());
  for (unsigned i = 0; i < 7; ++i) {
    llvm::Argument* argument = function->getArg(extra + i);
    argument->setName(kNames[i]);
    if (i == 0) continue;
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::NoCapture);
    if (i < static_cast<unsigned>(Space::work)) argument->addAttr(llvm::Attribute::ReadOnly);
  }
  return function;
}

std::uint32_t index_of(const Block& block, const Inst& inst, const Instance& instance) {
  return inst.indexed ? block.table(instance.fixed, inst.b) : inst.b;
}

Arguments arguments_of(llvm::Function* function) {
  Arguments arguments{};
  const std::size_t extra = function->arg_size() - arguments.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = function->getArg(static_cast<unsigned>(extra + i));
  return arguments;
}

// Returns a constant of the module, or an external symbol for words outside of it.
llvm::GlobalVariable* ModuleEmitter::array(const kernel::SharedIndices& words, const std::string& name) {
  auto* type = llvm::ArrayType::get(builder_.getInt32Ty(), words.size());
  if (options_.outside)
    for (const ExternalTable& o : *options_.outside)
      if (o.words == &words)
        return new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::ExternalLinkage, nullptr, o.symbol);
  llvm::Constant* data =
      llvm::ConstantDataArray::get(module_.getContext(), llvm::ArrayRef<std::uint32_t>(words.list()));
  return new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage, data, name_ + "$" + name);
}

llvm::GlobalVariable* ModuleEmitter::array(const kernel::DataTable& table) {
  llvm::GlobalVariable*& known = data_[&table];
  if (known != nullptr) return known;
  llvm::Constant* data = llvm::ConstantDataArray::get(module_.getContext(),
                                                      llvm::ArrayRef<double>(table.data().data(), table.data().size()));
  return known = new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data,
                                          options_.prefix + "data");
}

llvm::GlobalVariable* ModuleEmitter::table(const Block& block) {
  if (table_of_ == &block) return table_;
  table_ = array(block.table.stored(), block.name);
  table_of_ = &block;
  return table_;
}

Value* ModuleEmitter::column(const Block& block, std::uint32_t c, const Instance& instance) {
  const kernel::IndexTable& t = block.table;
  if (instance.variable == nullptr) return i64(t(instance.fixed, c));
  const std::optional<std::uint32_t> stored = t.place_in_stored(c);
  if (!stored) {
    const auto step = static_cast<std::uint64_t>(std::int64_t{t.step()[c]});
    return builder_.CreateAdd(i64(t.first()[c]), builder_.CreateMul(instance.variable, i64(step)));
  }
  Value* at = builder_.CreateAdd(builder_.CreateMul(instance.variable, i64(t.apart().size())), i64(*stored));
  Value* place = builder_.CreateInBoundsGEP(builder_.getInt32Ty(), table(block), at);
  return builder_.CreateZExt(builder_.CreateLoad(builder_.getInt32Ty(), place), builder_.getInt64Ty());
}

Value* ModuleEmitter::element(const Block& block, const Inst& inst, const Instance& instance,
                              const Arguments& arguments, std::uint32_t lane) {
  Value* index = inst.indexed ? column(block, inst.b + lane, instance) : i64(inst.b);
  return builder_.CreateInBoundsGEP(builder_.getDoubleTy(), arguments[static_cast<std::size_t>(inst.space)], index);
}

// Loads one double for all lanes, consecutive doubles, or one double by index for each lane.
Value* ModuleEmitter::load(const Block& block, const Inst& inst, const Instance& instance, const Arguments& arguments) {
  llvm::Type* number = builder_.getDoubleTy();
  const bool one = inst.space == Space::time || !inst.indexed || block.lanes == 1;
  if (one) {
    Value* value = inst.space == Space::time ? arguments[0]
                                             : builder_.CreateLoad(number, element(block, inst, instance, arguments));
    return block.lanes == 1 ? value : builder_.CreateVectorSplat(block.lanes, value);
  }
  if (!inst.spread)
    return builder_.CreateAlignedLoad(type_of(block), element(block, inst, instance, arguments), llvm::Align(8));
  Value* all = llvm::PoisonValue::get(type_of(block));
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
    Value* value = builder_.CreateLoad(number, element(block, inst, instance, arguments, lane));
    all = builder_.CreateInsertElement(all, value, std::uint64_t{lane});
  }
  return all;
}

void ModuleEmitter::store(const Block& block, const Inst& inst, const Instance& instance, const Arguments& arguments,
                          Value* value) {
  if (block.lanes == 1 || !inst.spread) {
    builder_.CreateAlignedStore(value, element(block, inst, instance, arguments), llvm::Align(8));
    return;
  }
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
    builder_.CreateStore(builder_.CreateExtractElement(value, std::uint64_t{lane}),
                         element(block, inst, instance, arguments, lane));
}

void ModuleEmitter::instruction(const Block& block, std::uint32_t i, const Instance& instance,
                                const Arguments& arguments, std::vector<Operand>& values) {
  const Inst& inst = block.code[i];
  switch (inst.kind) {
    case Inst::Kind::constant:
      values[i].number = llvm::ConstantFP::get(type_of(block), block.constants[inst.a]);
      break;
    case Inst::Kind::load:
      values[i].number = load(block, inst, instance, arguments);
      break;
    case Inst::Kind::store:
      store(block, inst, instance, arguments, as_number(builder_, values[inst.a]));
      break;
    case Inst::Kind::table:
      values[i].number =
          emit_look_up(builder_, array(*block.tables[inst.b]), as_number(builder_, values[inst.a]), inst.c);
      break;
    case Inst::Kind::op:
      values[i] = emit_op(builder_, options_, type_of(block), inst.op, values[inst.a], values[inst.b], values[inst.c]);
      break;
  }
}

void ModuleEmitter::straight_line(const Block& block, const Instance& instance, const Arguments& arguments) {
  std::vector<Operand> values(block.code.size());
  for (std::uint32_t i = 0; i < block.code.size(); ++i) {
    instruction(block, i, instance, arguments, values);
    if (block.code[i].kind == Inst::Kind::store && instance.variable == nullptr && block.lanes == 1)
      stored_[{block.code[i].space, index_of(block, block.code[i], instance)}] = values[block.code[i].a].number;
  }
  emitted_ += block.code.size();
}

template <typename Body>
void ModuleEmitter::loop(llvm::Function* parent, std::uint64_t count, Body body) {
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* head = new_block(parent, "loop");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode* index = builder_.CreatePHI(builder_.getInt64Ty(), 2, "instance");
  index->addIncoming(i64(0), before);
  body(index);
  Value* next = builder_.CreateNUWAdd(index, i64(1));
  index->addIncoming(next, builder_.GetInsertBlock());
  llvm::BasicBlock* after = new_block(parent, "next");
  builder_.CreateCondBr(builder_.CreateICmpULT(next, i64(count)), head, after);
  builder_.SetInsertPoint(after);
}

template <typename Body>
void ModuleEmitter::gated(llvm::Function* parent, const Block& block, Value* instance, const Arguments& arguments,
                          Body body) {
  if (!block.gate) return body();
  const Inst gate{Inst::Kind::load, {}, Space::inputs, true, 0, *block.gate, 0};
  Value* value = load(block, gate, {0, instance}, arguments);
  llvm::BasicBlock *open = new_block(parent, "open"), *shut = new_block(parent, "shut"),
                   *after = new_block(parent, "gated");
  builder_.CreateCondBr(builder_.CreateFCmpOEQ(value, llvm::ConstantFP::get(builder_.getDoubleTy(), 0.0)), shut, open);
  builder_.SetInsertPoint(shut);
  for (const Block::Off& off : block.off)
    store(block, block.code[off.store], {0, instance}, arguments,
          llvm::ConstantFP::get(builder_.getDoubleTy(), off.value));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(open);
  body();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

// Creates a split-off function: (scratch, instance, the seven arguments). Unused arguments cost nothing.
llvm::Function* ModuleEmitter::part(const std::string& name, const Block& block, const Part& plan) {
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::Function* function = create(name, llvm::GlobalValue::InternalLinkage, builder_.getVoidTy(),
                                    {builder_.getPtrTy(), builder_.getInt64Ty()});
  function->addFnAttr(llvm::Attribute::NoInline);
  function->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  builder_.SetInsertPoint(new_block(function, "entry"));
  const Arguments arguments = arguments_of(function);
  const Instance instance{0, block.count == 1 ? nullptr : function->getArg(1)};
  Value* scratch = function->getArg(0);

  std::vector<Operand> values(block.code.size());
  for (const std::uint32_t i : plan.repeated) instruction(block, i, instance, arguments, values);
  for (const Crossing& c : plan.loads)
    values[c.value].number = builder_.CreateLoad(builder_.getDoubleTy(), slot(scratch, c.slot));
  for (std::uint32_t i = plan.begin; i < plan.end; ++i) instruction(block, i, instance, arguments, values);
  for (const Crossing& c : plan.stores)
    builder_.CreateStore(as_number(builder_, values[c.value]), slot(scratch, c.slot));
  builder_.CreateRetVoid();
  return function;
}

ModuleEmitter::SplitOff ModuleEmitter::split_off(llvm::Function* parent, const Block& block) {
  const PartPlan plan = split_block(block);
  SplitOff made;
  for (const Part& p : plan.parts)
    made.functions.push_back(part(name_ + "$part" + std::to_string(part_count_++), block, p));

  made.scratch = llvm::ConstantPointerNull::get(builder_.getPtrTy());
  if (plan.slots > 0) {
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(&parent->getEntryBlock(), parent->getEntryBlock().begin());
    made.scratch = builder_.CreateAlloca(llvm::ArrayType::get(builder_.getDoubleTy(), plan.slots), nullptr, "scratch");
  }
  return made;
}

void ModuleEmitter::call_parts(const SplitOff& made, Value* instance, const Arguments& arguments) {
  for (llvm::Function* function : made.functions) {
    std::vector<Value*> values{made.scratch, instance};
    values.insert(values.end(), arguments.begin(), arguments.end());
    builder_.CreateCall(function, values);
  }
}

void ModuleEmitter::parts(llvm::Function* parent, const Block& block, const Arguments& arguments) {
  const SplitOff made = split_off(parent, block);
  if (block.count == 1) {
    call_parts(made, i64(0), arguments);
  } else {
    loop(parent, block.count, [&](Value* instance) {
      gated(parent, block, instance, arguments, [&] { call_parts(made, instance, arguments); });
    });
  }
}

// Calls one instance of a block whose instances are steps of their own; the code of the block is emitted once.
void ModuleEmitter::instance(llvm::Function* parent, const Block& block, std::uint32_t number,
                             const Arguments& arguments) {
  if (block.lanes > 1) return straight_line(block, {number, nullptr}, arguments);
  stored_.clear();
  const auto [at, fresh] = repeated_.try_emplace(&block);
  if (fresh) at->second = split_off(parent, block);
  call_parts(at->second, i64(number), arguments);
}

void ModuleEmitter::block(llvm::Function* parent, const Block& block, const Arguments& arguments) {
  if (block.count == 0 || block.code.empty()) return;
  const bool split = block.lanes == 1 && emitted_ + block.code.size() > kPartLength;
  const bool unroll = block.count == 1 || block.count * block.code.size() <= kUnrollLength;
  if (split || !unroll || block.lanes > 1) stored_.clear();
  if (split) return parts(parent, block, arguments);
  if (const std::optional<Transposition> copy = block.count >= kTile ? transposition_of(block) : std::nullopt) {
    const auto array = [&](Space space) { return arguments[static_cast<std::size_t>(space)]; };
    loop(parent, block.count / kTile, [&](Value* tile) {
      emit_tile(builder_, *copy, array(copy->from), array(copy->to), builder_.CreateMul(tile, i64(kTile)));
    });
    for (std::uint32_t i = block.count / kTile * kTile; i < block.count; ++i)
      straight_line(block, {i, nullptr}, arguments);
    return;
  }
  if (!unroll) {
    loop(parent, block.count, [&](Value* index) {
      gated(parent, block, index, arguments, [&] { straight_line(block, {0, index}, arguments); });
    });
    return;
  }
  for (std::uint32_t i = 0; i < block.count; ++i) straight_line(block, {i, nullptr}, arguments);
}

// A routine that fails ends the function with its status.
void ModuleEmitter::call(llvm::Function* parent, const kernel::RoutineCall& call, const Arguments& arguments) {
  llvm::Type* types[] = {builder_.getPtrTy(), builder_.getPtrTy(), builder_.getPtrTy()};
  llvm::Function* routine = module_.getFunction(call.symbol);
  if (routine == nullptr) {
    routine = llvm::Function::Create(llvm::FunctionType::get(builder_.getInt32Ty(), types, false),
                                     llvm::GlobalValue::ExternalLinkage, call.symbol, module_);
    routine->setDoesNotThrow();
    for (llvm::Argument& argument : routine->args()) argument.addAttr(llvm::Attribute::NoCapture);
  }
  llvm::GlobalVariable* plan = array(call.plan, "plan");
  Value* status = builder_.CreateCall(routine, {plan, arguments[static_cast<std::size_t>(Space::mask)],
                                                arguments[static_cast<std::size_t>(Space::work)]});
  llvm::BasicBlock* failed = new_block(parent, "failed");
  llvm::BasicBlock* solved = new_block(parent, "solved");
  builder_.CreateCondBr(builder_.CreateICmpEQ(status, builder_.getInt32(0)), solved, failed);
  builder_.SetInsertPoint(failed);
  builder_.CreateRet(status);
  builder_.SetInsertPoint(solved);
}

void ModuleEmitter::emit(const Function& function) {
  name_ = options_.prefix + function.name;
  emitted_ = 0;
  part_count_ = 0;
  widest_ = 1;
  repeated_.clear();
  for (const Block& b : function.blocks) widest_ = std::max(widest_, b.lanes);
  stored_.clear();
  llvm::Function* f = create(name_, llvm::GlobalValue::ExternalLinkage, builder_.getInt32Ty(), {});
  builder_.SetInsertPoint(new_block(f, "entry"));
  const Arguments arguments = arguments_of(f);
  for (const kernel::Step& step : function.steps) {
    if (step.is_block) {
      if (step.instance)
        instance(f, function.blocks[step.index], *step.instance, arguments);
      else
        block(f, function.blocks[step.index], arguments);
    } else {
      call(f, function.calls[step.index], arguments);
    }
  }
  emit_return(builder_, function, arguments[static_cast<std::size_t>(Space::work)],
              arguments[static_cast<std::size_t>(Space::deriv)], stored_);
}

}  // namespace

std::unique_ptr<llvm::Module> emit_module(const kernel::Kernel& kernel, llvm::LLVMContext& context,
                                          const EmitOptions& options) {
  auto module = std::make_unique<llvm::Module>(kernel.name, context);
  ModuleEmitter emitter(*module, options);
  for (const Function& function : kernel.functions) emitter.emit(function);
  return module;
}

}  // namespace mbc::jit
