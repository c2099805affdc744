// SPDX-License-Identifier: Apache-2.0
// What the shared library shows to programs linked to it: everything declared in `namespace MBC_API mbc`, and the
// functions of mbc_c.h. Everything else of it is hidden.
#pragma once

#define MBC_API [[gnu::visibility("default")]]
// Of a class that is declared in a shown one and defined elsewhere.
#define MBC_HIDDEN [[gnu::visibility("hidden")]]
