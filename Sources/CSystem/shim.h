#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Calls that differ between Glibc, Musl and Darwin, or that Swift imports with different types. */

/* Functions with a variable number of arguments are not imported into Swift. */
static inline int tidemark_do_not_wait(int descriptor) {
    return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? 0 : -1;
}

static inline int tidemark_errno(void) { return errno; }

/* Whether a signal is ignored, as the parent process may have set it (nohup). */
static inline int tidemark_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static inline int tidemark_stream_socket(void) { return SOCK_STREAM; }

static inline int tidemark_listen(int descriptor) { return listen(descriptor, SOMAXCONN); }

/* A second descriptor of a socket, which child processes do not get. */
static inline int tidemark_duplicate(int descriptor) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

/* Sends without SIGPIPE, which would end the process if the peer is gone. Darwin has a socket option for it; only its newer
   SDKs have the flag as well. */
static inline ssize_t tidemark_send(int descriptor, const void *bytes, size_t count) {
#ifdef __APPLE__
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return send(descriptor, bytes, count, 0);
#else
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#endif
}

/* The same, and it fails with EAGAIN instead of waiting for room. */
static inline ssize_t tidemark_send_at_once(int descriptor, const void *bytes, size_t count) {
#ifdef __APPLE__
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return send(descriptor, bytes, count, MSG_DONTWAIT);
#else
    return send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
#endif
}

/* Creates a file that only its owner may read; fails if the file exists. */
static inline int tidemark_make_file(const char *path) {
    return open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}

/* Syncs a file to disk and renames it to its final name; 0, or -1 and errno. */
static inline int tidemark_keep_file(int descriptor, const char *part, const char *path) {
    return fsync(descriptor) == 0 && rename(part, path) == 0 ? 0 : -1;
}

static inline void tidemark_close(int descriptor) { close(descriptor); }

/* Creates an empty file, as SQLite would; 0 if the file exists now, new or not, or -1 and errno. */
static inline int tidemark_make_database_file(const char *path) {
    int descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    struct stat there;
    if (descriptor < 0 && errno != EEXIST) return -1;
    if (descriptor < 0 && stat(path, &there) == 0) return 0;
    /* A link to a missing file: the target is created. */
    if (descriptor < 0) descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (descriptor < 0) return -1;
    close(descriptor);
    return 0;
}

/* The process that has a lock on some bytes of a file; 0 if there is no such lock, or if the system does not name the process.
   By closing the file this process releases all its own locks on it, so it is called only if it has none. */
static inline int tidemark_lock_owner(const char *path, long long first, long long count) {
    struct flock lock;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return 0;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = first;
    lock.l_len = count;
    if (fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) lock.l_pid = 0;
    close(descriptor);
    return lock.l_pid > 0 ? (int)lock.l_pid : 0;
}

/* Why a path may not be written: errno; 0 if it may be, or if that is not known. */
static inline int tidemark_write_refusal(const char *path) {
    if (access(path, W_OK) == 0) return 0;
    return errno == EACCES || errno == EPERM || errno == EROFS ? errno : 0;
}

/* Syncs the folder of a file to disk. */
static inline void tidemark_sync_folder_of(const char *path) {
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    int descriptor;
    if (length >= sizeof folder) return;
    memcpy(folder, path, length);
    memcpy(folder + length, length == 0 ? "." : "", length == 0 ? 2 : 1);
    descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

/* The address of a socket in the file system; -1 if the path is too long. */
static inline int tidemark_local_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

/* Listens on a socket in the file system, for the owner only; the descriptor, or -1 and errno. An old socket is removed. */
static inline int tidemark_listen_at(const char *path) {
    struct sockaddr_un address;
    struct stat there;
    int descriptor, result;
    if (tidemark_local_address(path, &address) != 0) return -1;
    descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    /* A socket of an earlier server is removed; any other file is kept. */
    if (lstat(path, &there) == 0 && S_ISSOCK(there.st_mode)) unlink(path);
    /* No umask: it would affect files of other threads. No client can connect before it listens. */
#ifdef __linux__
    result = fchmod(descriptor, 0600) != 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0;
#else
    result = bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 || chmod(path, 0600) != 0;
#endif
    if (result || listen(descriptor, 4) != 0 || tidemark_do_not_wait(descriptor) != 0) {
        result = errno;
        close(descriptor);
        errno = result;
        return -1;
    }
    return descriptor;
}

/* Sets the timeout of each call on a connection, in seconds. */
static inline int tidemark_be_patient(int descriptor, int seconds) {
    struct timeval patience = {seconds, 0};
    return setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience)
        | setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/* Accepts the next connection, with this timeout; the descriptor, or -1. */
static inline int tidemark_accept_local(int listening, int seconds) {
    int descriptor = accept(listening, NULL, NULL);
    if (descriptor < 0) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, 0);
    tidemark_be_patient(descriptor, seconds);
    return descriptor;
}

/* 1 if the process at the other end belongs to the owner of a file, or to root. */
static inline int tidemark_is_owners_or_roots(int descriptor, const char *path) {
    struct stat file;
    uid_t user;
#ifdef __linux__
    /* The kernel's struct ucred, which the C library declares only with _GNU_SOURCE. */
    struct { pid_t process; uid_t user; gid_t group; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
    user = peer.user;
#else
    gid_t group;
    if (getpeereid(descriptor, &user, &group) != 0) return 0;
#endif
    return stat(path, &file) == 0 && (user == file.st_uid || user == 0);
}

/* Connects to a listening socket, with this timeout; the descriptor, or -1 and errno. */
static inline int tidemark_connect_to(const char *path, int seconds) {
    struct sockaddr_un address;
    int descriptor;
    if (tidemark_local_address(path, &address) != 0) return -1;
    descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    /* Before it connects, since connect blocks as well if the backlog is full. */
    tidemark_be_patient(descriptor, seconds);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

static inline int tidemark_shut_down(int descriptor) { return shutdown(descriptor, SHUT_RDWR); }

static inline int tidemark_get_descriptor_limit(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }

static inline int tidemark_set_descriptor_limit(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

static inline struct timespec tidemark_modified(const struct stat *status) {
#ifdef __APPLE__
    return status->st_mtimespec;
#else
    return status->st_mtim;
#endif
}
