#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What Glibc, Musl and Darwin spell each in its own way, or what Swift sees as a type in one and a number in the next. */

/* Functions with a variable number of arguments are not imported into Swift. */
static inline int tidemark_do_not_wait(int descriptor) {
    return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? 0 : -1;
}

static inline int tidemark_errno(void) { return errno; }

static inline int tidemark_stream_socket(void) { return SOCK_STREAM; }

static inline int tidemark_listen(int descriptor) { return listen(descriptor, SOMAXCONN); }

/* Without the signal that ends a process whose other side is gone, where a flag of the call can say so. */
static inline ssize_t tidemark_send(int descriptor, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#else
    return send(descriptor, bytes, count, 0);
#endif
}

static inline int tidemark_shut_down(int descriptor) { return shutdown(descriptor, SHUT_RDWR); }

static inline int tidemark_get_descriptor_limit(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }

static inline int tidemark_set_descriptor_limit(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

/* How many bytes of a connection the process has read; -1 where the system does not say. */
static inline long long tidemark_bytes_taken(int descriptor) {
#ifdef __linux__
    /* The kernel's struct tcp_info, of which the C library's ends before tcpi_bytes_received. */
    enum { tcp_info_option = 11, offset_of_bytes_received = 128 };
    unsigned char info[192];
    socklen_t size = sizeof info;
    unsigned long long received;
    int waiting = 0;
    if (getsockopt(descriptor, IPPROTO_TCP, tcp_info_option, info, &size) != 0) return -1;
    if (size < offset_of_bytes_received + sizeof received || ioctl(descriptor, FIONREAD, &waiting) != 0) return -1;
    memcpy(&received, info + offset_of_bytes_received, sizeof received);
    return (long long)received - waiting;
#else
    (void)descriptor;
    return -1;
#endif
}

static inline struct timespec tidemark_modified(const struct stat *status) {
#ifdef __APPLE__
    return status->st_mtimespec;
#else
    return status->st_mtim;
#endif
}
