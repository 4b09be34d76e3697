#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>

/* Macros of characters are not imported into Swift as numbers. */
static inline const char *tidemark_pq_state_of(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/* Discards notices of the server, which would be printed to standard error. */
static inline void tidemark_pq_ignore(void *unused, const PGresult *result) {
    (void)unused;
    (void)result;
}

static inline void tidemark_pq_be_quiet(PGconn *connection) {
    PQsetNoticeReceiver(connection, tidemark_pq_ignore, NULL);
}

static inline long long tidemark_pq_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Waits until the connection is ready; 0 after the timeout. */
static inline int tidemark_pq_await(PGconn *connection, short events, long long end) {
    struct pollfd place = {PQsocket(connection), events, 0};
    for (;;) {
        long long left = end - tidemark_pq_now();
        int found = poll(&place, 1, left > 0 ? (left < 60000 ? (int)left : 60000) : 0);
        if (found > 0 || (found < 0 && errno != EINTR)) return 1;
        if (left <= 0) return 0;
    }
}

/* The last result of the sent statements, as in PQexec; NULL if the connection is lost. If nothing was received for so long,
   `is_over` is set: the server or the network hangs, and the connection can no longer be used. */
static inline PGresult *tidemark_pq_result(PGconn *connection, int was_sent, long long milliseconds, int *is_over) {
    long long end = tidemark_pq_now() + milliseconds;
    PGresult *last = NULL, *next;
    int left;
    *is_over = 0;
    if (!was_sent) return NULL;
    while ((left = PQflush(connection)) > 0) {
        if (!tidemark_pq_await(connection, POLLIN | POLLOUT, end)) goto over;
        if (!PQconsumeInput(connection)) break;
        end = tidemark_pq_now() + milliseconds;
    }
    for (;;) {
        while (PQisBusy(connection)) {
            if (!tidemark_pq_await(connection, POLLIN, end)) goto over;
            if (!PQconsumeInput(connection)) break;
            end = tidemark_pq_now() + milliseconds;
        }
        next = PQgetResult(connection);
        if (next == NULL) return last;
        PQclear(last);
        last = next;
    }
over:
    PQclear(last);
    *is_over = 1;
    return NULL;
}

/* Sends one statement with all parameters in binary form. They are consecutive in `bytes`; one of a negative length is null. */
static inline int tidemark_pq_send(
    PGconn *connection, const char *statement, int count, const unsigned char *bytes, const int *lengths) {
    enum { most = 16 };
    const char *values[most];
    int sizes[most], formats[most];
    int place = 0;
    if (count > most) return 0;
    for (int index = 0; index < count; index++) {
        int is_null = lengths[index] < 0;
        values[index] = is_null ? NULL : (const char *)bytes + place;
        sizes[index] = is_null ? 0 : lengths[index];
        formats[index] = 1;
        place += sizes[index];
    }
    return PQsendQueryPrepared(connection, statement, count, values, sizes, formats, 1);
}

/* Options in the address override those that precede it here, and are overridden by those that follow. */
static inline PGconn *tidemark_pq_connect(const char *address, const char *seconds, const char *milliseconds) {
    const char *const names[] = {
        "connect_timeout", "tcp_user_timeout", "keepalives_idle", "target_session_attrs", "fallback_application_name",
        "dbname", "client_encoding", NULL};
    const char *const values[] = {seconds, milliseconds, "30", "read-write", "tidemark", address, "UTF8", NULL};
    return PQconnectdbParams(names, values, 1);
}

/* Waits until the server sends something, or for the timeout; 0 if the connection is lost. */
static inline int tidemark_pq_wait(PGconn *connection, int milliseconds) {
    struct pollfd place = {PQsocket(connection), POLLIN, 0};
    int found = poll(&place, 1, milliseconds);
    if (found == 0 || (found < 0 && errno == EINTR)) return 1;
    return found > 0 ? PQconsumeInput(connection) : 0;
}

static inline void tidemark_pq_rest(int milliseconds) { poll(NULL, 0, milliseconds); }
