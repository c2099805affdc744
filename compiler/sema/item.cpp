// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/item.h"

#include "compiler/sema/dependencies.h"

namespace mbc::sema {

std::string name_of(const Item& item) {
  if (item.given) return item.scope->instance->path() + item.given->parameter->name;
  const ast::Declared* d = item.statement ? declared_name(*item.statement) : nullptr;
  if (!d) return item.statement && std::holds_alternative<ast::Gravity>(item.statement->node) ? "gravity" : "";
  const Scope::Instance* owner = item.scope->owner();
  std::string name = (owner ? owner->path() : "") + d->name;
  if (!item.indices) return name;
  name += '[';
  for (std::size_t k = 0; k < item.indices->size(); ++k) {
    if (k > 0) name += ',';
    name += std::to_string((*item.indices)[k]);
  }
  return name + ']';
}

}  // namespace mbc::sema
