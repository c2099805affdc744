// The order in which declarations can be understood: each after those its expressions name. Declarations may stand in
// any order in the file; what names itself through others is reported with the chain.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/diagnostics/diagnostic.h"

namespace mbc::sema {

// Names that an expression mentions (bound variables of `sum` excepted), each once.
std::vector<std::string> names_in(const ast::Expr& e);
// Names that a function mentions besides its parameters, each with its first place.
std::vector<std::pair<std::string, Span>> names_in(const ast::Def& def);

// The name a statement declares, or "".
const ast::Declared* declared_name(const ast::Stmt& s);

// Indices into `statements`, all of them. Iterative: chains of any length. Cycles are reported. `set` are the values
// that parameters get from outside; they may name other parameters.
std::vector<std::size_t> dependency_order(const std::vector<ast::StmtPtr>& statements,
                                          const std::map<std::string, const ast::Expr*>& set, Sink& sink);

}  // namespace mbc::sema
