// SPDX-License-Identifier: Apache-2.0
/* The support library of generated code: the functions that kernels call, in running programs and in object files
 * alike. Plain C ABI, no LLVM, no allocation, no state; link with libmbc_support and libm.
 *
 * The elementary functions except sine and cosine are thin wrappers of the C library's own. Generated code calls them
 * by these names, which no optimiser knows, so that nothing is folded or rewritten at compile time and every engine
 * gets the same bits. */
#ifndef MBC_SUPPORT_H
#define MBC_SUPPORT_H

#include <stdint.h>

#ifdef __cplusplus
#define MBC_NOEXCEPT noexcept
extern "C" {
#else
#define MBC_NOEXCEPT
#endif

double mbc_pow(double a, double b) MBC_NOEXCEPT;
double mbc_sin(double a) MBC_NOEXCEPT;
double mbc_cos(double a) MBC_NOEXCEPT;
double mbc_tan(double a) MBC_NOEXCEPT;
double mbc_asin(double a) MBC_NOEXCEPT;
double mbc_acos(double a) MBC_NOEXCEPT;
double mbc_atan(double a) MBC_NOEXCEPT;
double mbc_atan2(double a, double b) MBC_NOEXCEPT;
double mbc_exp(double a) MBC_NOEXCEPT;
double mbc_ln(double a) MBC_NOEXCEPT;
double mbc_log10(double a) MBC_NOEXCEPT;
double mbc_sinh(double a) MBC_NOEXCEPT;
double mbc_cosh(double a) MBC_NOEXCEPT;
double mbc_tanh(double a) MBC_NOEXCEPT;
double mbc_asinh(double a) MBC_NOEXCEPT;
double mbc_acosh(double a) MBC_NOEXCEPT;
double mbc_atanh(double a) MBC_NOEXCEPT;

/* mbc_sin(a) and mbc_cos(a), the same bits: of one number, and of eight. */
typedef struct {
  double sine, cosine;
} mbc_sine_cosine;
mbc_sine_cosine mbc_sincos(double a) MBC_NOEXCEPT;
void mbc_sincos_lanes(const double* a, double* sine, double* cosine) MBC_NOEXCEPT;

/* Exactly rounded, hence the same everywhere; called only where the processor lacks the instruction. */
double mbc_fma(double a, double b, double c) MBC_NOEXCEPT;
double mbc_floor(double a) MBC_NOEXCEPT;

/* Returns a function given by points, or its derivative of the given order, at an argument. The array holds the number
 * of points n (2 or more), the method, the rule beyond the points, the points per unit of the argument, then n
 * ascending arguments, n values and, for the cubic, n slopes. With MBC_TABLE_ERROR the function is undefined (NaN)
 * outside of the points. */
enum { MBC_TABLE_POINTS = 0, MBC_TABLE_METHOD = 1, MBC_TABLE_BEYOND = 2, MBC_TABLE_DENSITY = 3, MBC_TABLE_X = 4 };
enum { MBC_TABLE_HOLD = 0, MBC_TABLE_LINEAR = 1, MBC_TABLE_CUBIC = 2 };   /* the method */
enum { MBC_TABLE_ERROR = 0, MBC_TABLE_HOLD_END = 1, MBC_TABLE_LINE = 2 }; /* the rule beyond */
double mbc_table(const double* table, double at, uint32_t order) MBC_NOEXCEPT;

/* One function of a kernel; returns 0, or k > 0 when the checked entry deriv[k-1] is not finite, or the status of the
 * support routine that failed. */
typedef int32_t (*mbc_kernel_function)(double t, const double* state, const double* params, const double* inputs,
                                       const double* mask, double* work, double* deriv);

/* A row depends on those before it when its pivot is at most this part of its diagonal entry. */
#define MBC_PIVOT_TOLERANCE 1e-13

/* The constrained accelerations of n speeds under m rows, by the Schur complement:
 *
 *   a = M^-1 f,  r = b - A a,  S = A M^-1 A^T,  S lambda = r,  udot = a + M^-1 A^T lambda.
 *
 * S = L D L^T is factorised in row order without pivoting. Row k is left out (lambda_k = 0, nothing is eliminated with
 * it) when mask[k] == 0, when S_kk == 0 or when its pivot d_k <= MBC_PIVOT_TOLERANCE S_kk: then the row depends on
 * those before it. d_k and S_kk are stored for every row, left out or not. Every sum runs left to right; a NaN in M, f
 * or A reaches udot, one in b_k does when row k takes part.
 *
 * The plan, in 32-bit words; offsets count doubles from `work`: */
enum {
  MBC_PLAN_N = 0,         /* number of speeds */
  MBC_PLAN_M = 1,         /* number of rows */
  MBC_PLAN_MASS_KIND = 2, /* 0: M is its n diagonal entries; 1: n x n row-major, of which the lower triangle is read */
  MBC_PLAN_MASS = 3,      /* in:  M */
  MBC_PLAN_FORCE = 4,     /* in:  f, n */
  MBC_PLAN_A = 5,         /* in:  values of A, row after row (compressed rows, pattern below) */
  MBC_PLAN_B = 6,         /* in:  b, m */
  MBC_PLAN_UDOT = 7,      /* out: accelerations, n */
  MBC_PLAN_LAMBDA = 8,    /* out: multipliers, m */
  MBC_PLAN_PIVOT = 9,     /* out: d_k, m */
  MBC_PLAN_PIVOT_SCALE = 10, /* out: S_kk, m */
  MBC_PLAN_SCRATCH = 11,     /* mbc_dense_solve_scratch(n, m, kind) doubles */
  MBC_PLAN_ROW_PTR = 12      /* row_ptr[m + 1], then col[row_ptr[m]] */
};

/* Returns 0, or 1 if M is not positive definite (a pivot <= 0); then the outputs hold unspecified values. */
int32_t mbc_dense_solve(const uint32_t* plan, const double* mask, double* work) MBC_NOEXCEPT;

/* Returns the doubles of scratch that the solve needs. */
uint32_t mbc_dense_solve_scratch(uint32_t n, uint32_t m, uint32_t mass_kind) MBC_NOEXCEPT;

/* Checks that a plan of `words` words is well formed and stays inside mask[n_mask] and work[n_work]. Returns a null
 * pointer if it does, else the mistake. */
const char* mbc_dense_solve_check(const uint32_t* plan, uint32_t words, uint32_t n_mask, uint32_t n_work) MBC_NOEXCEPT;

/* Adds the rows to a mass matrix that is singular without them (seed 004, eq. 28-29), in place, the lower triangle of
 * M:
 *
 *   M := M + sum_k D_k A_k^T A_k,   f := f + sum_k D_k A_k^T b_k.
 *
 * D_k is weight[k] if that is positive; nothing is added if it is 0. If it is negative, D_k is chosen so that the row
 * has the size of the inertia it meets, and stored:
 *   D_k = 1 / sum_i A_ki^2 / m_i,   m_i = M_ii, or the mean of the M_ii > 0 where M_ii <= -weight[k] * mean.
 * Any D_k > 0 gives the same accelerations and multipliers; this one does not depend on the units. */
enum {
  MBC_ADD_N = 0,
  MBC_ADD_M = 1,
  MBC_ADD_MASS = 2,   /* in, out: n x n, row-major */
  MBC_ADD_FORCE = 3,  /* in, out: n; MBC_ADD_NONE leaves it out */
  MBC_ADD_A = 4,      /* in: values of A, row after row */
  MBC_ADD_B = 5,      /* in: m */
  MBC_ADD_WEIGHT = 6, /* in, out: m */
  MBC_ADD_ROW_PTR = 7 /* row_ptr[m + 1], then col[row_ptr[m]] */
};
#define MBC_ADD_NONE 0xffffffffu

int32_t mbc_add_rows(const uint32_t* plan, const double* mask, double* work) MBC_NOEXCEPT;
const char* mbc_add_rows_check(const uint32_t* plan, uint32_t words, uint32_t n_mask, uint32_t n_work) MBC_NOEXCEPT;

/* The same accelerations and multipliers as mbc_dense_solve from one system (seed 004, eq. 25),
 *
 *   [M A^T; A 0] [udot; -lambda] = [f; b],
 *
 * by Gauss elimination with row pivoting on the symmetrically scaled matrix. M may be singular if the rows that
 * take part determine the remaining speeds. The plan is that of mbc_dense_solve; scratch as below. Rows outside the
 * mask, and rows whose column has no pivot left above 1e-13, have lambda_k = 0. pivot_scale[k] estimates S_kk;
 * pivot[k]/pivot_scale[k] is the squared distance of a row that takes part from those before it; for a row outside the
 * mask pivot[k] is the Schur complement (as in mbc_dense_solve). Returns 1 if neither M nor the rows determine some
 * speed. */
int32_t mbc_augmented_solve(const uint32_t* plan, const double* mask, double* work) MBC_NOEXCEPT;
uint32_t mbc_augmented_solve_scratch(uint32_t n, uint32_t m) MBC_NOEXCEPT;
const char* mbc_augmented_solve_check(const uint32_t* plan, uint32_t words, uint32_t n_mask,
                                      uint32_t n_work) MBC_NOEXCEPT;

/* Accelerations in independent speeds (formulations projection, kane, volterra, efficient_volterra, maggi, ...).
 *
 * The n speeds u are a linear function of p quasi-velocities y, as far as the rows leave them free:
 *
 *   S u = [y - Z; G - C N; -c],   S = [Y; C M; A],   u = B y + d,   B = S^-1 [1; 0; 0]
 *   S beta = [-z; C f; b],        u' = B y' + beta
 *   B^T M B y' = B^T (f - M beta)
 *
 * Rows of Y are unit vectors or quasi-velocities of the user, as `choice` says; C holds constant directions whose
 * momenta C (M u + N) = G are conserved (so that C M u' = C f); A has the rows of the mask only. S is square: p + s +
 * (rows of the mask) = n. z = y' - Y u' is the bias of the user's rows. The speed of a unit row is eliminated at once.
 * The rest is factorised with row pivoting, columns scaled by 1/sqrt(M_jj), rows to norm 1.
 * The multipliers follow from S^T mu = M u' - f. pivot_scale[k] estimates S_kk of the Schur complement; pivot[k] is
 * pivot_scale[k] times the squared pivot for a row of the mask, the Schur complement itself for one outside.
 *
 * mode is a sum of MBC_QUASI_FACTOR (S, B, particular solution; keeps them in scratch for later calls of the same
 * function), MBC_QUASI_EXPAND (u from y), MBC_QUASI_ACCELERATE (u', y', multipliers by the p equations) or
 * MBC_QUASI_MAGGI (u' from [B^T M; A] u' = [B^T f; b], the n equations of Maggi; s = 0). */
enum {
  MBC_QUASI_N = 0,         /* speeds */
  MBC_QUASI_M = 1,         /* rows */
  MBC_QUASI_USER = 2,      /* rows of the user's quasi-velocities */
  MBC_QUASI_MOMENTA = 3,   /* s */
  MBC_QUASI_MODE = 4,      /* what to do */
  MBC_QUASI_MASS_KIND = 5, /* 0: M is its n diagonal entries; 1: n x n row-major, of which the lower triangle is read */
  MBC_QUASI_MASS = 6,      /* in: M */
  MBC_QUASI_FORCE = 7,     /* in: f, n */
  MBC_QUASI_A = 8,         /* in: values of A, row after row (pattern below) */
  MBC_QUASI_Y_ROWS = 9,    /* in: values of the user's Y, row after row */
  MBC_QUASI_B = 10,        /* in: b, m */
  MBC_QUASI_C = 11,        /* in: c, m */
  MBC_QUASI_Z = 12,        /* in: Z, user */
  MBC_QUASI_BIAS = 13,     /* in: z, user */
  MBC_QUASI_OFFSET = 14,   /* in: N, n (not read without momenta) */
  MBC_QUASI_DIRECTION = 15,       /* in: C, s x n */
  MBC_QUASI_MOMENTUM = 16,        /* in: G, s */
  MBC_QUASI_CHOICE = 17,          /* in: n; entry k < p: j for speed j, n + j for user's row j; -1 ends the list */
  MBC_QUASI_Y = 18,               /* in: y, n (p of them) */
  MBC_QUASI_U = 19,               /* out of EXPAND: u, n */
  MBC_QUASI_UDOT = 20,            /* out: n */
  MBC_QUASI_YDOT = 21,            /* out of ACCELERATE: n (p of them, then 0) */
  MBC_QUASI_LAMBDA = 22,          /* out: m */
  MBC_QUASI_PIVOT = 23,           /* out: m */
  MBC_QUASI_PIVOT_SCALE = 24,     /* out: m */
  MBC_QUASI_PROJECTED_MASS = 25,  /* out: B^T M B, p x p row-major in n x n doubles */
  MBC_QUASI_PROJECTED_FORCE = 26, /* out: B^T (f - M beta), p in n doubles */
  MBC_QUASI_QUALITY = 27, /* out: 1; 1 over the largest entry of B in units of equal inertia, 0 when S is singular */
  MBC_QUASI_SCRATCH = 28, /* mbc_quasi_solve_scratch(n) doubles */
  MBC_QUASI_ROW_PTR = 29  /* row_ptr[m + user + 1] of A, then Y; then col[..] */
};
enum { MBC_QUASI_FACTOR = 1, MBC_QUASI_EXPAND = 2, MBC_QUASI_ACCELERATE = 4, MBC_QUASI_MAGGI = 8 };

/* Returns 0; 1 if B^T M B is not positive definite; 2 if S is singular or not square. */
int32_t mbc_quasi_solve(const uint32_t* plan, const double* mask, double* work) MBC_NOEXCEPT;
uint32_t mbc_quasi_solve_scratch(uint32_t n) MBC_NOEXCEPT;
const char* mbc_quasi_solve_check(const uint32_t* plan, uint32_t words, uint32_t n_mask, uint32_t n_work) MBC_NOEXCEPT;

/* The same accelerations, multipliers and reports as mbc_dense_solve for large sparse systems. M has small diagonal
 * blocks; S = L D L^T is factorised front by front (multifrontal, Duff and Reid 1983) in an order that keeps L sparse,
 * by index arrays made at compile time (compiler/formulate/solve/sparse_plan.h). A row is left out under the same
 * conditions, but the rows before it are those before it in that order. Work is proportional to the operations, nothing
 * is n x m.
 *
 * The first twelve words are those of mbc_dense_solve, with
 *   MBC_PLAN_MASS_KIND  0: M is its n diagonal entries; 1: MBC_SPARSE_MASS_SIZE entries that the blocks point to.
 * Sections further on begin at the words named by _AT. */
enum {
  MBC_SPARSE_SCRATCH_SIZE = 12, /* doubles */
  MBC_SPARSE_MASS_SIZE = 13,    /* entries of M */
  MBC_SPARSE_BLOCKS = 14,       /* number of diagonal blocks of M; 0 for kind 0 */
  MBC_SPARSE_FRONTS = 15,       /* number of fronts */
  MBC_SPARSE_BLOCK_VALUES = 16, /* doubles of the factorised blocks: sum of size^2; n for kind 0 */
  MBC_SPARSE_RESPONSE = 17,     /* doubles of M^-1 A^T; those of A for kind 0 */
  MBC_SPARSE_PANELS = 18,       /* doubles of L and D */
  MBC_SPARSE_STACK = 19,        /* doubles of the fronts' contributions to later ones */
  MBC_SPARSE_BLOCKS_AT = 20,    /* a block: word of its description, place of its values.  A description: size,
                                   size speeds, then for i >= j, by rows, the entry of M or MBC_SPARSE_NONE */
  MBC_SPARSE_RESPONSE_AT = 21,  /* kind 1, a row of the ranges: number of blocks it touches; a block: its index, number
                                   of  entries, an entry: place in A, place in the block */
  MBC_SPARSE_FRONTS_AT = 22,    /* the fronts, in order:
                                   columns c, rows below r, place of its contribution, number of children, number of
                                   entries of S; c rows of A in order of elimination; r places of elimination below;
                                   a child: its r, place of its contribution, r places in this front;
                                   an entry of S: place in the panel, number of runs; a run: place in A, place in
                                   M^-1 A^T, length: S_kl = sum over runs of A[..] M^-1 A^T [..] */
  MBC_SPARSE_PLACES_AT = 23,    /* word of each front */
  MBC_SPARSE_RANGES = 24,       /* number of ranges of rows that are eliminated. Rows outside of them and of the border
                                   count as zero: their multipliers are 0, their pivots are not written */
  MBC_SPARSE_RANGES_AT = 25,    /* a range: its first row, the one behind its last; ascending, apart */
  MBC_SPARSE_BORDER = 26,      /* number of rows outside of the ranges that are mostly zero. Those that are not zero are
                                  eliminated behind the others, as a full matrix */
  MBC_SPARSE_BORDER_MOST = 27, /* rows of the border that may take part at once */
  MBC_SPARSE_BORDER_AT = 28,   /* their places among the rows, ascending; kind 1: then for each of them the word of its
                                   blocks: how many it touches, and which */
  MBC_SPARSE_ROW_PTR = 29      /* row_ptr[m + 1], then col[row_ptr[m]], then the sections */
};
#define MBC_SPARSE_NONE 0xffffffffu

int32_t mbc_sparse_solve(const uint32_t* plan, const double* mask, double* work) MBC_NOEXCEPT;
const char* mbc_sparse_solve_check(const uint32_t* plan, uint32_t words, uint32_t n_mask, uint32_t n_work) MBC_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
