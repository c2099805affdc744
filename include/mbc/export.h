// SPDX-License-Identifier: Apache-2.0
// Symbols that the shared library exports: everything declared in `namespace MBC_API mbc`, and the functions of
// mbc_c.h. All other symbols are hidden.
#pragma once

#define MBC_API [[gnu::visibility("default")]]
// Hides a class that is declared inside an exported one and defined elsewhere.
#define MBC_HIDDEN [[gnu::visibility("hidden")]]
