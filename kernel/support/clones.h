// SPDX-License-Identifier: Apache-2.0
// Functions that are compiled several times: with fused multiply-adds as instructions in place of calls, and with wider
// vectors. The loader takes the one for the processor at hand. The bits are the same. Clones are named by levels of the
// architecture, because a clone for one processor is not taken on later ones. Sanitizers start after the loader's
// choice, so that their builds have no clones.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MBC_CLONES_FUSED __attribute__((target_clones("fma", "default")))
#define MBC_CLONES_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MBC_CLONES_FUSED
#define MBC_CLONES_WIDE
#endif
