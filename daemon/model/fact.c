/* SPDX-License-Identifier: ISC */
/*
 * The table of settings. Constant data, any thread.
 */
#include "fact.h"

#define RS_FACT_ROW(id, ...) [RS_F_##id] = {__VA_ARGS__},
const struct rs_fact_kind rs_facts[RS_F_COUNT] = {RS_FACTS(RS_FACT_ROW)};
#undef RS_FACT_ROW
