/* SPDX-License-Identifier: ISC */
/*
 * Paced small UDP packets, and a place for them to go; for tests in network
 * namespaces of their own. Bounded in time and rate, ends by itself.
 *
 *	udp_load send ADDRESS PORT PACKETS_PER_SECOND SECONDS
 *	udp_load sink PORT SECONDS
 */
/* sendmmsg and recvmmsg are GNU's. */
#define _GNU_SOURCE
#include "num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define RATE_MAX 2000000u
#define SECONDS_MAX 300u
#define PACE_NS 500000 /* a burst every half millisecond */

static rs_ns
now(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (rs_ns)t.tv_sec * RS_NS_PER_S + t.tv_nsec;
}

static void
sleep_until(rs_ns at)
{
	const struct timespec t = {at / RS_NS_PER_S, at % RS_NS_PER_S};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
	}
}

static uint64_t
number(const char *text, uint64_t max)
{
	uint64_t n = 0;
	return rs_num_u64(rs_text_of(text), &n) == 0 && n <= max ? n : 0;
}

static int
send_load(const char *address, uint16_t port, uint64_t rate, uint64_t seconds)
{
	static char payload[22]; /* 64 bytes on the wire with all headers */
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		perror("udp_load");
		return 1;
	}
	struct iovec iov = {payload, sizeof(payload)};
	struct mmsghdr batch[BATCH] = {0};
	for (size_t i = 0; i < BATCH; i++)
		batch[i].msg_hdr = (struct msghdr){.msg_iov = &iov, .msg_iovlen = 1};
	const rs_ns start = now(), end = start + (rs_ns)seconds * RS_NS_PER_S;
	uint64_t sent = 0;
	for (rs_ns at = start; at < end; at += PACE_NS) {
		sleep_until(at);
		const uint64_t due = (uint64_t)((double)(now() - start) / 1e9 * (double)rate);
		/* What could not be sent in time is not made up for later. */
		if (due > sent + rate / 50)
			sent = due - rate / 50;
		while (sent < due) {
			const unsigned want = (unsigned)RS_MIN(due - sent, BATCH);
			const int n = sendmmsg(fd, batch, want, 0);
			sent += n > 0 ? (uint64_t)n : want;
		}
	}
	(void)close(fd);
	return 0;
}

static int
sink(uint16_t port, uint64_t seconds)
{
	static char space[BATCH][64];
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
		perror("udp_load");
		return 1;
	}
	struct iovec iov[BATCH];
	struct mmsghdr batch[BATCH] = {0};
	for (size_t i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){space[i], sizeof(space[i])};
		batch[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i], .msg_iovlen = 1};
	}
	const rs_ns end = now() + (rs_ns)seconds * RS_NS_PER_S;
	for (rs_ns t = now(); t < end; t = now()) {
		while (recvmmsg(fd, batch, BATCH, MSG_DONTWAIT, NULL) == BATCH) {
		}
		sleep_until(t + 20 * RS_NS_PER_MS);
	}
	(void)close(fd);
	return 0;
}

int
main(int argc, char *argv[])
{
	if (argc == 6 && strcmp(argv[1], "send") == 0)
		return send_load(argv[2], (uint16_t)number(argv[3], 65535),
		    number(argv[4], RATE_MAX), number(argv[5], SECONDS_MAX));
	if (argc == 4 && strcmp(argv[1], "sink") == 0)
		return sink((uint16_t)number(argv[2], 65535), number(argv[3], SECONDS_MAX));
	(void)fputs("usage: udp_load send ADDRESS PORT RATE SECONDS | sink PORT SECONDS\n", stderr);
	return 2;
}
