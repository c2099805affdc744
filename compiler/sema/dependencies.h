// The order in which declarations can be understood: each after those its expressions name. Declarations may stand in any
// order in the file; what names itself through others is reported with the chain.
#pragma once
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/diagnostics/diagnostic.h"

namespace mbc::sema {

// Names that an expression mentions (bound variables of `sum` excepted), each once.
std::vector<std::string> names_in(const ast::Expr& e);

// The name a statement declares, or "".
const ast::Declared* declared_name(const ast::Stmt& s);

// Indices into `statements`, all of them. Iterative: chains of any length. Cycles are reported.
std::vector<std::size_t> dependency_order(const std::vector<ast::StmtPtr>& statements, Sink& sink);

}  // namespace mbc::sema
