#include "CSternaNetlink.h"

#include <errno.h>

#if defined(__linux__)

#include <linux/netlink.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// SIOCGIWNAME and its argument, as linux/wireless.h has them, whose other declarations clash with net/if.h.
#define STERNA_SIOCGIWNAME 0x8B01
struct sterna_iwreq {
    char name[16];
    char value[16];
};

int CSternaNetlink_open(int protocol, uint32_t groups) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (descriptor < 0) return -errno;
    // A burst of changes, such as those of a router's table, is then less likely to be lost. What is lost is asked for again.
    int size = 1 << 20;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int reason = errno;
        close(descriptor);
        return -reason;
    }
    return descriptor;
}

int CSternaNetlink_send(int descriptor, const void *bytes, size_t count) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    ssize_t sent;
    do {
        sent = sendto(descriptor, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

int CSternaNetlink_receive(int descriptor, void *bytes, size_t capacity, uint32_t *sender) {
    struct sockaddr_nl address;
    struct iovec part = {bytes, capacity};
    struct msghdr message;
    memset(&address, 0, sizeof address);
    memset(&message, 0, sizeof message);
    message.msg_name = &address;
    message.msg_namelen = sizeof address;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    ssize_t count;
    do { count = recvmsg(descriptor, &message, MSG_TRUNC); } while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    *sender = address.nl_pid;
    return count > 0x7FFFFFFF ? 0x7FFFFFFF : (int)count;
}

int CSternaNetlink_openQuery(void) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return descriptor < 0 ? -errno : descriptor;
}

int CSternaNetlink_isWireless(int descriptor, const char *name) {
    struct sterna_iwreq request;
    memset(&request, 0, sizeof request);
    if (strlen(name) >= sizeof request.name) return 0;
    strcpy(request.name, name);
    return ioctl(descriptor, STERNA_SIOCGIWNAME, &request) == 0;
}

#else

int CSternaNetlink_open(int protocol, uint32_t groups) { return -ENOSYS; }
int CSternaNetlink_send(int descriptor, const void *bytes, size_t count) { return -ENOSYS; }
int CSternaNetlink_receive(int descriptor, void *bytes, size_t capacity, uint32_t *sender) { return -ENOSYS; }
int CSternaNetlink_openQuery(void) { return -ENOSYS; }
int CSternaNetlink_isWireless(int descriptor, const char *name) { return -ENOSYS; }

#endif
