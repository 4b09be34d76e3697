/* What the package uses of Apple's C library, with the types of Apple's headers; every other header here includes this one. Values of constants
   do not matter: nothing is run. A function that Darwin lacks (accept4, pipe2, sigtimedwait, epoll_create) is left out, so that its use is an error. The pages of each
   part: sections 2 and 3 of Apple's manual, with the names of the functions; structures as in the header that the page names. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef long ssize_t, time_t;
typedef int64_t off_t, blkcnt_t;
typedef int32_t pid_t, dev_t, blksize_t, suseconds_t;
typedef uint32_t uid_t, gid_t, socklen_t, in_addr_t, sigset_t;
typedef uint16_t mode_t, nlink_t, in_port_t;
typedef uint8_t sa_family_t;
typedef uint64_t ino_t, rlim_t;
typedef unsigned int nfds_t;

/* time */
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; char *tm_zone; };
typedef enum {
    _CLOCK_REALTIME = 0,
#define CLOCK_REALTIME _CLOCK_REALTIME
    _CLOCK_MONOTONIC = 6,
#define CLOCK_MONOTONIC _CLOCK_MONOTONIC
    _CLOCK_MONOTONIC_RAW = 4,
#define CLOCK_MONOTONIC_RAW _CLOCK_MONOTONIC_RAW
    _CLOCK_PROCESS_CPUTIME_ID = 12
#define CLOCK_PROCESS_CPUTIME_ID _CLOCK_PROCESS_CPUTIME_ID
} clockid_t;
int clock_gettime(clockid_t, struct timespec *);
time_t time(time_t *);
struct tm *gmtime_r(const time_t *, struct tm *), *localtime_r(const time_t *, struct tm *);

/* errno */
int *__error(void);
#define errno (*__error())
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define ENXIO 6
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define EINVAL 22
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ENAMETOOLONG 63

/* files */
struct stat {
    dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    off_t st_size; blkcnt_t st_blocks; blksize_t st_blksize; uint32_t st_flags, st_gen; int32_t st_lspare; int64_t st_qspare[2];
};
struct flock { off_t l_start, l_len; pid_t l_pid; short l_type, l_whence; };
#define S_ISDIR(mode) (((mode)&0170000) == 0040000)
#define S_ISREG(mode) (((mode)&0170000) == 0100000)
#define S_ISSOCK(mode) (((mode)&0170000) == 0140000)
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_NONBLOCK 4
#define O_APPEND 8
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_NOFOLLOW 0x100
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define AT_SYMLINK_NOFOLLOW 0x20
#define AT_REMOVEDIR 0x80
#define F_GETFD 1
#define F_SETFD 2
#define F_DUPFD_CLOEXEC 67
#define F_GETFL 3
#define F_SETFL 4
#define F_GETLK 7
#define F_UNLCK 2
#define F_WRLCK 3
#define FD_CLOEXEC 1
#define SEEK_SET 0
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
int open(const char *, int, ...), fcntl(int, int, ...), ioctl(int, unsigned long, ...);
int access(const char *, int), close(int), dup(int), fsync(int), unlink(const char *), rename(const char *, const char *), isatty(int);
int stat(const char *, struct stat *), lstat(const char *, struct stat *), fstat(int, struct stat *);
int openat(int, const char *, int, ...), fstatat(int, const char *, struct stat *, int), unlinkat(int, const char *, int);
typedef struct _dirdesc DIR;
struct dirent { uint64_t d_ino, d_seekoff; uint16_t d_reclen, d_namlen; uint8_t d_type; char d_name[1024]; };
DIR *opendir(const char *), *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *), dirfd(DIR *), rmdir(const char *), usleep(uint32_t);
char *mkdtemp(char *);
int chmod(const char *, mode_t), fchmod(int, mode_t);
mode_t umask(mode_t);
ssize_t read(int, void *, size_t), write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
off_t lseek(int, off_t, int);
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
typedef struct __sFILE { unsigned char *_p; int _r, _w; } FILE;
FILE *tmpfile(void);
int fclose(FILE *), fflush(FILE *), fseek(FILE *, long, int);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
int vsnprintf(char *, size_t, const char *, va_list), snprintf(char *, size_t, const char *, ...), sscanf(const char *, const char *, ...);

/* sockets */
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_storage { uint8_t ss_len; sa_family_t ss_family; char __pad1[6]; int64_t __align; char __pad2[112]; };
struct sockaddr_un { unsigned char sun_len; sa_family_t sun_family; char sun_path[104]; };
struct in_addr { in_addr_t s_addr; };
struct in6_addr { union { uint8_t __u6_addr8[16]; uint16_t __u6_addr16[8]; uint32_t __u6_addr32[4]; } __u6_addr; };
struct sockaddr_in { uint8_t sin_len; sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; char sin_zero[8]; };
struct sockaddr_in6 { uint8_t sin6_len; sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo; struct in6_addr sin6_addr; uint32_t sin6_scope_id; };
struct addrinfo { int ai_flags, ai_family, ai_socktype, ai_protocol; socklen_t ai_addrlen; char *ai_canonname; struct sockaddr *ai_addr; struct addrinfo *ai_next; };
/* Apple's are macros. */
uint16_t htons(uint16_t), ntohs(uint16_t);
uint32_t htonl(uint32_t), ntohl(uint32_t);
struct linger { int l_onoff, l_linger; };
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 30
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 4
#define SO_KEEPALIVE 8
#define SO_LINGER 0x80
#define SO_SNDTIMEO 0x1005
#define SO_RCVTIMEO 0x1006
#define SO_NOSIGPIPE 0x1022
#define SOMAXCONN 128
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define MSG_PEEK 2
#define MSG_DONTWAIT 0x80
#define IPPROTO_TCP 6
#define IPPROTO_IPV6 41
#define TCP_NODELAY 1
#define IPV6_V6ONLY 27
#define AI_PASSIVE 1
#define AI_NUMERICHOST 4
#define NI_NUMERICHOST 2
#define NI_MAXHOST 1025
#define INET_ADDRSTRLEN 16
#define INET6_ADDRSTRLEN 46
#define INADDR_ANY ((uint32_t)0)
#define INADDR_LOOPBACK ((uint32_t)0x7f000001)
#define FIONREAD 0x4004667fUL
int socket(int, int, int), bind(int, const struct sockaddr *, socklen_t), listen(int, int), connect(int, const struct sockaddr *, socklen_t);
int accept(int, struct sockaddr *, socklen_t *), shutdown(int, int);
int getsockname(int, struct sockaddr *, socklen_t *), getpeername(int, struct sockaddr *, socklen_t *);
int setsockopt(int, int, int, const void *, socklen_t), getsockopt(int, int, int, void *, socklen_t *);
ssize_t send(int, const void *, size_t, int), recv(int, void *, size_t, int);
int getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
void freeaddrinfo(struct addrinfo *);
const char *gai_strerror(int), *inet_ntop(int, const void *, char *, socklen_t);
int inet_pton(int, const char *, void *), getnameinfo(const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int);
int getpeereid(int, uid_t *, gid_t *);
struct pollfd { int fd; short events, revents; };
#define POLLIN 1
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
int poll(struct pollfd[], nfds_t, int);
typedef struct { int32_t fds_bits[32]; } fd_set;

/* processes */
#define SIGHUP 1
#define SIGINT 2
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
struct sigaction { union { void (*__sa_handler)(int); } __sigaction_u; sigset_t sa_mask; int sa_flags; };
#define sa_handler __sigaction_u.__sa_handler
int sigaction(int, const struct sigaction *, struct sigaction *);
void (*signal(int, void (*)(int)))(int);
int kill(pid_t, int);
pid_t getpid(void), waitpid(pid_t, int *, int);
uid_t getuid(void), geteuid(void);
#define WNOHANG 1
typedef void *posix_spawn_file_actions_t, *posix_spawnattr_t;
int posix_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *), posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *, int, const char *, int, mode_t);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw; };
#define RLIMIT_NOFILE 8
#define RUSAGE_SELF 0
int getrlimit(int, struct rlimit *), setrlimit(int, const struct rlimit *), getrusage(int, struct rusage *);
_Noreturn void exit(int), _exit(int);
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define EX_USAGE 64

/* memory and text */
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t), *memchr(const void *, int, size_t);
void free(void *);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
size_t strlen(const char *);
int strncmp(const char *, const char *, size_t);
long strtol(const char *, char **, int);
char *strdup(const char *), *strerror(int), *strcpy(char *, const char *), *strchr(const char *, int), *strrchr(const char *, int), *strstr(const char *, const char *);
char *getenv(const char *), *realpath(const char *, char *);
double log10(double), pow(double, double), floor(double), ceil(double);
