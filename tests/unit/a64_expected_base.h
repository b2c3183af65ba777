/* SPDX-License-Identifier: MIT */
/*
 * A64 opcodes with their expected attributes: base, floating-point and Advanced SIMD instructions,
 * and unallocated opcodes.
 *
 * The opcodes come from the GNU assembler. Opcodes that the assembler does not know come from the
 * encoding diagrams. The expected values were written by hand from the Arm ARM, DDI 0487 M.a:
 * D17.5.1, D17.6, D18.2.7.
 *
 * Columns: opcode, type, load/store subclass, bytes accessed, flags, vector bits at a vector length
 * of 256, branch offset.
 */
/* clang-format off */
        /* base loads and stores */
        {0xf9400020, LOAD, GENERAL, 8, 0, 0, 0}, /* ldr x0, [x1] */
        {0xb9400420, LOAD, GENERAL, 4, 0, 0, 0}, /* ldr w0, [x1, #4] */
        {0xf8627820, LOAD, GENERAL, 8, 0, 0, 0}, /* ldr x0, [x1, x2, lsl #3] */
        {0xb8404420, LOAD, GENERAL, 4, 0, 0, 0}, /* ldr w0, [x1], #4 */
        {0xf8408c20, LOAD, GENERAL, 8, 0, 0, 0}, /* ldr x0, [x1, #8]! */
        {0x39400020, LOAD, GENERAL, 1, 0, 0, 0}, /* ldrb w0, [x1] */
        {0x79400420, LOAD, GENERAL, 2, 0, 0, 0}, /* ldrh w0, [x1, #2] */
        {0x39800020, LOAD, GENERAL, 1, 0, 0, 0}, /* ldrsb x0, [x1] */
        {0x38e2c820, LOAD, GENERAL, 1, 0, 0, 0}, /* ldrsb w0, [x1, w2, sxtw] */
        {0x79800020, LOAD, GENERAL, 2, 0, 0, 0}, /* ldrsh x0, [x1] */
        {0x78c02420, LOAD, GENERAL, 2, 0, 0, 0}, /* ldrsh w0, [x1], #2 */
        {0xb9800020, LOAD, GENERAL, 4, 0, 0, 0}, /* ldrsw x0, [x1] */
        {0xb8a26820, LOAD, GENERAL, 4, 0, 0, 0}, /* ldrsw x0, [x1, x2] */
        {0xf85f8020, LOAD, GENERAL, 8, 0, 0, 0}, /* ldur x0, [x1, #-8] */
        {0x385ff020, LOAD, GENERAL, 1, 0, 0, 0}, /* ldurb w0, [x1, #-1] */
        {0xb89fc020, LOAD, GENERAL, 4, 0, 0, 0}, /* ldursw x0, [x1, #-4] */
        {0xf8400820, LOAD, GENERAL, 8, 0, 0, 0}, /* ldtr x0, [x1] */
        {0x78c00820, LOAD, GENERAL, 2, 0, 0, 0}, /* ldtrsh w0, [x1] */
        {0xf9000020, STORE, GENERAL, 8, 0, 0, 0}, /* str x0, [x1] */
        {0xb81fcc20, STORE, GENERAL, 4, 0, 0, 0}, /* str w0, [x1, #-4]! */
        {0xb8225820, STORE, GENERAL, 4, 0, 0, 0}, /* str w0, [x1, w2, uxtw #2] */
        {0x38001420, STORE, GENERAL, 1, 0, 0, 0}, /* strb w0, [x1], #1 */
        {0x79000020, STORE, GENERAL, 2, 0, 0, 0}, /* strh w0, [x1] */
        {0xf81fd020, STORE, GENERAL, 8, 0, 0, 0}, /* stur x0, [x1, #-3] */
        {0xb8000820, STORE, GENERAL, 4, 0, 0, 0}, /* sttr w0, [x1] */
        {0x38005820, STORE, GENERAL, 1, 0, 0, 0}, /* sttrb w0, [x1, #5] */
        {0x58000080, LOAD, GENERAL, 8, 0, 0, 0}, /* ldr x0, .+16 */
        {0x18ffff80, LOAD, GENERAL, 4, 0, 0, 0}, /* ldr w0, .-16 */
        {0x98000040, LOAD, GENERAL, 4, 0, 0, 0}, /* ldrsw x0, .+8 */
        {0xd8000040, OTHER, NONE, 0, 0, 0, 0}, /* prfm pldl1keep, .+8 */
        {0xf9800020, OTHER, NONE, 0, 0, 0, 0}, /* prfm pldl1keep, [x1] */
        {0xf8a26831, OTHER, NONE, 0, 0, 0, 0}, /* prfm pstl1strm, [x1, x2] */
        {0xf89f7022, OTHER, NONE, 0, 0, 0, 0}, /* prfum pldl2keep, [x1, #-9] */
        {0xa9400440, LOAD, GENERAL, 16, PAIR, 0, 0}, /* ldp x0, x1, [x2] */
        {0x28c10440, LOAD, GENERAL, 8, PAIR, 0, 0}, /* ldp w0, w1, [x2], #8 */
        {0xa8c17bfd, LOAD, GENERAL, 16, PAIR, 0, 0}, /* ldp x29, x30, [sp], #16 */
        {0x69400440, LOAD, GENERAL, 8, PAIR, 0, 0}, /* ldpsw x0, x1, [x2] */
        {0xa9be7bfd, STORE, GENERAL, 16, PAIR, 0, 0}, /* stp x29, x30, [sp, #-32]! */
        {0x29010440, STORE, GENERAL, 8, PAIR, 0, 0}, /* stp w0, w1, [x2, #8] */
        {0xa8400440, LOAD, GENERAL, 16, PAIR, 0, 0}, /* ldnp x0, x1, [x2] */
        {0x28000440, STORE, GENERAL, 8, PAIR, 0, 0}, /* stnp w0, w1, [x2] */
        /* SIMD and FP loads and stores */
        {0x3d400020, LOAD, SIMDFP, 1, FP, 0, 0}, /* ldr b0, [x1] */
        {0x7d400020, LOAD, SIMDFP, 2, FP, 0, 0}, /* ldr h0, [x1] */
        {0xbd400020, LOAD, SIMDFP, 4, FP, 0, 0}, /* ldr s0, [x1] */
        {0xfc626820, LOAD, SIMDFP, 8, FP, 0, 0}, /* ldr d0, [x1, x2] */
        {0x3dc00020, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ldr q0, [x1] */
        {0x3ce27820, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ldr q0, [x1, x2, lsl #4] */
        {0xbc5ff020, LOAD, SIMDFP, 4, FP, 0, 0}, /* ldur s0, [x1, #-1] */
        {0x3cdff020, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ldur q0, [x1, #-1] */
        {0x3c001420, STORE, SIMDFP, 1, FP, 0, 0}, /* str b0, [x1], #1 */
        {0x7c002c20, STORE, SIMDFP, 2, FP, 0, 0}, /* str h0, [x1, #2]! */
        {0xbd000020, STORE, SIMDFP, 4, FP, 0, 0}, /* str s0, [x1] */
        {0xfd000020, STORE, SIMDFP, 8, FP, 0, 0}, /* str d0, [x1] */
        {0x3c810420, STORE, SIMDFP, 16, SIMD, 0, 0}, /* str q0, [x1], #16 */
        {0xfc1f8020, STORE, SIMDFP, 8, FP, 0, 0}, /* stur d0, [x1, #-8] */
        {0x1c000040, LOAD, SIMDFP, 4, FP, 0, 0}, /* ldr s0, .+8 */
        {0x5c000040, LOAD, SIMDFP, 8, FP, 0, 0}, /* ldr d0, .+8 */
        {0x9c000040, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ldr q0, .+8 */
        {0x2d400440, LOAD, SIMDFP, 8, FP | PAIR, 0, 0}, /* ldp s0, s1, [x2] */
        {0x6d400440, LOAD, SIMDFP, 16, FP | PAIR, 0, 0}, /* ldp d0, d1, [x2] */
        {0xacc10440, LOAD, SIMDFP, 32, SIMD | PAIR, 0, 0}, /* ldp q0, q1, [x2], #32 */
        {0x6dbf27e8, STORE, SIMDFP, 16, FP | PAIR, 0, 0}, /* stp d8, d9, [sp, #-16]! */
        {0xad000440, STORE, SIMDFP, 32, SIMD | PAIR, 0, 0}, /* stp q0, q1, [x2] */
        {0x6c400440, LOAD, SIMDFP, 16, FP | PAIR, 0, 0}, /* ldnp d0, d1, [x2] */
        {0xac000440, STORE, SIMDFP, 32, SIMD | PAIR, 0, 0}, /* stnp q0, q1, [x2] */
        {0x4c407020, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ld1 {v0.16b}, [x1] */
        {0x0c407020, LOAD, SIMDFP, 8, SIMD, 0, 0}, /* ld1 {v0.8b}, [x1] */
        {0x4cdfa020, LOAD, SIMDFP, 32, SIMD, 0, 0}, /* ld1 {v0.16b, v1.16b}, [x1], #32 */
        {0x4c406820, LOAD, SIMDFP, 48, SIMD, 0, 0}, /* ld1 {v0.4s-v2.4s}, [x1] */
        {0x4cc22c20, LOAD, SIMDFP, 64, SIMD, 0, 0}, /* ld1 {v0.2d-v3.2d}, [x1], x2 */
        {0x0c408420, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ld2 {v0.4h, v1.4h}, [x1] */
        {0x4c408420, LOAD, SIMDFP, 32, SIMD, 0, 0}, /* ld2 {v0.8h, v1.8h}, [x1] */
        {0x4cdf4820, LOAD, SIMDFP, 48, SIMD, 0, 0}, /* ld3 {v0.4s-v2.4s}, [x1], #48 */
        {0x4c400020, LOAD, SIMDFP, 64, SIMD, 0, 0}, /* ld4 {v0.16b-v3.16b}, [x1] */
        {0x0c400020, LOAD, SIMDFP, 32, SIMD, 0, 0}, /* ld4 {v0.8b-v3.8b}, [x1] */
        {0x4c007020, STORE, SIMDFP, 16, SIMD, 0, 0}, /* st1 {v0.16b}, [x1] */
        {0x0c008820, STORE, SIMDFP, 16, SIMD, 0, 0}, /* st2 {v0.2s, v1.2s}, [x1] */
        {0x4c004420, STORE, SIMDFP, 48, SIMD, 0, 0}, /* st3 {v0.8h-v2.8h}, [x1] */
        {0x4c9f0820, STORE, SIMDFP, 64, SIMD, 0, 0}, /* st4 {v0.4s-v3.4s}, [x1], #64 */
        {0x0d400c20, LOAD, SIMDFP, 1, SIMD, 0, 0}, /* ld1 {v0.b}[3], [x1] */
        {0x0d405820, LOAD, SIMDFP, 2, SIMD, 0, 0}, /* ld1 {v0.h}[3], [x1] */
        {0x0ddf9020, LOAD, SIMDFP, 4, SIMD, 0, 0}, /* ld1 {v0.s}[1], [x1], #4 */
        {0x4d408420, LOAD, SIMDFP, 8, SIMD, 0, 0}, /* ld1 {v0.d}[1], [x1] */
        {0x4d600420, LOAD, SIMDFP, 2, SIMD, 0, 0}, /* ld2 {v0.b, v1.b}[9], [x1] */
        {0x0d406820, LOAD, SIMDFP, 6, SIMD, 0, 0}, /* ld3 {v0.h, v1.h, v2.h}[1], [x1] */
        {0x0d60a420, LOAD, SIMDFP, 32, SIMD, 0, 0}, /* ld4 {v0.d, v1.d, v2.d, v3.d}[0], [x1] */
        {0x4d008020, STORE, SIMDFP, 4, SIMD, 0, 0}, /* st1 {v0.s}[2], [x1] */
        {0x4dbf8420, STORE, SIMDFP, 16, SIMD, 0, 0}, /* st2 {v0.d, v1.d}[1], [x1], #16 */
        {0x4d203c20, STORE, SIMDFP, 4, SIMD, 0, 0}, /* st4 {v0.b, v1.b, v2.b, v3.b}[15], [x1] */
        {0x4d40c020, LOAD, SIMDFP, 1, SIMD, 0, 0}, /* ld1r {v0.16b}, [x1] */
        {0x4ddfcc20, LOAD, SIMDFP, 8, SIMD, 0, 0}, /* ld1r {v0.2d}, [x1], #8 */
        {0x4d60c820, LOAD, SIMDFP, 8, SIMD, 0, 0}, /* ld2r {v0.4s, v1.4s}, [x1] */
        {0x4d40e420, LOAD, SIMDFP, 6, SIMD, 0, 0}, /* ld3r {v0.8h, v1.8h, v2.8h}, [x1] */
        {0x4d60e820, LOAD, SIMDFP, 16, SIMD, 0, 0}, /* ld4r {v0.4s-v3.4s}, [x1] */
        /* exclusive, ordered, atomic */
        {0xc85f7c20, LOAD, EXTENDED, 8, EX, 0, 0}, /* ldxr x0, [x1] */
        {0x085f7c20, LOAD, EXTENDED, 1, EX, 0, 0}, /* ldxrb w0, [x1] */
        {0x485f7c20, LOAD, EXTENDED, 2, EX, 0, 0}, /* ldxrh w0, [x1] */
        {0x885ffc20, LOAD, EXTENDED, 4, EX | AR, 0, 0}, /* ldaxr w0, [x1] */
        {0x085ffc20, LOAD, EXTENDED, 1, EX | AR, 0, 0}, /* ldaxrb w0, [x1] */
        {0xc8027c20, STORE, EXTENDED, 8, EX, 0, 0}, /* stxr w2, x0, [x1] */
        {0x8802fc20, STORE, EXTENDED, 4, EX | AR, 0, 0}, /* stlxr w2, w0, [x1] */
        {0x4802fc20, STORE, EXTENDED, 2, EX | AR, 0, 0}, /* stlxrh w2, w0, [x1] */
        {0xc87f0c20, LOAD, EXTENDED, 16, EX | PAIR, 0, 0}, /* ldxp x0, x3, [x1] */
        {0x887f8c20, LOAD, EXTENDED, 8, EX | AR | PAIR, 0, 0}, /* ldaxp w0, w3, [x1] */
        {0x88240c20, STORE, EXTENDED, 8, EX | PAIR, 0, 0}, /* stxp w4, w0, w3, [x1] */
        {0xc8248c20, STORE, EXTENDED, 16, EX | AR | PAIR, 0, 0}, /* stlxp w4, x0, x3, [x1] */
        {0xc8dffc20, LOAD, EXTENDED, 8, AR, 0, 0}, /* ldar x0, [x1] */
        {0x08dffc20, LOAD, EXTENDED, 1, AR, 0, 0}, /* ldarb w0, [x1] */
        {0x889ffc20, STORE, EXTENDED, 4, AR, 0, 0}, /* stlr w0, [x1] */
        {0x489ffc20, STORE, EXTENDED, 2, AR, 0, 0}, /* stlrh w0, [x1] */
        {0xc8df7c20, LOAD, EXTENDED, 8, AR, 0, 0}, /* ldlar x0, [x1] */
        {0xc89f7c20, STORE, EXTENDED, 8, AR, 0, 0}, /* stllr x0, [x1] */
        {0x089f7c20, STORE, EXTENDED, 1, AR, 0, 0}, /* stllrb w0, [x1] */
        {0xf8bfc020, LOAD, EXTENDED, 8, AR, 0, 0}, /* ldapr x0, [x1] */
        {0x38bfc020, LOAD, EXTENDED, 1, AR, 0, 0}, /* ldaprb w0, [x1] */
        {0x78bfc020, LOAD, EXTENDED, 2, AR, 0, 0}, /* ldaprh w0, [x1] */
        {0xd95f8020, LOAD, EXTENDED, 8, AR, 0, 0}, /* ldapur x0, [x1, #-8] */
        {0x19400020, LOAD, EXTENDED, 1, AR, 0, 0}, /* ldapurb w0, [x1] */
        {0x99804020, LOAD, EXTENDED, 4, AR, 0, 0}, /* ldapursw x0, [x1, #4] */
        {0x59c00020, LOAD, EXTENDED, 2, AR, 0, 0}, /* ldapursh w0, [x1] */
        {0x19800020, LOAD, EXTENDED, 1, AR, 0, 0}, /* ldapursb x0, [x1] */
        {0x99004020, STORE, EXTENDED, 4, AR, 0, 0}, /* stlur w0, [x1, #4] */
        {0x19000020, STORE, EXTENDED, 1, AR, 0, 0}, /* stlurb w0, [x1] */
        {0xc8a07c22, ATOMIC, EXTENDED, 8, AT, 0, 0}, /* cas x0, x2, [x1] */
        {0x88e07c22, ATOMIC, EXTENDED, 4, AT | AR, 0, 0}, /* casa w0, w2, [x1] */
        {0x88a0fc22, ATOMIC, EXTENDED, 4, AT | AR, 0, 0}, /* casl w0, w2, [x1] */
        {0xc8e0fc22, ATOMIC, EXTENDED, 8, AT | AR, 0, 0}, /* casal x0, x2, [x1] */
        {0x08a07c22, ATOMIC, EXTENDED, 1, AT, 0, 0}, /* casb w0, w2, [x1] */
        {0x48e0fc22, ATOMIC, EXTENDED, 2, AT | AR, 0, 0}, /* casalh w0, w2, [x1] */
        {0x48207c82, ATOMIC, EXTENDED, 16, AT | PAIR, 0, 0}, /* casp x0, x1, x2, x3, [x4] */
        {0x0860fc82, ATOMIC, EXTENDED, 8, AT | AR | PAIR, 0, 0}, /* caspal w0, w1, w2, w3, [x4] */
        {0xf8208022, ATOMIC, EXTENDED, 8, AT, 0, 0}, /* swp x0, x2, [x1] */
        {0xb8e08022, ATOMIC, EXTENDED, 4, AT | AR, 0, 0}, /* swpal w0, w2, [x1] */
        {0x38208022, ATOMIC, EXTENDED, 1, AT, 0, 0}, /* swpb w0, w2, [x1] */
        {0xb820803f, ATOMIC, EXTENDED, 4, AT, 0, 0}, /* swp w0, wzr, [x1] */
        {0xb8a0803f, ATOMIC, EXTENDED, 4, AT, 0, 0}, /* swpa w0, wzr, [x1] */
        {0xf8200022, ATOMIC, EXTENDED, 8, AT, 0, 0}, /* ldadd x0, x2, [x1] */
        {0xb8a00022, ATOMIC, EXTENDED, 4, AT | AR, 0, 0}, /* ldadda w0, w2, [x1] */
        {0xb8600022, ATOMIC, EXTENDED, 4, AT | AR, 0, 0}, /* ldaddl w0, w2, [x1] */
        {0xf8e00022, ATOMIC, EXTENDED, 8, AT | AR, 0, 0}, /* ldaddal x0, x2, [x1] */
        {0x38200022, ATOMIC, EXTENDED, 1, AT, 0, 0}, /* ldaddb w0, w2, [x1] */
        {0x78200022, ATOMIC, EXTENDED, 2, AT, 0, 0}, /* ldaddh w0, w2, [x1] */
        {0xf8201022, ATOMIC, EXTENDED, 8, AT, 0, 0}, /* ldclr x0, x2, [x1] */
        {0xb8202022, ATOMIC, EXTENDED, 4, AT, 0, 0}, /* ldeor w0, w2, [x1] */
        {0xf8e03022, ATOMIC, EXTENDED, 8, AT | AR, 0, 0}, /* ldsetal x0, x2, [x1] */
        {0xf8204022, ATOMIC, EXTENDED, 8, AT, 0, 0}, /* ldsmax x0, x2, [x1] */
        {0x38205022, ATOMIC, EXTENDED, 1, AT, 0, 0}, /* ldsminb w0, w2, [x1] */
        {0xf8606022, ATOMIC, EXTENDED, 8, AT | AR, 0, 0}, /* ldumaxl x0, x2, [x1] */
        {0x78e07022, ATOMIC, EXTENDED, 2, AT | AR, 0, 0}, /* lduminalh w0, w2, [x1] */
        {0xf820003f, STORE, EXTENDED, 8, AT, 0, 0}, /* stadd x0, [x1] */
        {0xb860003f, STORE, EXTENDED, 4, AT | AR, 0, 0}, /* staddl w0, [x1] */
        {0x3820003f, STORE, EXTENDED, 1, AT, 0, 0}, /* staddb w0, [x1] */
        {0xb820103f, STORE, EXTENDED, 4, AT, 0, 0}, /* stclr w0, [x1] */
        {0xf820203f, STORE, EXTENDED, 8, AT, 0, 0}, /* steor x0, [x1] */
        {0x7860303f, STORE, EXTENDED, 2, AT | AR, 0, 0}, /* stsetlh w0, [x1] */
        {0xf820403f, STORE, EXTENDED, 8, AT, 0, 0}, /* stsmax x0, [x1] */
        {0xb820703f, STORE, EXTENDED, 4, AT, 0, 0}, /* stumin w0, [x1] */
        {0xb8a0003f, STORE, EXTENDED, 4, AT, 0, 0}, /* ldadda w0, wzr, [x1] */
        {0x19221020, ATOMIC, EXTENDED, 16, AT | PAIR, 0, 0}, /* ldclrp x0, x2, [x1] */
        {0x19e23020, ATOMIC, EXTENDED, 16, AT | AR | PAIR, 0, 0}, /* ldsetpal x0, x2, [x1] */
        {0x19228020, ATOMIC, EXTENDED, 16, AT | PAIR, 0, 0}, /* swpp x0, x2, [x1] */
        {0x19a28020, ATOMIC, EXTENDED, 16, AT | AR | PAIR, 0, 0}, /* swppa x0, x2, [x1] */
        {0xd9421820, LOAD, EXTENDED, 16, AR | PAIR, 0, 0}, /* ldiapp x0, x2, [x1] */
        {0x99020820, STORE, EXTENDED, 8, AR | PAIR, 0, 0}, /* stilp w0, w2, [x1, #-8]! */
        {0xd9c00820, LOAD, EXTENDED, 8, AR, 0, 0}, /* ldapr x0, [x1], #8 */
        {0x99800820, STORE, EXTENDED, 4, AR, 0, 0}, /* stlr w0, [x1, #-4]! */
        {0x0d418420, LOAD, EXTENDED, 8, SIMD | AR, 0, 0}, /* ldap1 {v0.d}[0], [x1] */
        {0x4d018420, STORE, EXTENDED, 8, SIMD | AR, 0, 0}, /* stl1 {v0.d}[1], [x1] */
        {0xdd400820, LOAD, EXTENDED, 8, FP | AR, 0, 0}, /* ldapur d0, [x1] */
        {0x1dc00820, LOAD, EXTENDED, 16, SIMD | AR, 0, 0}, /* ldapur q0, [x1] */
        {0x9d000820, STORE, EXTENDED, 4, FP | AR, 0, 0}, /* stlur s0, [x1] */
        /* PAuth, LS64, MTE, MOPS, GCS */
        {0xf8200420, LOAD, GENERAL, 8, 0, 0, 0}, /* ldraa x0, [x1] */
        {0xf8201c20, LOAD, GENERAL, 8, 0, 0, 0}, /* ldraa x0, [x1, #8]! */
        {0xf8ffe420, LOAD, GENERAL, 8, 0, 0, 0}, /* ldrab x0, [x1, #-16] */
        {0xf83fd020, LOAD, GENERAL, 64, 0, 0, 0}, /* ld64b x0, [x1] */
        {0xf83f9020, STORE, GENERAL, 64, 0, 0, 0}, /* st64b x0, [x1] */
        {0xf822b020, STORE, GENERAL, 64, STATUS, 0, 0}, /* st64bv x2, x0, [x1] */
        {0xf822a020, STORE, GENERAL, 64, STATUS, 0, 0}, /* st64bv0 x2, x0, [x1] */
        {0xd9200820, STORE, TAGS, 16, 0, 0, 0}, /* stg x0, [x1] */
        {0xd9201420, STORE, TAGS, 16, 0, 0, 0}, /* stg x0, [x1], #16 */
        {0xd9201c20, STORE, TAGS, 16, 0, 0, 0}, /* stg x0, [x1, #16]! */
        {0xd9a00820, STORE, TAGS, 32, 0, 0, 0}, /* st2g x0, [x1] */
        {0xd9600820, STORE, UNSPEC, 16, 0, 0, 0}, /* stzg x0, [x1] */
        {0xd9e02c20, STORE, UNSPEC, 32, 0, 0, 0}, /* stz2g x0, [x1, #32]! */
        {0x69000820, STORE, GENERAL, 16, PAIR, 0, 0}, /* stgp x0, x2, [x1] */
        {0x68808820, STORE, GENERAL, 16, PAIR, 0, 0}, /* stgp x0, x2, [x1], #16 */
        {0xd9600020, LOAD, TAGS, 16, 0, 0, 0}, /* ldg x0, [x1] */
        {0xd9e00020, LOAD, TAGS, 0, 0, 0, 0}, /* ldgm x0, [x1] */
        {0xd9a00020, STORE, TAGS, 0, 0, 0, 0}, /* stgm x0, [x1] */
        {0xd9200020, STORE, UNSPEC, 0, 0, 0, 0}, /* stzgm x0, [x1] */
        {0x9adf1020, OTHER, NONE, 0, 0, 0, 0}, /* irg x0, x1 */
        {0x91810420, OTHER, NONE, 0, 0, 0, 0}, /* addg x0, x1, #16, #1 */
        {0x9ac20020, OTHER, NONE, 0, 0, 0, 0}, /* subp x0, x1, x2 */
        {0x19010440, LOAD, COPY, 0, 0, 0, 0}, /* cpyfp [x0]!, [x1]!, x2! */
        {0x19410440, LOAD, COPY, 0, 0, 0, 0}, /* cpyfm [x0]!, [x1]!, x2! */
        {0x19810440, LOAD, COPY, 0, 0, 0, 0}, /* cpyfe [x0]!, [x1]!, x2! */
        {0x1d010440, LOAD, COPY, 0, 0, 0, 0}, /* cpyp [x0]!, [x1]!, x2! */
        {0x1d414440, LOAD, COPY, 0, 0, 0, 0}, /* cpymwn [x0]!, [x1]!, x2! */
        {0x1d81e440, LOAD, COPY, 0, 0, 0, 0}, /* cpyertn [x0]!, [x1]!, x2! */
        {0x19c20420, STORE, SET, 0, 0, 0, 0}, /* setp [x0]!, x1!, x2 */
        {0x19c24420, STORE, SET, 0, 0, 0, 0}, /* setm [x0]!, x1!, x2 */
        {0x19c28420, STORE, SET, 0, 0, 0, 0}, /* sete [x0]!, x1!, x2 */
        {0x1dc20420, STORE, SET, 0, 0, 0, 0}, /* setgp [x0]!, x1!, x2 */
        {0x1dc2a420, STORE, SET, 0, 0, 0, 0}, /* setgen [x0]!, x1!, x2 */
        {0xd91f0c20, STORE, GCS, 8, 0, 0, 0}, /* gcsstr x0, x1 */
        {0xd91f1c20, STORE, GCS, 8, 0, 0, 0}, /* gcssttr x0, x1 */
        {0xd50b7700, STORE, GCS, 8, 0, 0, 0}, /* gcspushm x0 */
        {0xd52b7720, LOAD, GCS, 8, 0, 0, 0}, /* gcspopm x0 */
        {0xd50b7740, STORE, GCS, 8, 0, 0, 0}, /* gcsss1 x0 */
        {0xd52b7760, LOAD, GCS, 8, 0, 0, 0}, /* gcsss2 x0 */
        {0xd508779f, STORE, GCS, 8, 0, 0, 0}, /* gcspushx */
        {0xd50877bf, LOAD, GCS, 8, 0, 0, 0}, /* gcspopcx */
        {0xd50877df, LOAD, GCS, 8, 0, 0, 0}, /* gcspopx */
        {0xd50b7420, STORE, UNSPEC, 0, ZERO, 0, 0}, /* dc zva, x0 */
        {0xd50b7460, STORE, UNSPEC, 0, ZERO, 0, 0}, /* dc gva, x0 */
        {0xd50b7480, STORE, UNSPEC, 0, ZERO, 0, 0}, /* dc gzva, x0 */
        {0xd50b7e20, OTHER, NONE, 0, 0, 0, 0}, /* dc civac, x0 */
        {0xd50b7a20, OTHER, NONE, 0, 0, 0, 0}, /* dc cvac, x0 */
        {0xd50b7520, OTHER, NONE, 0, 0, 0, 0}, /* ic ivau, x0 */
        {0xd5087800, OTHER, NONE, 0, 0, 0, 0}, /* at s1e1r, x0 */
        /* branches, exceptions, system */
        {0x14000001, BRANCH, NONE, 0, 0, 0, 4}, /* b .+4 */
        {0x17ffffff, BRANCH, NONE, 0, 0, 0, -4}, /* b .-4 */
        {0x15ffffff, BRANCH, NONE, 0, 0, 0, 0x7fffffc}, /* b .+0x7fffffc */
        {0x16000000, BRANCH, NONE, 0, 0, 0, -0x8000000}, /* b .-0x8000000 */
        {0x94000002, BRANCH, NONE, 0, LINK, 0, 8}, /* bl .+8 */
        {0x94000001, BRANCH, NONE, 0, LINK, 0, 4}, /* bl .+4 */
        {0x97ffffc0, BRANCH, NONE, 0, LINK, 0, -0x100}, /* bl .-0x100 */
        {0x54000040, BRANCH, NONE, 0, COND, 0, 8}, /* b.eq .+8 */
        {0x5480000b, BRANCH, NONE, 0, COND, 0, -0x100000}, /* b.lt .-0x100000 */
        {0x547fffee, BRANCH, NONE, 0, COND, 0, 0xffffc}, /* b.al .+0xffffc */
        {0xb4000060, BRANCH, NONE, 0, COND, 0, 12}, /* cbz x0, .+12 */
        {0x34ffffa0, BRANCH, NONE, 0, COND, 0, -12}, /* cbz w0, .-12 */
        {0xb57ffffe, BRANCH, NONE, 0, COND, 0, 0xffffc}, /* cbnz x30, .+0xffffc */
        {0x35800000, BRANCH, NONE, 0, COND, 0, -0x100000}, /* cbnz w0, .-0x100000 */
        {0x361bffe0, BRANCH, NONE, 0, COND, 0, 0x7ffc}, /* tbz w0, #3, .+0x7ffc */
        {0xb6ffffe0, BRANCH, NONE, 0, COND, 0, -4}, /* tbz x0, #63, .-4 */
        {0xb7040000, BRANCH, NONE, 0, COND, 0, -0x8000}, /* tbnz x0, #32, .-0x8000 */
        {0x54000051, BRANCH, NONE, 0, COND, 0, 8}, /* bc.ne .+8 */
        {0x74020041, BRANCH, NONE, 0, COND, 0, 8}, /* cbgt w1, w2, .+8 */
        {0x75003fe1, BRANCH, NONE, 0, COND, 0, -4}, /* cbgt w1, #0, .-4 */
        {0x74021fe1, BRANCH, NONE, 0, COND, 0, 1020}, /* cbgt w1, w2, .+1020 */
        {0x74022001, BRANCH, NONE, 0, COND, 0, -1024}, /* cbgt w1, w2, .-1024 */
        {0xd61f0000, BRANCH, NONE, 0, IND, 0, 0}, /* br x0 */
        {0xd71f0801, BRANCH, NONE, 0, IND, 0, 0}, /* braa x0, x1 */
        {0xd71f0c1f, BRANCH, NONE, 0, IND, 0, 0}, /* brab x0, sp */
        {0xd61f081f, BRANCH, NONE, 0, IND, 0, 0}, /* braaz x0 */
        {0xd61f0fdf, BRANCH, NONE, 0, IND, 0, 0}, /* brabz x30 */
        {0xd63f0000, BRANCH, NONE, 0, IND | LINK, 0, 0}, /* blr x0 */
        {0xd73f0801, BRANCH, NONE, 0, IND | LINK, 0, 0}, /* blraa x0, x1 */
        {0xd73f0c01, BRANCH, NONE, 0, IND | LINK, 0, 0}, /* blrab x0, x1 */
        {0xd63f081f, BRANCH, NONE, 0, IND | LINK, 0, 0}, /* blraaz x0 */
        {0xd63f0c1f, BRANCH, NONE, 0, IND | LINK, 0, 0}, /* blrabz x0 */
        {0xd65f03c0, BRANCH, NONE, 0, IND | RET, 0, 0}, /* ret */
        {0xd65f0020, BRANCH, NONE, 0, IND | RET, 0, 0}, /* ret x1 */
        {0xd65f0bff, BRANCH, NONE, 0, IND | RET, 0, 0}, /* retaa */
        {0xd65f0fff, BRANCH, NONE, 0, IND | RET, 0, 0}, /* retab */
        {0xd69f03e0, BRANCH, NONE, 0, IND | ERET, 0, 0}, /* eret */
        {0xd69f0bff, BRANCH, NONE, 0, IND | ERET, 0, 0}, /* eretaa */
        {0xd69f0fff, BRANCH, NONE, 0, IND | ERET, 0, 0}, /* eretab */
        {0x5500001f, BRANCH, NONE, 0, IND | RET, 0, 0}, /* retaasppc .+0 */
        {0xd65f0be3, BRANCH, NONE, 0, IND | RET, 0, 0}, /* retaasppcr x3 */
        {0xd4000001, OTHER, NONE, 0, EXC, 0, 0}, /* svc #0 */
        {0xd41fffe1, OTHER, NONE, 0, EXC, 0, 0}, /* svc #0xffff */
        {0xd4000002, OTHER, NONE, 0, EXC, 0, 0}, /* hvc #0 */
        {0xd4000003, OTHER, NONE, 0, EXC, 0, 0}, /* smc #0 */
        {0xd4200020, OTHER, NONE, 0, EXC, 0, 0}, /* brk #1 */
        {0xd4400000, OTHER, NONE, 0, EXC, 0, 0}, /* hlt #0 */
        {0xd4400020, OTHER, NONE, 0, EXC, 0, 0}, /* hlt #1 */
        {0xd4000022, OTHER, NONE, 0, EXC, 0, 0}, /* hvc #1 */
        {0xd4000023, OTHER, NONE, 0, EXC, 0, 0}, /* smc #1 */
        {0xd4a00021, OTHER, NONE, 0, EXC, 0, 0}, /* dcps1 #1 */
        {0xd4a00002, OTHER, NONE, 0, EXC, 0, 0}, /* dcps2 */
        {0x00000000, OTHER, NONE, 0, EXC, 0, 0}, /* udf #0 */
        {0x0000ffff, OTHER, NONE, 0, EXC, 0, 0}, /* udf #0xffff */
        {0xd4a00001, OTHER, NONE, 0, EXC, 0, 0}, /* dcps1 */
        {0xd4a00003, OTHER, NONE, 0, EXC, 0, 0}, /* dcps3 */
        {0xd5033fdf, OTHER, NONE, 0, ISB, 0, 0}, /* isb */
        {0xd50333df, OTHER, NONE, 0, ISB, 0, 0}, /* isb #3 */
        {0xd5033f9f, OTHER, NONE, 0, 0, 0, 0}, /* dsb sy */
        {0xd5033bbf, OTHER, NONE, 0, 0, 0, 0}, /* dmb ish */
        {0xd50330ff, OTHER, NONE, 0, 0, 0, 0}, /* sb */
        {0xd503201f, OTHER, NONE, 0, 0, 0, 0}, /* nop */
        {0xd503203f, OTHER, NONE, 0, 0, 0, 0}, /* yield */
        {0xd503205f, OTHER, NONE, 0, 0, 0, 0}, /* wfe */
        {0xd503207f, OTHER, NONE, 0, 0, 0, 0}, /* wfi */
        {0xd503223f, OTHER, NONE, 0, 0, 0, 0}, /* psb csync */
        {0xd503233f, OTHER, NONE, 0, 0, 0, 0}, /* paciasp */
        {0xd50323bf, OTHER, NONE, 0, 0, 0, 0}, /* autiasp */
        {0xd503245f, OTHER, NONE, 0, 0, 0, 0}, /* bti c */
        {0xd5033f5f, OTHER, NONE, 0, 0, 0, 0}, /* clrex */
        {0xd5389900, OTHER, NONE, 0, 0, 0, 0}, /* mrs x0, pmscr_el1 */
        {0xd5189900, OTHER, NONE, 0, 0, 0, 0}, /* msr pmscr_el1, x0 */
        {0xd50342df, OTHER, NONE, 0, 0, 0, 0}, /* msr daifset, #2 */
        {0xd508871f, OTHER, NONE, 0, 0, 0, 0}, /* tlbi vmalle1 */
        {0xd6bf03e0, OTHER, NONE, 0, 0, 0, 0}, /* drps */
        /* data processing */
        {0x91000420, OTHER, NONE, 0, 0, 0, 0}, /* add x0, x1, #1 */
        {0x10000020, OTHER, NONE, 0, 0, 0, 0}, /* adr x0, .+4 */
        {0x90000000, OTHER, NONE, 0, 0, 0, 0}, /* adrp x0, .+0x1000 */
        {0xd2800020, OTHER, NONE, 0, 0, 0, 0}, /* movz x0, #1 */
        {0x72a00020, OTHER, NONE, 0, 0, 0, 0}, /* movk w0, #1, lsl #16 */
        {0x92401c20, OTHER, NONE, 0, 0, 0, 0}, /* and x0, x1, #0xff */
        {0xd3431c20, OTHER, NONE, 0, 0, 0, 0}, /* ubfm x0, x1, #3, #7 */
        {0x93c21020, OTHER, NONE, 0, 0, 0, 0}, /* extr x0, x1, x2, #4 */
        {0x8b020820, OTHER, NONE, 0, 0, 0, 0}, /* add x0, x1, x2, lsl #2 */
        {0xba020020, OTHER, NONE, 0, 0, 0, 0}, /* adcs x0, x1, x2 */
        {0x9b020c20, OTHER, NONE, 0, 0, 0, 0}, /* madd x0, x1, x2, x3 */
        {0x9ac20820, OTHER, NONE, 0, 0, 0, 0}, /* udiv x0, x1, x2 */
        {0x9ac24c20, OTHER, NONE, 0, 0, 0, 0}, /* crc32x w0, w1, x2 */
        {0xdac00020, OTHER, NONE, 0, 0, 0, 0}, /* rbit x0, x1 */
        {0x9ac23020, OTHER, NONE, 0, 0, 0, 0}, /* pacga x0, x1, x2 */
        {0x9a820020, OTHER, NONE, 0, COND, 0, 0}, /* csel x0, x1, x2, eq */
        {0x1a821420, OTHER, NONE, 0, COND, 0, 0}, /* csinc w0, w1, w2, ne */
        {0xda82b020, OTHER, NONE, 0, COND, 0, 0}, /* csinv x0, x1, x2, lt */
        {0x5a822420, OTHER, NONE, 0, COND, 0, 0}, /* csneg w0, w1, w2, hs */
        {0x9a9f17e0, OTHER, NONE, 0, COND, 0, 0}, /* cset x0, eq */
        {0x5a9f03e0, OTHER, NONE, 0, COND, 0, 0}, /* csetm w0, ne */
        {0x9a811420, OTHER, NONE, 0, COND, 0, 0}, /* cinc x0, x1, eq */
        {0xfa410000, OTHER, NONE, 0, COND, 0, 0}, /* ccmp x0, x1, #0, eq */
        {0x7a431800, OTHER, NONE, 0, COND, 0, 0}, /* ccmp w0, #3, #0, ne */
        {0xba41e80f, OTHER, NONE, 0, COND, 0, 0}, /* ccmn x0, #1, #15, al */
        {0x3a41c000, OTHER, NONE, 0, COND, 0, 0}, /* ccmn w0, w1, #0, gt */
        {0xba008402, OTHER, NONE, 0, 0, 0, 0}, /* rmif x0, #1, #2 */
        {0x3a00080d, OTHER, NONE, 0, 0, 0, 0}, /* setf8 w0 */
        /* floating-point, scalar */
        {0x1e222820, OTHER, NONE, 0, FP, 0, 0}, /* fadd s0, s1, s2 */
        {0x1e622820, OTHER, NONE, 0, FP, 0, 0}, /* fadd d0, d1, d2 */
        {0x1ee22820, OTHER, NONE, 0, FP, 0, 0}, /* fadd h0, h1, h2 */
        {0x1e620820, OTHER, NONE, 0, FP, 0, 0}, /* fmul d0, d1, d2 */
        {0x1e221820, OTHER, NONE, 0, FP, 0, 0}, /* fdiv s0, s1, s2 */
        {0x1e626820, OTHER, NONE, 0, FP, 0, 0}, /* fmaxnm d0, d1, d2 */
        {0x1f420c20, OTHER, NONE, 0, FP, 0, 0}, /* fmadd d0, d1, d2, d3 */
        {0x1f228c20, OTHER, NONE, 0, FP, 0, 0}, /* fnmsub s0, s1, s2, s3 */
        {0x1e61c020, OTHER, NONE, 0, FP, 0, 0}, /* fsqrt d0, d1 */
        {0x1e20c020, OTHER, NONE, 0, FP, 0, 0}, /* fabs s0, s1 */
        {0x1e604020, OTHER, NONE, 0, FP, 0, 0}, /* fmov d0, d1 */
        {0x1e6e1000, OTHER, NONE, 0, FP, 0, 0}, /* fmov d0, #1.0 */
        {0x9e660000, OTHER, NONE, 0, FP, 0, 0}, /* fmov x0, d0 */
        {0x9eaf0000, OTHER, NONE, 0, FP, 0, 0}, /* fmov v0.d[1], x0 */
        {0x1e22c020, OTHER, NONE, 0, FP, 0, 0}, /* fcvt d0, s1 */
        {0x9e780000, OTHER, NONE, 0, FP, 0, 0}, /* fcvtzs x0, d0 */
        {0x1e620020, OTHER, NONE, 0, FP, 0, 0}, /* scvtf d0, w1 */
        {0x9e02f420, OTHER, NONE, 0, FP, 0, 0}, /* scvtf s0, x1, #3 */
        {0x1e7e0000, OTHER, NONE, 0, FP, 0, 0}, /* fjcvtzs w0, d0 */
        {0x1e654020, OTHER, NONE, 0, FP, 0, 0}, /* frintm d0, d1 */
        {0x1e612000, OTHER, NONE, 0, FP, 0, 0}, /* fcmp d0, d1 */
        {0x1e202018, OTHER, NONE, 0, FP, 0, 0}, /* fcmpe s0, #0.0 */
        {0x1e610400, OTHER, NONE, 0, FP | COND, 0, 0}, /* fccmp d0, d1, #0, eq */
        {0x1e211410, OTHER, NONE, 0, FP | COND, 0, 0}, /* fccmpe s0, s1, #0, ne */
        {0x1e620c20, OTHER, NONE, 0, FP | COND, 0, 0}, /* fcsel d0, d1, d2, eq */
        {0x1e22cc20, OTHER, NONE, 0, FP | COND, 0, 0}, /* fcsel s0, s1, s2, gt */
        {0x1e634020, OTHER, NONE, 0, FP, 0, 0}, /* bfcvt h0, s1 */
        /* Advanced SIMD */
        {0x4ea28420, OTHER, NONE, 0, SIMD, 0, 0}, /* add v0.4s, v1.4s, v2.4s */
        {0x6e228420, OTHER, NONE, 0, SIMD, 0, 0}, /* sub v0.16b, v1.16b, v2.16b */
        {0x4e629c20, OTHER, NONE, 0, SIMD, 0, 0}, /* mul v0.8h, v1.8h, v2.8h */
        {0x4ea29420, OTHER, NONE, 0, SIMD, 0, 0}, /* mla v0.4s, v1.4s, v2.4s */
        {0x4e221c20, OTHER, NONE, 0, SIMD, 0, 0}, /* and v0.16b, v1.16b, v2.16b */
        {0x2e621c20, OTHER, NONE, 0, SIMD, 0, 0}, /* bsl v0.8b, v1.8b, v2.8b */
        {0x6ea28c20, OTHER, NONE, 0, SIMD, 0, 0}, /* cmeq v0.4s, v1.4s, v2.4s */
        {0x4ee2bc20, OTHER, NONE, 0, SIMD, 0, 0}, /* addp v0.2d, v1.2d, v2.2d */
        {0x2e428420, OTHER, NONE, 0, SIMD, 0, 0}, /* sqrdmlah v0.4h, v1.4h, v2.4h */
        {0x4e829420, OTHER, NONE, 0, SIMD, 0, 0}, /* sdot v0.4s, v1.16b, v2.16b */
        {0x2e829420, OTHER, NONE, 0, SIMD, 0, 0}, /* udot v0.2s, v1.8b, v2.8b */
        {0x4e829c20, OTHER, NONE, 0, SIMD, 0, 0}, /* usdot v0.4s, v1.16b, v2.16b */
        {0x4e82a420, OTHER, NONE, 0, SIMD, 0, 0}, /* smmla v0.4s, v1.16b, v2.16b */
        {0x4e82ac20, OTHER, NONE, 0, SIMD, 0, 0}, /* usmmla v0.4s, v1.16b, v2.16b */
        {0x4e22d420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fadd v0.4s, v1.4s, v2.4s */
        {0x4ee2d420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fsub v0.2d, v1.2d, v2.2d */
        {0x2e22dc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmul v0.2s, v1.2s, v2.2s */
        {0x4e22cc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmla v0.4s, v1.4s, v2.4s */
        {0x4ea2cc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmls v0.4s, v1.4s, v2.4s */
        {0x4e22dc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmulx v0.4s, v1.4s, v2.4s */
        {0x6e62fc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fdiv v0.2d, v1.2d, v2.2d */
        {0x4e22f420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmax v0.4s, v1.4s, v2.4s */
        {0x6e22d420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* faddp v0.4s, v1.4s, v2.4s */
        {0x6e22e420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcmge v0.4s, v1.4s, v2.4s */
        {0x6ea2ec20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* facgt v0.4s, v1.4s, v2.4s */
        {0x4e22fc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* frecps v0.4s, v1.4s, v2.4s */
        {0x4e421420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fadd v0.8h, v1.8h, v2.8h */
        {0x0e421c20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmulx v0.4h, v1.4h, v2.4h */
        {0x4e22ec20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmlal v0.4s, v1.4h, v2.4h */
        {0x6e22cc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmlal2 v0.4s, v1.4h, v2.4h */
        {0x6e82cc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcmla v0.4s, v1.4s, v2.4s, #90 */
        {0x6e82f420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcadd v0.4s, v1.4s, v2.4s, #270 */
        {0x6e42fc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* bfdot v0.4s, v1.8h, v2.8h */
        {0x6e42ec20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* bfmmla v0.4s, v1.8h, v2.8h */
        {0x2ec2fc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* bfmlalb v0.4s, v1.8h, v2.8h */
        {0x4ea0b820, OTHER, NONE, 0, SIMD, 0, 0}, /* abs v0.4s, v1.4s */
        {0x4e205820, OTHER, NONE, 0, SIMD, 0, 0}, /* cnt v0.16b, v1.16b */
        {0x4e200820, OTHER, NONE, 0, SIMD, 0, 0}, /* rev64 v0.16b, v1.16b */
        {0x0e212820, OTHER, NONE, 0, SIMD, 0, 0}, /* xtn v0.8b, v1.8h */
        {0x4ea08820, OTHER, NONE, 0, SIMD, 0, 0}, /* cmgt v0.4s, v1.4s, #0 */
        {0x6ee0b820, OTHER, NONE, 0, SIMD, 0, 0}, /* neg v0.2d, v1.2d */
        {0x4ea1c820, OTHER, NONE, 0, SIMD, 0, 0}, /* urecpe v0.4s, v1.4s */
        {0x2ea1c820, OTHER, NONE, 0, SIMD, 0, 0}, /* ursqrte v0.2s, v1.2s */
        {0x4ea0f820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fabs v0.4s, v1.4s */
        {0x6ee0f820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fneg v0.2d, v1.2d */
        {0x6ea1f820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fsqrt v0.4s, v1.4s */
        {0x4ea1d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* frecpe v0.4s, v1.4s */
        {0x6ee1d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* frsqrte v0.2d, v1.2d */
        {0x4e218820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* frintn v0.4s, v1.4s */
        {0x4e21a820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtns v0.4s, v1.4s */
        {0x4e21c820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtas v0.4s, v1.4s */
        {0x4ee1b820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtzs v0.2d, v1.2d */
        {0x4e21d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* scvtf v0.4s, v1.4s */
        {0x6e79d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* ucvtf v0.8h, v1.8h */
        {0x0e617820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtl v0.2d, v1.2s */
        {0x0e616820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtn v0.2s, v1.2d */
        {0x2e616820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtxn v0.2s, v1.2d */
        {0x0ea16820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* bfcvtn v0.4h, v1.4s */
        {0x4ea0d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcmeq v0.4s, v1.4s, #0.0 */
        {0x4ef8e820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcmlt v0.8h, v1.8h, #0.0 */
        {0x4eb1b820, OTHER, NONE, 0, SIMD, 0, 0}, /* addv s0, v1.4s */
        {0x6e30a820, OTHER, NONE, 0, SIMD, 0, 0}, /* umaxv b0, v1.16b */
        {0x4eb03820, OTHER, NONE, 0, SIMD, 0, 0}, /* saddlv d0, v1.4s */
        {0x6e30f820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmaxv s0, v1.4s */
        {0x6eb0c820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fminnmv s0, v1.4s */
        {0x4e30f820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmaxv h0, v1.8h */
        {0x0e62c020, OTHER, NONE, 0, SIMD, 0, 0}, /* smull v0.4s, v1.4h, v2.4h */
        {0x0ee2e020, OTHER, NONE, 0, SIMD, 0, 0}, /* pmull v0.1q, v1.1d, v2.1d */
        {0x6ea20020, OTHER, NONE, 0, SIMD, 0, 0}, /* uaddl2 v0.2d, v1.4s, v2.4s */
        {0x4e040c20, OTHER, NONE, 0, SIMD, 0, 0}, /* dup v0.4s, w1 */
        {0x4e0c0420, OTHER, NONE, 0, SIMD, 0, 0}, /* dup v0.4s, v1.s[1] */
        {0x4e0c1c20, OTHER, NONE, 0, SIMD, 0, 0}, /* ins v0.s[1], w1 */
        {0x0e073c20, OTHER, NONE, 0, SIMD, 0, 0}, /* umov w0, v1.b[3] */
        {0x4e0e2c20, OTHER, NONE, 0, SIMD, 0, 0}, /* smov x0, v1.h[3] */
        {0x4f000420, OTHER, NONE, 0, SIMD, 0, 0}, /* movi v0.4s, #1 */
        {0x6f05e540, OTHER, NONE, 0, SIMD, 0, 0}, /* movi v0.2d, #0xff00ff00ff00ff00 */
        {0x6f008420, OTHER, NONE, 0, SIMD, 0, 0}, /* mvni v0.8h, #1 */
        {0x4f001420, OTHER, NONE, 0, SIMD, 0, 0}, /* orr v0.4s, #1 */
        {0x4f03f600, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmov v0.4s, #1.0 */
        {0x6f03f600, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmov v0.2d, #1.0 */
        {0x4f03fe00, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmov v0.8h, #1.0 */
        {0x4f3d0420, OTHER, NONE, 0, SIMD, 0, 0}, /* sshr v0.4s, v1.4s, #3 */
        {0x4f435420, OTHER, NONE, 0, SIMD, 0, 0}, /* shl v0.2d, v1.2d, #3 */
        {0x0f10a420, OTHER, NONE, 0, SIMD, 0, 0}, /* sshll v0.4s, v1.4h, #0 */
        {0x4f3de420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* scvtf v0.4s, v1.4s, #3 */
        {0x6f7dfc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtzu v0.2d, v1.2d, #3 */
        {0x4fa28020, OTHER, NONE, 0, SIMD, 0, 0}, /* mul v0.4s, v1.4s, v2.s[1] */
        {0x6f520020, OTHER, NONE, 0, SIMD, 0, 0}, /* mla v0.8h, v1.8h, v2.h[1] */
        {0x2f522020, OTHER, NONE, 0, SIMD, 0, 0}, /* umlal v0.4s, v1.4h, v2.h[1] */
        {0x4fa2c020, OTHER, NONE, 0, SIMD, 0, 0}, /* sqdmulh v0.4s, v1.4s, v2.s[1] */
        {0x6fa2d020, OTHER, NONE, 0, SIMD, 0, 0}, /* sqrdmlah v0.4s, v1.4s, v2.s[1] */
        {0x4fa2e020, OTHER, NONE, 0, SIMD, 0, 0}, /* sdot v0.4s, v1.16b, v2.4b[1] */
        {0x6fa2e020, OTHER, NONE, 0, SIMD, 0, 0}, /* udot v0.4s, v1.16b, v2.4b[1] */
        {0x4f22f020, OTHER, NONE, 0, SIMD, 0, 0}, /* sudot v0.4s, v1.16b, v2.4b[1] */
        {0x4fa2f020, OTHER, NONE, 0, SIMD, 0, 0}, /* usdot v0.4s, v1.16b, v2.4b[1] */
        {0x4fa21020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmla v0.4s, v1.4s, v2.s[1] */
        {0x4fc25820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmls v0.2d, v1.2d, v2.d[1] */
        {0x4fa29020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmul v0.4s, v1.4s, v2.s[1] */
        {0x6f129020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmulx v0.8h, v1.8h, v2.h[1] */
        {0x4f920020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmlal v0.4s, v1.4h, v2.h[1] */
        {0x6f92c020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmlsl2 v0.4s, v1.4h, v2.h[1] */
        {0x6f823820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcmla v0.4s, v1.4s, v2.s[1], #90 */
        {0x4f62f020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* bfdot v0.4s, v1.8h, v2.2h[1] */
        {0x4fd2f020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* bfmlalt v0.4s, v1.8h, v2.h[1] */
        {0x4e020020, OTHER, NONE, 0, SIMD, 0, 0}, /* tbl v0.16b, {v1.16b}, v2.16b */
        {0x4e823820, OTHER, NONE, 0, SIMD, 0, 0}, /* zip1 v0.4s, v1.4s, v2.4s */
        {0x6e021820, OTHER, NONE, 0, SIMD, 0, 0}, /* ext v0.16b, v1.16b, v2.16b, #3 */
        {0x5ee28420, OTHER, NONE, 0, SIMD, 0, 0}, /* add d0, d1, d2 */
        {0x5ea20c20, OTHER, NONE, 0, SIMD, 0, 0}, /* sqadd s0, s1, s2 */
        {0x5ef1b820, OTHER, NONE, 0, SIMD, 0, 0}, /* addp d0, v1.2d */
        {0x5e0c0420, OTHER, NONE, 0, SIMD, 0, 0}, /* dup s0, v1.s[1] */
        {0x5f7d0420, OTHER, NONE, 0, SIMD, 0, 0}, /* sshr d0, d1, #3 */
        {0x5e629020, OTHER, NONE, 0, SIMD, 0, 0}, /* sqdmlal s0, h1, h2 */
        {0x5fa2c020, OTHER, NONE, 0, SIMD, 0, 0}, /* sqdmulh s0, s1, v2.s[1] */
        {0x5e22dc20, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmulx s0, s1, s2 */
        {0x7ee2d420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fabd d0, d1, d2 */
        {0x5e22e420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcmeq s0, s1, s2 */
        {0x5ea1d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* frecpe s0, s1 */
        {0x5ea1b820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtzs s0, s1 */
        {0x5e61d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* scvtf d0, d1 */
        {0x5f7de420, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* scvtf d0, d1, #3 */
        {0x7e30d820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* faddp s0, v1.2s */
        {0x7e70c820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmaxnmp d0, v1.2d */
        {0x5fa21020, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fmla s0, s1, v2.s[1] */
        {0x7e616820, OTHER, NONE, 0, SIMD | FP, 0, 0}, /* fcvtxn s0, d1 */
        {0x4e284820, OTHER, NONE, 0, SIMD, 0, 0}, /* aese v0.16b, v1.16b */
        {0x4e286820, OTHER, NONE, 0, SIMD, 0, 0}, /* aesmc v0.16b, v1.16b */
        {0x5e020020, OTHER, NONE, 0, SIMD, 0, 0}, /* sha1c q0, s1, v2.4s */
        {0x5e024020, OTHER, NONE, 0, SIMD, 0, 0}, /* sha256h q0, q1, v2.4s */
        {0x5e282820, OTHER, NONE, 0, SIMD, 0, 0}, /* sha256su0 v0.4s, v1.4s */
        {0x5e280820, OTHER, NONE, 0, SIMD, 0, 0}, /* sha1h s0, s1 */
        {0xce628020, OTHER, NONE, 0, SIMD, 0, 0}, /* sha512h q0, q1, v2.2d */
        {0xce020c20, OTHER, NONE, 0, SIMD, 0, 0}, /* eor3 v0.16b, v1.16b, v2.16b, v3.16b */
        {0xce220c20, OTHER, NONE, 0, SIMD, 0, 0}, /* bcax v0.16b, v1.16b, v2.16b, v3.16b */
        {0xcec08420, OTHER, NONE, 0, SIMD, 0, 0}, /* sm4e v0.4s, v1.4s */
        /* unallocated */
        {0x00010000, OTHER, NONE, 0, 0, 0, 0}, /* reserved */
        {0x38c00c00, LOAD, GENERAL, 1, 0, 0, 0}, /* ldrsb w0, [x0, #0]! */
        {0x38e00c00, OTHER, NONE, 0, 0, 0, 0}, /* its neighbor, LDRAA of bytes: unallocated */
        {0xb8c00400, OTHER, NONE, 0, 0, 0, 0}, /* size 10, opc 11: unallocated */
        {0xf8c00400, OTHER, NONE, 0, 0, 0, 0}, /* size 11, opc 11: unallocated */
        {0xf8800400, OTHER, NONE, 0, 0, 0, 0}, /* prefetch has no post-index: unallocated */
        {0x7c800400, OTHER, NONE, 0, 0, 0, 0}, /* SIMD, size 01, opc 10: unallocated */
        {0x3c000800, OTHER, NONE, 0, 0, 0, 0}, /* SIMD has no unprivileged form: unallocated */
        {0xe8000000, OTHER, NONE, 0, 0, 0, 0}, /* pair, opc 11 of general registers: unallocated */
        {0x68000000, OTHER, NONE, 0, 0, 0, 0}, /* no-allocate pair, opc 01: unallocated */
        {0xdc000000, OTHER, NONE, 0, 0, 0, 0}, /* literal, V, opc 11: unallocated */
        {0x0c001000, OTHER, NONE, 0, 0, 0, 0}, /* structures, opcode 0001: unallocated */
        {0x0d00c000, OTHER, NONE, 0, 0, 0, 0}, /* replicate with a store: unallocated */
        {0x0d404400, OTHER, NONE, 0, 0, 0, 0}, /* one halfword, size bit set: unallocated */
        {0x38209000, OTHER, NONE, 0, 0, 0, 0}, /* atomic, o3 with opc 001: not known */
        {0xd61f0001, OTHER, NONE, 0, 0, 0, 0}, /* br with op4: unallocated */
        {0xd63f0001, OTHER, NONE, 0, 0, 0, 0}, /* blr with op4: unallocated */
        {0xd65f0001, OTHER, NONE, 0, 0, 0, 0}, /* ret with op4: unallocated */
        {0xd69f03e1, OTHER, NONE, 0, 0, 0, 0}, /* eret with op4: unallocated */
        {0xd69f0bfe, OTHER, NONE, 0, 0, 0, 0}, /* eretaa with another op4: unallocated */
        {0xd4000000, OTHER, NONE, 0, 0, 0, 0}, /* exception generation, LL 00: unallocated */
        {0xd4200001, OTHER, NONE, 0, 0, 0, 0}, /* brk with LL 01: unallocated */
        {0xd4400001, OTHER, NONE, 0, 0, 0, 0}, /* hlt with LL 01: unallocated */
        {0xd4600000, OTHER, NONE, 0, 0, 0, 0}, /* opc 011: unallocated */
        {0xd4a00000, OTHER, NONE, 0, 0, 0, 0}, /* dcps with LL 00: unallocated */
        {0xffffffff, OTHER, NONE, 0, 0, 0, 0}, /* unallocated */
