// SPDX-License-Identifier: Apache-2.0
// `init` blocks.
#pragma once
#include <map>
#include <set>

#include "compiler/sema/names.h"
#include "compiler/sema/prescribed_bodies.h"
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

// Returns whether the node itself is a coordinate, a speed or a first-order state.
bool is_state_leaf(const Node& n);

class InitialValues : private Statement {
 public:
  explicit InitialValues(Elaboration& shared) : Statement(shared) {}
  void read(const ast::Init& init);
  // Makes the initial values that sweeps vary and `--set` sets data of the run, after the last block is read.
  void read_varied(const std::vector<const ast::Sweep*>& blocks, const SweepRequest* request);
  // Positions that `init` gives and that are no coordinates.
  [[nodiscard]] std::vector<NodeId>& said() { return said_; }
  // Makes the declared places that follow expressions in `init` soft; runs after the last block.
  void free_prescribed() { sema::free_prescribed(model_, said_); }
  // Checks that each target depends on something that is free to move.
  void check_targets();

 private:
  // One number that is set: a component of the left side, and its value.
  struct Part {
    std::string name;
    NodeId target, value;
    Dimension dimension;
    std::string unit;  // as written, or ""
    bool of_instance = false;
  };
  void entry(const ast::InitEntry& entry);
  Held* held_state(const Value& target);  // or null
  void begin_held(Held& held, const ast::InitEntry& entry, const Value& target, const Value& value);
  bool of_instance(const ast::Expr& target);
  bool begins(const Value& target, const Value& value, const std::string& what);
  bool set(const ast::InitEntry& entry, const Part& part);
  bool set_body(const ast::InitEntry& entry, const Part& part);
  bool never_moves(const ast::InitEntry& entry, const Part& part);
  [[nodiscard]] std::string shown_target(NodeId target, const std::string& name) const;
  void set_leaf(NodeId target, NodeId value, const Start& start);
  bool is_target(const Value& target, const ast::InitEntry& entry, const std::string& shown);
  // varied_starts.cpp
  void vary(const std::string& path, Span span, bool asked);
  // PlaceOfStart says where an initial value is kept; `start` and `given` may be null.
  struct PlaceOfStart {
    NodeId* value;
    Start* start;
    bool* given;
  };
  PlaceOfStart place_of(NodeId target);
  [[nodiscard]] bool is_known(const std::string& path) const;
  VariedStart start_of(const Value& target, const ast::Expr& written, const std::string& path);
  void begin_at_parameter(const std::string& path, Span span, VariedStart& made);
  void harden(const std::string& path);
  [[nodiscard]] std::string row_of(NodeId target) const;

  std::map<std::uint32_t, Span> initialised_;  // by node of the target: its place in the text
  std::set<const NodeId*> started_;            // of a body's rotation
  std::vector<NodeId> said_;                   // positions that are expressions, or members of an instance
};

// Names the discrete states of `initial(e)` by their text, with a number where several have it: `initial(p.pos) 2`.
void name_held_at_begin(Model& model, const SourceSet& sources);

}  // namespace mbc::sema
