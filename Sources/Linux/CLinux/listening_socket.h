// A packet filter for a listening TCP socket (Specs/handshake.md, INK-HSK-054).
//
// The kernel runs the program on every packet for the socket before anything else, so that a connection request dropped here
// costs the process nothing. Swift cannot build the program, because it does not import the macros.
#ifndef INKLING_LISTENING_SOCKET_H
#define INKLING_LISTENING_SOCKET_H

#include <errno.h>
#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define INKLING_IGNORED_NEIGHBOURS 256
#define INKLING_ETHERNET 1

// Makes a socket drop all packets of exactly these neighbours, given by Ethernet addresses of 6 bytes each; with a `count` of
// 0, none. Returns 0, or the system's error number and then drops nothing.
static inline int inkling_ignore_neighbours(int fd, const uint8_t *addresses, size_t count) {
    // Five instructions per address: compare its last four bytes, then its first two.
    struct sock_filter program[5 * INKLING_IGNORED_NEIGHBOURS + 5];
    const struct sock_filter load_last = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_LL_OFF + 8);
    const struct sock_filter load_first = BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)SKF_LL_OFF + 6);
    const struct sock_filter hear = BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), drop = BPF_STMT(BPF_RET | BPF_K, 0);
    const int unused = 0;
    // The memory limit of a socket (net.core.optmem_max) may be too small for two programs at once.
    setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused);
    if (count == 0) return 0;
    if (count > INKLING_IGNORED_NEIGHBOURS) return EINVAL;
    unsigned short length = 0;
    // The kernel drops a packet if the program reads beyond it: other kinds of networks have no such addresses.
    program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_HATYPE));
    program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, INKLING_ETHERNET, 1, 0);
    program[length++] = hear;
    program[length++] = load_last;
    for (size_t index = 0; index < count; index++) {
        const uint8_t *address = addresses + 6 * index;
        uint32_t first = (uint32_t)address[0] << 8 | address[1];
        uint32_t last = (uint32_t)address[2] << 24 | (uint32_t)address[3] << 16 | (uint32_t)address[4] << 8 | address[5];
        program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, last, 0, 4);
        program[length++] = load_first;
        program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1);
        program[length++] = drop;
        program[length++] = load_last;
    }
    program[length++] = hear;
    const struct sock_fprog whole = {.len = length, .filter = program};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &whole, sizeof whole) == 0 ? 0 : errno;
}

#endif
