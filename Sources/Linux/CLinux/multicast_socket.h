// Multicast DNS sockets (Specs/mdns.md), one per interface and address family.
//
// A socket bound to the group address receives only packets to the group, so that unicast packets to port 5353 go to the
// machine's other responders. It can still send, from its interface's address and port 5353. Swift cannot read the control messages of recvmsg, hence C.
#ifndef INKLING_MULTICAST_SOCKET_H
#define INKLING_MULTICAST_SOCKET_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define INKLING_MDNS_PORT 5353

// The source or destination of a datagram.
struct inkling_peer {
    // IPv4 uses the first four bytes.
    uint8_t address[16];
    // The interface of a link-local IPv6 address, else 0.
    uint32_t scope;
    uint16_t port;
    // The TTL or hop limit of a received datagram.
    uint8_t hop_limit;
    uint8_t is_ipv6;
};

static inline socklen_t inkling_peer_address(
    const struct inkling_peer *peer, struct sockaddr_storage *storage) {
    memset(storage, 0, sizeof *storage);
    if (peer->is_ipv6) {
        struct sockaddr_in6 *address = (struct sockaddr_in6 *)storage;
        address->sin6_family = AF_INET6;
        address->sin6_port = htons(peer->port);
        memcpy(&address->sin6_addr, peer->address, 16);
        address->sin6_scope_id = peer->scope;
        return sizeof *address;
    }
    struct sockaddr_in *address = (struct sockaddr_in *)storage;
    address->sin_family = AF_INET;
    address->sin_port = htons(peer->port);
    memcpy(&address->sin_addr, peer->address, 4);
    return sizeof *address;
}

// Returns the multicast DNS group: 224.0.0.251, or ff02::fb on the interface.
static inline struct inkling_peer inkling_mdns_group(int is_ipv6, uint32_t interface) {
    struct inkling_peer group = {.port = INKLING_MDNS_PORT, .is_ipv6 = is_ipv6 ? 1 : 0};
    if (is_ipv6) {
        group.scope = interface;
        group.address[0] = 0xff;
        group.address[1] = 0x02;
        group.address[15] = 0xfb;
    } else {
        group.address[0] = 224;
        group.address[3] = 251;
    }
    return group;
}

static inline int inkling_set(int socket, int level, int name, int value) {
    return setsockopt(socket, level, name, &value, sizeof value);
}

// Opens a socket and joins the group on an interface. Returns the socket, or the negated error number.
//
// It is bound to the interface (Linux 5.7 or newer): of two sockets that have joined one IPv4 group on two interfaces, the
// kernel may deliver one interface's packets to the other's socket, with or without IP_MULTICAST_ALL (seen on 6.18).
static inline int inkling_multicast_socket(int is_ipv6, uint32_t interface) {
    int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    // Other responders on this machine use the port too; some set one of the options, some the other.
    int failed = inkling_set(fd, SOL_SOCKET, SO_REUSEADDR, 1) | inkling_set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    failed |= inkling_set(fd, SOL_SOCKET, SO_BINDTOIFINDEX, (int)interface);
    struct sockaddr_storage group;
    const struct inkling_peer peer = inkling_mdns_group(is_ipv6, interface);
    socklen_t length = inkling_peer_address(&peer, &group);
    if (is_ipv6) {
        struct ipv6_mreq membership;
        memcpy(&membership.ipv6mr_multiaddr, peer.address, 16);
        membership.ipv6mr_interface = interface;
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, (int)interface);
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 255);
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, 255);
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1);
        failed |= inkling_set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
        failed |= setsockopt(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &membership, sizeof membership);
    } else {
        struct ip_mreqn membership = {.imr_ifindex = (int)interface};
        memcpy(&membership.imr_multiaddr, peer.address, 4);
        failed |= inkling_set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
        failed |= setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &membership, sizeof membership);
        failed |= inkling_set(fd, IPPROTO_IP, IP_MULTICAST_TTL, 255);
        failed |= inkling_set(fd, IPPROTO_IP, IP_TTL, 255);
        failed |= inkling_set(fd, IPPROTO_IP, IP_MULTICAST_LOOP, 1);
        failed |= inkling_set(fd, IPPROTO_IP, IP_RECVTTL, 1);
        failed |= setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership);
    }
    // Room for a burst of a few thousand packets while the thread is busy.
    inkling_set(fd, SOL_SOCKET, SO_RCVBUF, 1 << 20);
    if (failed || bind(fd, (struct sockaddr *)&group, length) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

// Receives one datagram. Returns its length, which is more than `size` for one that did not fit, or -1.
static inline ssize_t inkling_receive(int fd, void *buffer, size_t size, struct inkling_peer *from) {
    struct sockaddr_storage address;
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(int)) * 4];
    } control;
    struct iovec part = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof control,
    };
    ssize_t count = recvmsg(fd, &message, MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0) return -1;
    memset(from, 0, sizeof *from);
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        int is_limit = (item->cmsg_level == IPPROTO_IP && item->cmsg_type == IP_TTL)
            || (item->cmsg_level == IPPROTO_IPV6 && item->cmsg_type == IPV6_HOPLIMIT);
        if (is_limit && item->cmsg_len >= CMSG_LEN(sizeof(int))) {
            int limit;
            memcpy(&limit, CMSG_DATA(item), sizeof limit);
            from->hop_limit = (uint8_t)limit;
        }
    }
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *source = (const struct sockaddr_in6 *)&address;
        from->is_ipv6 = 1;
        memcpy(from->address, &source->sin6_addr, 16);
        from->scope = source->sin6_scope_id;
        from->port = ntohs(source->sin6_port);
    } else {
        const struct sockaddr_in *source = (const struct sockaddr_in *)&address;
        memcpy(from->address, &source->sin_addr, 4);
        from->port = ntohs(source->sin_port);
    }
    return count;
}

// Sends one datagram. Returns 0, or the negated error number.
static inline int inkling_send(int fd, const void *bytes, size_t count, const struct inkling_peer *to) {
    struct sockaddr_storage address;
    socklen_t length = inkling_peer_address(to, &address);
    ssize_t sent = sendto(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, length);
    return sent == (ssize_t)count ? 0 : -errno;
}

#endif
