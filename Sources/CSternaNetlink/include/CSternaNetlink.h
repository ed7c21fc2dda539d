#ifndef C_STERNA_NETLINK_H
#define C_STERNA_NETLINK_H

#include <stddef.h>
#include <stdint.h>

// Netlink sockets of Linux. sockaddr_nl and the requests of ioctl are in no module that Swift imports.
// Functions return a negative errno on failure; on other systems they return -ENOSYS.

// Opens a socket that does not block, and joins the multicast groups of a mask.
int CSternaNetlink_open(int protocol, uint32_t groups);

// Sends a request to the kernel.
int CSternaNetlink_send(int descriptor, const void *bytes, size_t count);

// Receives a datagram. Returns its whole length, which may be more than the capacity, and the port of its sender: 0 is the kernel's.
int CSternaNetlink_receive(int descriptor, void *bytes, size_t capacity, uint32_t *sender);

// Opens a socket for CSternaNetlink_isWireless.
int CSternaNetlink_openQuery(void);

// Whether an interface answers the wireless extensions: 1 or 0.
int CSternaNetlink_isWireless(int descriptor, const char *name);

#endif
