/* SPDX-License-Identifier: ISC */
/*
 * What a fuzz target defines. The first is libFuzzer's; the second is
 * optional and names the kernel's file whose captures are seeds.
 */
#ifndef RS_FUZZ_H
#define RS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Called with each input, which lies in memory of exactly its size; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Called once before. `--path` as the only argument: prints the path relative
 * to the root and exits. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

#endif
