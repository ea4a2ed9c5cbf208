/* SPDX-License-Identifier: ISC */
/*
 * The few words every file shares: scalar types, attributes, small macros.
 */
#ifndef RS_H
#define RS_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds; a point on a named clock or a length. */
typedef int64_t rs_ns;

#define RS_NS_PER_S INT64_C(1000000000)
#define RS_NS_PER_MS INT64_C(1000000)

#define RS_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define RS_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RS_MAX(a, b) ((a) > (b) ? (a) : (b))

#if defined(__GNUC__)
#define RS_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define RS_UNUSED __attribute__((unused))
#else
#define RS_PRINTF(format_at, args_at)
#define RS_UNUSED
#endif

#endif
