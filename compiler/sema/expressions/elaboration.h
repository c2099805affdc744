// SPDX-License-Identifier: Apache-2.0
// The data that the parts of one elaboration share: the texts, the model, the evaluator of expressions, and the current
// item. Internal to sema.
#pragma once
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/sema/elaborate.h"
#include "compiler/sema/expressions/evaluator.h"
#include "compiler/sema/item.h"
#include "compiler/sema/modules.h"
#include "compiler/sema/overrides.h"
#include "compiler/sema/signal_texts.h"

namespace mbc::sema {

// The item that is being evaluated.
struct CurrentItem {
  CurrentItem() = default;
  explicit CurrentItem(const Item& of) : scope(of.scope), symbol(of.symbol), item(&of) {}
  // The name with the instances around it and its indices: "chain.p[3]".
  [[nodiscard]] const std::string& name() const {
    if (!name_) name_ = item ? name_of(*item) : std::string();
    return *name_;
  }
  const Scope* scope = nullptr;  // the scope for its names
  Symbol* symbol = nullptr;      // the symbol that it gives a value to; null if its name was refused
  const Item* item = nullptr;

 private:
  mutable std::optional<std::string> name_;  // most names are never needed
};

struct Elaboration {
  // `shaping` lists arguments known to shape the model.
  Elaboration(SourceSet& texts, const ModuleSet& used, const std::vector<Override>& set,
              const std::set<std::string>& shaping, Sink& reports)
      : sources(texts), files(texts, used), modules(used), sink(reports), overrides(set, shaping) {
    item.scope = &scope;
  }
  // It is not copied, because the evaluator refers to it.
  Elaboration(const Elaboration&) = delete;
  Elaboration& operator=(const Elaboration&) = delete;
  ~Elaboration() = default;

  const SourceSet& sources;
  DataFiles files;
  const ModuleSet& modules;
  Sink& sink;
  Model model;
  Scope scope;  // of the file
  Overrides overrides;
  EvaluationContext context{model, sink, files};
  Evaluator evaluator{context};
  SignalTexts signals;
  CurrentItem item;
  std::set<const ast::Stmt*> nonideal;  // loads in `nonideal` blocks
  // Bodies of a tree whose quaternion an event or a wish of `init` sets: known to keep it as coordinates of their own,
  // and found to need it, by name.
  std::set<std::string> own_rotations, asked_rotations;
  // Notes a quaternion that a body of a tree does not keep. Returns whether it is one.
  bool ask_rotation(NodeId node) {
    for (const Body& b : model.bodies)
      if (b.representation == Representation::tree && std::ranges::count(b.quaternion, node) > 0) {
        asked_rotations.insert(b.name);
        return true;
      }
    return false;
  }
};

}  // namespace mbc::sema
