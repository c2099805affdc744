// SPDX-License-Identifier: Apache-2.0
// Finds the names in the text of a statement. From them declarations are put in an order in which each can be
// evaluated.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "compiler/ast/ast.h"

namespace mbc::sema {

// Returns the name that a statement declares, or null.
const ast::Declared* declared_name(const ast::Stmt& s);

// A name with its suffixes: `chain.p[3].pos` is chain, p, pos, with the index behind p.
struct Mention {
  struct Part {
    std::string name;
    const ast::Index* index = nullptr;
    friend bool operator<(const Part& a, const Part& b) {
      return a.name != b.name ? a.name < b.name : std::less<>()(a.index, b.index);
    }
  };
  std::vector<Part> path;
  Span span;
};

// Returns each path that a statement or expression mentions and does not bind itself, once.
std::vector<Mention> mentions_in(const ast::Stmt& s);
std::vector<Mention> mentions_in(const ast::Expr& e);
std::vector<Mention> mentions_in(const ast::Def& def);

// Returns the stage in which a statement is evaluated, so that parameters, entities and rows keep the order of the
// file: 0 parameters, 1 entities and coordinates, 2 gravity, 3 loads, 4 constraints, 5 the rest.
int rank_of(const ast::Stmt& s);
// Returns whether `energy` and `momentum` need the statement.
bool part_of_system(const ast::Stmt& s);

}  // namespace mbc::sema
