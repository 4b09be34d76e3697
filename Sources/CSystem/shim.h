#include <arpa/inet.h>
#include <dirent.h>
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

/* The first bytes of a file, `count` at most; how many there are, or -1 and errno. A process that has its own locks on the file
   loses them by it. */
static inline int tidemark_read_start(const char *path, void *bytes, int count) {
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), have = 0, error;
    ssize_t got = 1;
    if (descriptor < 0) return -1;
    while (have < count && (got = pread(descriptor, (char *)bytes + have, (size_t)(count - have), have)) != 0) {
        if (got > 0) have += (int)got;
        else if (errno != EINTR) break;
    }
    error = errno;
    close(descriptor);
    errno = error;
    return got < 0 ? -1 : have;
}

/* Makes a pipe with a name for its owner only; 0 if it exists now, or -1 and errno: EEXIST if another file has the name. */
static inline int tidemark_make_pipe(const char *path) {
    struct stat there;
    if (mkfifo(path, 0600) == 0) return 0;
    if (errno != EEXIST) return -1;
    if (lstat(path, &there) == 0 && S_ISFIFO(there.st_mode)) return 0;
    errno = EEXIST;
    return -1;
}

/* Opens a pipe with a name, and no other file; the descriptor, or -1 and errno. For reading and writing, so that its end never comes,
   and a write without a reader raises no signal. */
static inline int tidemark_open_pipe(const char *path) {
    int descriptor = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    struct stat there;
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &there) == 0 && S_ISFIFO(there.st_mode)) return descriptor;
    close(descriptor);
    errno = EEXIST;
    return -1;
}

/* Writes a byte to a pipe, unless it is full. */
static inline void tidemark_ring_pipe(int descriptor) {
    ssize_t written = write(descriptor, "!", 1);
    (void)written;
}

/* Discards the bytes in a pipe; whether there were any. */
static inline int tidemark_empty_pipe(int descriptor) {
    char bytes[512];
    int had = 0;
    while (read(descriptor, bytes, sizeof bytes) > 0) had = 1;
    return had;
}

/* Writes a small file that only its owner can read. */
static inline void tidemark_write_line(const char *path, const char *line) {
    int descriptor = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    ssize_t written;
    if (descriptor < 0) return;
    written = write(descriptor, line, strlen(line));
    (void)written;
    close(descriptor);
}

/* Copies a file to a new one, which only its owner can read; how many bytes, or -1 and errno: EFBIG if it has more than `limit`;
   -2 if it can't be opened. A process that has its own locks on the file loses them by it. */
static inline long long tidemark_copy_file(const char *from, const char *to, long long limit) {
    int source = open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC), target, error = 0;
    struct stat status;
    long long copied = 0;
    size_t size = 1 << 18;
    char *bytes;
    if (source < 0) return -2;
    target = open(to, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (target < 0) error = errno;
    bytes = error == 0 ? malloc(size) : NULL;
    if (error == 0 && bytes == NULL) error = ENOMEM;
    if (error == 0 && fstat(source, &status) != 0) error = errno;
    if (error == 0 && !S_ISREG(status.st_mode)) error = EINVAL;
    while (error == 0) {
        ssize_t have = read(source, bytes, size), done = 0;
        if (have == 0) break;
        if (have < 0) {
            if (errno != EINTR) error = errno;
            continue;
        }
        if (copied + have > limit) error = EFBIG;
        while (error == 0 && done < have) {
            ssize_t written = write(target, bytes + done, (size_t)(have - done));
            if (written >= 0) done += written;
            else if (errno != EINTR) error = errno;
        }
        copied += have;
    }
    free(bytes);
    if (target >= 0 && close(target) != 0 && error == 0) error = errno;
    close(source);
    errno = error;
    return error == 0 ? copied : -1;
}

/* Removes the folders PREFIXpid-… in a folder that belong to this user, and whose process has ended, with the files in them. */
static inline void tidemark_remove_leftovers(const char *folder, const char *prefix) {
    DIR *entries = opendir(folder);
    struct dirent *entry;
    struct stat status;
    if (entries == NULL) return;
    while ((entry = readdir(entries)) != NULL) {
        char *end;
        long process;
        int leftover;
        DIR *files;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        process = strtol(entry->d_name + strlen(prefix), &end, 10);
        if (process <= 0 || *end != '-' || kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
        if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid()) continue;
        leftover = openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        files = leftover < 0 ? NULL : fdopendir(leftover);
        if (files == NULL) {
            if (leftover >= 0) close(leftover);
            continue;
        }
        for (struct dirent *file = readdir(files); file != NULL; file = readdir(files)) unlinkat(leftover, file->d_name, 0);
        closedir(files);
        unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
    }
    closedir(entries);
}

/* Listens on 127.0.0.1, at a port or (0) at a free one; the descriptor and its port, or -1 and errno. */
static inline int tidemark_listen_on_loopback(unsigned short port, unsigned short *bound) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM, 0), on = 1, error;
    if (descriptor < 0) return -1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    /* So that a port can be used again at once after the end of its last listener. */
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 && listen(descriptor, 16) == 0
        && getsockname(descriptor, (struct sockaddr *)&address, &size) == 0) {
        *bound = ntohs(address.sin_port);
        return descriptor;
    }
    error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

/* The milliseconds of a clock that is never set. */
static inline long long tidemark_steady_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* 1 if a descriptor can be read before a time of that clock, 0 at that time, -1 if it can't. */
static inline int tidemark_await_bytes(int descriptor, long long deadline) {
    for (;;) {
        struct pollfd entry = { descriptor, POLLIN, 0 };
        long long left = deadline - tidemark_steady_milliseconds();
        int result = poll(&entry, 1, left < 0 ? 0 : left > 60000 ? 60000 : (int)left);
        if (result > 0) return entry.revents & (POLLIN | POLLHUP) ? 1 : -1;
        if (result == 0 && left <= 60000) return 0;
        if (result < 0 && errno != EINTR) return -1;
    }
}

/* Reads what there is, before a time; how many bytes, 0 at the end, -1 at that time or after an error. */
static inline ssize_t tidemark_receive_until(int descriptor, void *bytes, int count, long long deadline) {
    if (tidemark_await_bytes(descriptor, deadline) != 1) return -1;
    return recv(descriptor, bytes, (size_t)count, 0);
}
