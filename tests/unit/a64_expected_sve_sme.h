/* SPDX-License-Identifier: MIT */
/*
 * A64 opcodes with their expected attributes: SVE and SME instructions.
 *
 * The opcodes come from the GNU assembler. Opcodes that the assembler does not know come from the
 * encoding diagrams. The expected values were written by hand from the Arm ARM, DDI 0487 M.a:
 * D17.5.1, D17.6, D18.2.7.
 *
 * Columns: opcode, type, load/store subclass, bytes accessed, flags, vector bits at a vector length
 * of 256, branch offset.
 */
/* clang-format off */
        /* SVE loads and stores, vectors of 256 bits */
        {0x85804020, LOAD, SVESME, 32, SIMD, 256, 0}, /* ldr z0, [x1] */
        {0x85800020, LOAD, SVESME, 4, SIMD, 256, 0}, /* ldr p0, [x1] */
        {0xe5804420, STORE, SVESME, 32, SIMD, 256, 0}, /* str z0, [x1, #1, mul vl] */
        {0xe5800020, STORE, SVESME, 4, SIMD, 256, 0}, /* str p0, [x1] */
        {0xa400a020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ld1b {z0.b}, p0/z, [x1] */
        {0xa420a020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1b {z0.h}, p0/z, [x1] */
        {0xa4424020, LOAD, SVESME, 8, SIMD | PRED, 256, 0}, /* ld1b {z0.s}, p0/z, [x1, x2] */
        {0xa4624020, LOAD, SVESME, 4, SIMD | PRED, 256, 0}, /* ld1b {z0.d}, p0/z, [x1, x2] */
        {0xa5c0a020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1sb {z0.h}, p0/z, [x1] */
        {0xa5a0a020, LOAD, SVESME, 8, SIMD | PRED, 256, 0}, /* ld1sb {z0.s}, p0/z, [x1] */
        {0xa580a020, LOAD, SVESME, 4, SIMD | PRED, 256, 0}, /* ld1sb {z0.d}, p0/z, [x1] */
        {0xa4a0a020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ld1h {z0.h}, p0/z, [x1] */
        {0xa4e0a020, LOAD, SVESME, 8, SIMD | PRED, 256, 0}, /* ld1h {z0.d}, p0/z, [x1] */
        {0xa520a020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1sh {z0.s}, p0/z, [x1] */
        {0xa500a020, LOAD, SVESME, 8, SIMD | PRED, 256, 0}, /* ld1sh {z0.d}, p0/z, [x1] */
        {0xa5424020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ld1w {z0.s}, p0/z, [x1, x2, lsl #2] */
        {0xa560a020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1w {z0.d}, p0/z, [x1] */
        {0xa480a020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1sw {z0.d}, p0/z, [x1] */
        {0xa5e0a020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ld1d {z0.d}, p0/z, [x1] */
        {0xa5426020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ldff1w {z0.s}, p0/z, [x1, x2, lsl #2] */
        {0xa5f0a020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ldnf1d {z0.d}, p0/z, [x1] */
        {0xa400e020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ldnt1b {z0.b}, p0/z, [x1] */
        {0xa502c020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ldnt1w {z0.s}, p0/z, [x1, x2, lsl #2] */
        {0x84408020, LOAD, SVESME, 1, SIMD | PRED, 256, 0}, /* ld1rb {z0.b}, p0/z, [x1] */
        {0x8540c020, LOAD, SVESME, 4, SIMD | PRED, 256, 0}, /* ld1rw {z0.s}, p0/z, [x1] */
        {0x85408020, LOAD, SVESME, 2, SIMD | PRED, 256, 0}, /* ld1rsh {z0.d}, p0/z, [x1] */
        {0x85c0e020, LOAD, SVESME, 8, SIMD | PRED, 256, 0}, /* ld1rd {z0.d}, p0/z, [x1] */
        {0xa5002020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1rqw {z0.s}, p0/z, [x1] */
        {0xa4020020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1rqb {z0.b}, p0/z, [x1, x2] */
        {0xa5202020, LOAD, SVESME, 32, SIMD | PRED, 256, 0}, /* ld1row {z0.s}, p0/z, [x1] */
        {0xa4a28020, LOAD, SVESME, 64, SIMD | PRED | V(2), 256, 0},  /* ld2q {z0.q, z1.q}, p0/z, [x1, x2, lsl #4] */
        {0xa5228020, LOAD, SVESME, 96, SIMD | PRED | V(3), 256, 0},  /* ld3q {z0.q-z2.q}, p0/z, [x1, x2, lsl #4] */
        {0xa5a28020, LOAD, SVESME, 128, SIMD | PRED | V(4), 256, 0}, /* ld4q {z0.q-z3.q}, p0/z, [x1, x2, lsl #4] */
        {0xa490e020, LOAD, SVESME, 64, SIMD | PRED | V(2), 256, 0},  /* ld2q {z0.q, z1.q}, p0/z, [x1] */
        {0xa420e020, LOAD, SVESME, 64, SIMD | PRED | V(2), 256, 0}, /* ld2b {z0.b, z1.b}, p0/z, [x1] */
        {0xa4c2c020, LOAD, SVESME, 96, SIMD | PRED | V(3), 256, 0}, /* ld3h {z0.h-z2.h}, p0/z, [x1, x2, lsl #1] */
        {0xa560e020, LOAD, SVESME, 128, SIMD | PRED | V(4), 256, 0}, /* ld4w {z0.s-z3.s}, p0/z, [x1] */
        {0xa5a2c020, LOAD, SVESME, 64, SIMD | PRED | V(2), 256, 0}, /* ld2d {z0.d, z1.d}, p0/z, [x1, x2, lsl #3] */
        {0xe400e020, STORE, SVESME, 32, SIMD | PRED, 256, 0}, /* st1b {z0.b}, p0, [x1] */
        {0xe4624020, STORE, SVESME, 4, SIMD | PRED, 256, 0}, /* st1b {z0.d}, p0, [x1, x2] */
        {0xe4c0e020, STORE, SVESME, 16, SIMD | PRED, 256, 0}, /* st1h {z0.s}, p0, [x1] */
        {0xe5424020, STORE, SVESME, 32, SIMD | PRED, 256, 0}, /* st1w {z0.s}, p0, [x1, x2, lsl #2] */
        {0xe5e0e020, STORE, SVESME, 32, SIMD | PRED, 256, 0}, /* st1d {z0.d}, p0, [x1] */
        {0xe590e020, STORE, SVESME, 32, SIMD | PRED, 256, 0}, /* stnt1d {z0.d}, p0, [x1] */
        {0xe4026020, STORE, SVESME, 32, SIMD | PRED, 256, 0}, /* stnt1b {z0.b}, p0, [x1, x2] */
        {0xe4b0e020, STORE, SVESME, 64, SIMD | PRED | V(2), 256, 0}, /* st2h {z0.h, z1.h}, p0, [x1] */
        {0xe550e020, STORE, SVESME, 96, SIMD | PRED | V(3), 256, 0}, /* st3w {z0.s-z2.s}, p0, [x1] */
        {0xe5e26020, STORE, SVESME, 128, SIMD | PRED | V(4), 256, 0}, /* st4d {z0.d-z3.d}, p0, [x1, x2, lsl #3] */
        {0x85624020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* ld1w {z0.s}, p0/z, [x1, z2.s, sxtw #2] */
        {0x85024020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* ld1w {z0.s}, p0/z, [x1, z2.s, uxtw] */
        {0x84024020, LOAD, SVESME, 8, SIMD | PRED | GS, 256, 0}, /* ld1b {z0.s}, p0/z, [x1, z2.s, uxtw] */
        {0x84a0c020, LOAD, SVESME, 16, SIMD | PRED | GS, 256, 0}, /* ld1h {z0.s}, p0/z, [z1.s] */
        {0x8424a020, LOAD, SVESME, 8, SIMD | PRED | GS, 256, 0}, /* ldff1sb {z0.s}, p0/z, [z1.s, #4] */
        {0xc5e2c020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* ld1d {z0.d}, p0/z, [x1, z2.d, lsl #3] */
        {0xc5c2c020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* ld1d {z0.d}, p0/z, [x1, z2.d] */
        {0xc5624020, LOAD, SVESME, 16, SIMD | PRED | GS, 256, 0}, /* ld1w {z0.d}, p0/z, [x1, z2.d, sxtw #2] */
        {0xc423c020, LOAD, SVESME, 4, SIMD | PRED | GS, 256, 0}, /* ld1b {z0.d}, p0/z, [z1.d, #3] */
        {0xc520a020, LOAD, SVESME, 16, SIMD | PRED | GS, 256, 0}, /* ldff1sw {z0.d}, p0/z, [z1.d] */
        {0x8502a020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* ldnt1w {z0.s}, p0/z, [z1.s, x2] */
        {0xc582c020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* ldnt1d {z0.d}, p0/z, [z1.d, x2] */
        {0xe5628020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* st1w {z0.s}, p0, [x1, z2.s, uxtw #2] */
        {0xe542c020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* st1w {z0.s}, p0, [x1, z2.s, sxtw] */
        {0xe5a2a020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* st1d {z0.d}, p0, [x1, z2.d, lsl #3] */
        {0xe482a020, STORE, SVESME, 8, SIMD | PRED | GS, 256, 0}, /* st1h {z0.d}, p0, [x1, z2.d] */
        {0xe5228020, STORE, SVESME, 16, SIMD | PRED | GS, 256, 0}, /* st1w {z0.d}, p0, [x1, z2.d, uxtw #2] */
        {0xe462a020, STORE, SVESME, 8, SIMD | PRED | GS, 256, 0}, /* st1b {z0.s}, p0, [z1.s, #2] */
        {0xe5c0a020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* st1d {z0.d}, p0, [z1.d] */
        {0xe4e1a020, STORE, SVESME, 16, SIMD | PRED | GS, 256, 0}, /* st1h {z0.s}, p0, [z1.s, #2] */
        {0xe560a020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* st1w {z0.s}, p0, [z1.s] */
        {0xe4c0a020, STORE, SVESME, 8, SIMD | PRED | GS, 256, 0}, /* st1h {z0.d}, p0, [z1.d] */
        {0xe5422020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* stnt1w {z0.s}, p0, [z1.s, x2] */
        {0xe5822020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* stnt1d {z0.d}, p0, [z1.d, x2] */
        {0x85c00020, SVE, NONE, 0, PREF, 256, 0}, /* prfb pldl1keep, p0, [x1] */
        {0x8582c020, SVE, NONE, 0, PREF, 256, 0}, /* prfd pldl1keep, p0, [x1, x2, lsl #3] */
        {0x84224020, SVE, NONE, 0, PREF, 256, 0}, /* prfw pldl1keep, p0, [x1, z2.s, uxtw #2] */
        {0x8482e020, SVE, NONE, 0, PREF, 256, 0}, /* prfh pldl1keep, p0, [z1.s, #4] */
        {0xc462e020, SVE, NONE, 0, PREF, 256, 0}, /* prfd pldl1keep, p0, [x1, z2.d, lsl #3] */
        {0xc4624020, SVE, NONE, 0, PREF, 256, 0}, /* prfw pldl1keep, p0, [x1, z2.d, sxtw #2] */
        {0xc400e020, SVE, NONE, 0, PREF, 256, 0}, /* prfb pldl1keep, p0, [z1.d] */
        /* SVE data processing */
        {0x04a20020, SVE, NONE, 0, SIMD, 256, 0}, /* add z0.s, z1.s, z2.s */
        {0x04800020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* add z0.s, p0/m, z0.s, z1.s */
        {0x04824020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* mla z0.s, p0/m, z1.s, z2.s */
        {0x0496a020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* abs z0.s, p0/m, z1.s */
        {0x04938020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* lsl z0.s, p0/m, z0.s, z1.s */
        {0x0420bc20, SVE, NONE, 0, SIMD, 256, 0}, /* movprfx z0, z1 */
        {0x04902020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* movprfx z0.s, p0/z, z1.s */
        {0x04812020, SVE, NONE, 0, SIMD, 256, 0}, /* uaddv d0, p0, z1.s */
        {0x04992020, SVE, NONE, 0, SIMD, 256, 0}, /* eorv s0, p0, z1.s */
        {0x04a14000, SVE, NONE, 0, SIMD, 256, 0}, /* index z0.s, #0, #1 */
        {0x04223020, SVE, NONE, 0, SIMD, 256, 0}, /* and z0.d, z1.d, z2.d */
        {0x05a03820, SVE, NONE, 0, SIMD, 256, 0}, /* dup z0.s, w1 */
        {0x05a23020, SVE, NONE, 0, SIMD, 256, 0}, /* tbl z0.s, {z1.s}, z2.s */
        {0x05a2c020, SVE, NONE, 0, SIMD, 256, 0}, /* sel z0.s, p0, z1.s, z2.s */
        {0x05a8a020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* cpy z0.s, p0/m, w1 */
        {0x05a08020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* cpy z0.s, p0/m, s1 */
        {0x05900020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* cpy z0.s, p0/z, #1 */
        {0x05a18020, SVE, NONE, 0, SIMD, 256, 0}, /* compact z0.s, p0, z1.s */
        {0x05a48020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* revb z0.s, p0/m, z1.s */
        {0x05a78020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* rbit z0.s, p0/m, z1.s */
        {0x05ac8020, SVE, NONE, 0, SIMD, 256, 0}, /* splice z0.s, p0, z0.s, z1.s */
        {0x05ad8020, SVE, NONE, 0, SIMD, 256, 0}, /* splice z0.s, p0, {z1.s, z2.s} */
        {0x05a88020, SVE, NONE, 0, SIMD, 256, 0}, /* clasta z0.s, p0, z0.s, z1.s */
        {0x05a0a020, SVE, NONE, 0, SIMD, 256, 0}, /* lasta w0, p0, z1.s */
        {0x2481a400, SVE, NONE, 0, SIMD, 256, 0}, /* cmpeq p0.s, p1/z, z0.s, z1.s */
        {0x2598e3e0, SVE, NONE, 0, SIMD, 256, 0}, /* ptrue p0.s */
        {0x25a10c00, SVE, NONE, 0, SIMD, 256, 0}, /* whilelo p0.s, w0, w1 */
        {0x25a08020, SVE, NONE, 0, SIMD, 256, 0}, /* cntp x0, p0, p1.s */
        {0x25ac8000, SVE, NONE, 0, SIMD, 256, 0}, /* incp z0.s, p0 */
        {0x25b8c020, SVE, NONE, 0, SIMD, 256, 0}, /* dup z0.s, #1 */
        {0x0460c3e0, SVE, NONE, 0, SIMD, 256, 0}, /* sqinch z0.h */
        {0x0420e3e0, OTHER, NONE, 0, 0, 0, 0}, /* cntb x0 */
        {0x04e1e3e0, OTHER, NONE, 0, 0, 0, 0}, /* cntd x0, all, mul #2 */
        {0x04b0e3e0, OTHER, NONE, 0, 0, 0, 0}, /* incw x0 */
        {0x0420fbe0, OTHER, NONE, 0, 0, 0, 0}, /* sqdecb x0, w0 */
        {0x04215020, OTHER, NONE, 0, 0, 0, 0}, /* addvl x0, x1, #1 */
        {0x04bf5020, OTHER, NONE, 0, 0, 0, 0}, /* rdvl x0, #1 */
        {0x25e12000, OTHER, NONE, 0, 0, 0, 0}, /* ctermeq x0, x1 */
        {0x25a12010, OTHER, NONE, 0, 0, 0, 0}, /* ctermne w0, w1 */
        {0x65820020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fadd z0.s, z1.s, z2.s */
        {0x65808020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fadd z0.s, p0/m, z0.s, z1.s */
        {0x65988000, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fadd z0.s, p0/m, z0.s, #0.5 */
        {0x65a20020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fmla z0.s, p0/m, z1.s, z2.s */
        {0x65e28020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fmad z0.d, p0/m, z1.d, z2.d */
        {0x64aa0020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fmla z0.s, z1.s, z2.s[1] */
        {0x64aa2020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fmul z0.s, z1.s, z2.s[1] */
        {0x658da020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fsqrt z0.s, p0/m, z1.s */
        {0x65cba020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fcvt z0.d, p0/m, z1.s */
        {0x6594a020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* scvtf z0.s, p0/m, z1.s */
        {0x049ca020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fabs z0.s, p0/m, z1.s */
        {0x04dda020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fneg z0.d, p0/m, z1.d */
        {0x65802020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* faddv s0, p0, z1.s */
        {0x65982020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fadda s0, p0, s0, z1.s */
        {0x65814410, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fcmgt p0.s, p1/z, z0.s, z1.s */
        {0x65922400, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fcmeq p0.s, p1/z, z0.s, #0.0 */
        {0x658e3020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* frecpe z0.s, z1.s */
        {0x65918020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* ftmad z0.s, z0.s, z1.s, #1 */
        {0x04a0b820, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fexpa z0.s, z1.s */
        {0x04a2b020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* ftssel z0.s, z1.s, z2.s */
        {0x64822020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fcmla z0.s, p0/m, z1.s, z2.s, #90 */
        {0x64808020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fcadd z0.s, p0/m, z0.s, z1.s, #90 */
        {0x64908020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* faddp z0.s, p0/m, z0.s, z1.s */
        {0x64caa020, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fcvtnt z0.s, p0/m, z1.d */
        {0x64a28020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fmlalb z0.s, z1.h, z2.h */
        {0x64628020, SVE, NONE, 0, SIMD | FP, 256, 0}, /* bfdot z0.s, z1.h, z2.h */
        {0x25b9ce00, SVE, NONE, 0, SIMD | FP, 256, 0}, /* fdup z0.s, #1.0 */
        {0x0590ce00, SVE, NONE, 0, SIMD | FP | PRED, 256, 0}, /* fcpy z0.s, p0/m, #1.0 */
        {0x44820020, SVE, NONE, 0, SIMD, 256, 0}, /* sdot z0.s, z1.b, z2.b */
        {0x44824020, SVE, NONE, 0, SIMD, 256, 0}, /* smlalb z0.s, z1.h, z2.h */
        {0x4488a020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* sqabs z0.s, p0/m, z1.s */
        {0x44908020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* shadd z0.s, p0/m, z0.s, z1.s */
        {0x4491a020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* addp z0.s, p0/m, z0.s, z1.s */
        {0x44827020, SVE, NONE, 0, SIMD, 256, 0}, /* sqrdmlah z0.s, z1.s, z2.s */
        {0x45a2c020, SVE, NONE, 0, SIMD | PRED, 256, 0}, /* histcnt z0.s, p0/z, z1.s, z2.s */
        {0x45218400, SVE, NONE, 0, SIMD, 256, 0}, /* match p0.b, p1/z, z0.b, z1.b */
        {0x4522e020, SVE, NONE, 0, SIMD, 256, 0}, /* aese z0.b, z0.b, z1.b */
        /* SME, streaming vectors of 256 bits */
        {0xe0020020, LOAD, SVESME, 32, SIMD | PRED | ZA, 256, 0}, /* ld1b {za0h.b[w12, 0]}, p0/z, [x1, x2] */
        {0xe0c28020, LOAD, SVESME, 32, SIMD | PRED | ZA, 256, 0}, /* ld1d {za0v.d[w12, 0]}, p0/z, [x1, x2, lsl #3] */
        {0xe1c20020, LOAD, SVESME, 32, SIMD | PRED | ZA, 256, 0}, /* ld1q {za0h.q[w12, 0]}, p0/z, [x1, x2, lsl #4] */
        {0xe0a20020, STORE, SVESME, 32, SIMD | PRED | ZA, 256, 0}, /* st1w {za0h.s[w12, 0]}, p0, [x1, x2, lsl #2] */
        {0xe1e20020, STORE, SVESME, 32, SIMD | PRED | ZA, 256, 0}, /* st1q {za0h.q[w12, 0]}, p0, [x1, x2, lsl #4] */
        {0xe1000020, LOAD, SVESME, 32, SIMD | ZA, 256, 0}, /* ldr za[w12, 0], [x1] */
        {0xe1200020, STORE, SVESME, 32, SIMD | ZA, 256, 0}, /* str za[w12, 0], [x1] */
        {0x80812000, SME, NONE, 0, SIMD | FP, 2048, 0}, /* fmopa za0.s, p0/m, p1/m, z0.s, z1.s */
        {0x80c12010, SME, NONE, 0, SIMD | FP, 1024, 0}, /* fmops za0.d, p0/m, p1/m, z0.d, z1.d */
        {0x81812000, SME, NONE, 0, SIMD | FP, 2048, 0}, /* bfmopa za0.s, p0/m, p1/m, z0.h, z1.h */
        {0xa0812000, SME, NONE, 0, SIMD, 2048, 0}, /* smopa za0.s, p0/m, p1/m, z0.b, z1.b */
        {0xa1e12000, SME, NONE, 0, SIMD, 1024, 0}, /* umopa za0.d, p0/m, p1/m, z0.h, z1.h */
        {0xc00800ff, SME, NONE, 0, SIMD | ALL_ZA, 8192, 0}, /* zero {za} */
        {0x80812008, SME, NONE, 0, SIMD, 2048, 0},          /* bmopa za0.s, p0/m, p1/m, z0.s, z1.s */
        {0x81812008, SME, NONE, 0, SIMD | FP, 4096, 0},     /* fmopa za0.h, p0/m, p1/m, z0.h, z1.h */
        {0xc0902020, SME, NONE, 0, SIMD | PRED, 2048, 0},   /* addha za0.s, p0/m, p1/m, z1.s */
        {0xc0d02020, SME, NONE, 0, SIMD | PRED, 1024, 0},   /* addha za0.d, p0/m, p1/m, z1.d */
        {0xa0020020, LOAD, SVESME, 64, SIMD | PRED | V(2), 256, 0},   /* ld1b {z0.b-z1.b}, pn8/z, [x1, x2] */
        {0xa0028020, LOAD, SVESME, 128, SIMD | PRED | V(4), 256, 0},  /* ld1b {z0.b-z3.b}, pn8/z, [x1, x2] */
        {0xa0220020, STORE, SVESME, 64, SIMD | PRED | V(2), 256, 0},  /* st1b {z0.b-z1.b}, pn8, [x1, x2] */
        {0xa0228020, STORE, SVESME, 128, SIMD | PRED | V(4), 256, 0}, /* st1b {z0.b-z3.b}, pn8, [x1, x2] */
        {0xe11f8020, LOAD, SVESME, 64, SIMD, 256, 0},       /* ldr zt0, [x1] */
        {0xe13f8020, STORE, SVESME, 64, SIMD, 256, 0},      /* str zt0, [x1] */
        {0x052e8020, SVE, NONE, 0, SIMD | PRED, 256, 0},    /* revd z0.q, p0/m, z1.q */
        {0xa5102020, LOAD, SVESME, 8, SIMD | PRED, 256, 0}, /* ld1w {z0.q}, p0/z, [x1] */
        {0xa5902020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1d {z0.q}, p0/z, [x1] */
        {0xa5028020, LOAD, SVESME, 8, SIMD | PRED, 256, 0},  /* ld1w {z0.q}, p0/z, [x1, x2, lsl #2] */
        {0xa5828020, LOAD, SVESME, 16, SIMD | PRED, 256, 0}, /* ld1d {z0.q}, p0/z, [x1, x2, lsl #3] */
        {0xc402a020, LOAD, SVESME, 32, SIMD | PRED | GS, 256, 0},  /* ld1q {z0.q}, p0/z, [z1.d, x2] */
        {0xe4222020, STORE, SVESME, 32, SIMD | PRED | GS, 256, 0}, /* st1q {z0.q}, p0, [z1.d, x2] */
        {0xe4620020, STORE, SVESME, 64, SIMD | PRED | V(2), 256, 0},  /* st2q {z0.q, z1.q}, p0, [x1, x2, lsl #4] */
        {0xe4a20020, STORE, SVESME, 96, SIMD | PRED | V(3), 256, 0},  /* st3q {z0.q-z2.q}, p0, [x1, x2, lsl #4] */
        {0xe4e20020, STORE, SVESME, 128, SIMD | PRED | V(4), 256, 0}, /* st4q {z0.q-z3.q}, p0, [x1, x2, lsl #4] */
        {0xe4400020, STORE, SVESME, 64, SIMD | PRED | V(2), 256, 0},  /* st2q {z0.q, z1.q}, p0, [x1] */
        {0xc120a000, SVE, NONE, 0, SIMD | V(2), 256, 0}, /* smax {z0.b-z1.b}, {z0.b-z1.b}, z0.b */
        {0xc120a800, SVE, NONE, 0, SIMD | V(4), 256, 0}, /* smax {z0.b-z3.b}, {z0.b-z3.b}, z0.b */
        {0xc1211810, SME, NONE, 0, SIMD, 256, 0}, /* add za.s[w8, 0, vgx2], {z0.s-z1.s}, z1.s */
        {0xc0ca0000, SVE, NONE, 0, SIMD | ZT, 256, 0}, /* luti4 z0.b, zt0, z0[0] */
        {0xd503477f, OTHER, NONE, 0, 0, 0, 0}, /* smstart */
        {0x04bf5820, OTHER, NONE, 0, 0, 0, 0}, /* rdsvl x0, #1 */
