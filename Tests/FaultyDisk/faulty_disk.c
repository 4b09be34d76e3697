#include "faulty_disk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One change that no sync has followed. */
typedef struct change {
    struct change *next;
    int64_t offset; /* of a write; the new size of a truncation */
    int size;       /* -1: a truncation */
    unsigned char bytes[];
} change;

/* A file of a disk whose power will fail: its content at the last sync, and the changes since. */
typedef struct image {
    struct image *next;
    char *path;
    unsigned char *synced;
    int64_t size;
    change *first, *last;
} image;

struct faulty_disk {
    struct faulty_disk *next;
    char *folder;
    faulty_disk_fault fault;
    int64_t at, changes, reads;
    uint64_t seed;
    image *images;
};

/* A file as SQLite sees it; the real one follows it in the same memory block. */
typedef struct {
    sqlite3_file base;
    faulty_disk *disk;
    const char *path;
} file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static faulty_disk *disks;

static sqlite3_file *real(sqlite3_file *it) { return (sqlite3_file *)((file *)it + 1); }

static faulty_disk *disk_of(const char *path) {
    if (path == NULL) return NULL;
    for (faulty_disk *disk = disks; disk != NULL; disk = disk->next) {
        size_t length = strlen(disk->folder);
        if (strncmp(path, disk->folder, length) == 0 && path[length] == '/') return disk;
    }
    return NULL;
}

/* MARK: Faults */

typedef enum { GOES_ON, IS_HALF_DONE, BREAKS } course;

static int is_over(const faulty_disk *disk) {
    return disk->fault >= FAULTY_DISK_PROCESS_ENDS && disk->at > 0 && disk->changes >= disk->at;
}

/* Counts a change and returns its outcome. The caller holds the lock. */
static course next_change(faulty_disk *disk, int grows) {
    int was_over = is_over(disk);
    disk->changes += 1;
    if (was_over) return BREAKS;
    if (disk->at == 0 || disk->changes < disk->at) return GOES_ON;
    switch (disk->fault) {
    case FAULTY_DISK_READ_FAILS: return GOES_ON;
    case FAULTY_DISK_FAILS: return disk->changes == disk->at ? BREAKS : GOES_ON;
    case FAULTY_DISK_IS_FULL: return grows ? BREAKS : GOES_ON;
    default: return IS_HALF_DONE;
    }
}

static int error_of(const faulty_disk *disk, int otherwise) {
    return disk->fault == FAULTY_DISK_IS_FULL ? SQLITE_FULL : otherwise;
}

/* MARK: The loss at a power failure */

static image *image_of(faulty_disk *disk, const char *path, sqlite3_file *own) {
    for (image *it = disk->images; it != NULL; it = it->next)
        if (strcmp(it->path, path) == 0) return it;
    image *it = calloc(1, sizeof *it);
    if (it == NULL) return NULL;
    it->path = strdup(path);
    sqlite3_int64 size = 0;
    if (own->pMethods->xFileSize(own, &size) == SQLITE_OK && size > 0 && (it->synced = malloc((size_t)size)) != NULL &&
        own->pMethods->xRead(own, it->synced, (int)size, 0) == SQLITE_OK)
        it->size = size;
    it->next = disk->images;
    return disk->images = it;
}

static void forget_changes(image *it) {
    for (change *each = it->first, *next; each != NULL; each = next) {
        next = each->next;
        free(each);
    }
    it->first = it->last = NULL;
}

static void apply(image *it, const change *each) {
    int64_t end = each->size < 0 ? each->offset : each->offset + each->size;
    if (each->size < 0 ? end < it->size : end > it->size) {
        unsigned char *grown = realloc(it->synced, end > 0 ? (size_t)end : 1);
        if (grown == NULL) return;
        if (end > it->size) memset(grown + it->size, 0, (size_t)(end - it->size));
        it->synced = grown;
        it->size = end;
    }
    if (each->size > 0) memcpy(it->synced + each->offset, each->bytes, (size_t)each->size);
}

static void note(faulty_disk *disk, const char *path, sqlite3_file *own, const void *bytes, int size, int64_t offset) {
    if (disk->fault != FAULTY_DISK_POWER_FAILS || disk->at == 0) return;
    image *it = image_of(disk, path, own);
    change *each = malloc(sizeof *each + (size_t)(size > 0 ? size : 0));
    if (it == NULL || each == NULL) return;
    *each = (change){NULL, offset, size};
    if (size > 0) memcpy(each->bytes, bytes, (size_t)size);
    if (it->last != NULL) it->last->next = each;
    else it->first = each;
    it->last = each;
}

static void note_sync(faulty_disk *disk, const char *path, sqlite3_file *own) {
    if (disk->fault != FAULTY_DISK_POWER_FAILS || disk->at == 0) return;
    image *it = image_of(disk, path, own);
    if (it == NULL) return;
    for (change *each = it->first; each != NULL; each = each->next) apply(it, each);
    forget_changes(it);
}

/* SplitMix64. */
static uint64_t next_random(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static void lose_power(faulty_disk *disk) {
    for (image *it = disk->images; it != NULL; it = it->next) {
        for (change *each = it->first; each != NULL; each = each->next)
            if (next_random(&disk->seed) & 1) apply(it, each);
        FILE *found = fopen(it->path, "r+b");
        if (found == NULL) continue;
        if (ftruncate(fileno(found), it->size) == 0 && it->size > 0) fwrite(it->synced, 1, (size_t)it->size, found);
        fclose(found);
    }
}

/* MARK: Files */

static int file_write(sqlite3_file *it, const void *bytes, int size, sqlite3_int64 offset) {
    file *mine = (file *)it;
    sqlite3_file *own = real(it);
    pthread_mutex_lock(&lock);
    int result = SQLITE_IOERR_WRITE;
    switch (next_change(mine->disk, 1)) {
    case GOES_ON:
        note(mine->disk, mine->path, own, bytes, size, offset);
        result = own->pMethods->xWrite(own, bytes, size, offset);
        break;
    case IS_HALF_DONE:
        note(mine->disk, mine->path, own, bytes, size / 2, offset);
        if (size / 2 > 0) own->pMethods->xWrite(own, bytes, size / 2, offset);
        break;
    case BREAKS: result = error_of(mine->disk, result);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int file_truncate(sqlite3_file *it, sqlite3_int64 size) {
    file *mine = (file *)it;
    sqlite3_file *own = real(it);
    pthread_mutex_lock(&lock);
    int result = SQLITE_IOERR_TRUNCATE;
    if (next_change(mine->disk, 0) == GOES_ON) {
        note(mine->disk, mine->path, own, NULL, -1, size);
        result = own->pMethods->xTruncate(own, size);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int file_sync(sqlite3_file *it, int flags) {
    file *mine = (file *)it;
    sqlite3_file *own = real(it);
    pthread_mutex_lock(&lock);
    int result = SQLITE_IOERR_FSYNC;
    switch (next_change(mine->disk, 1)) {
    case GOES_ON:
        note_sync(mine->disk, mine->path, own);
        result = own->pMethods->xSync(own, flags);
        break;
    case IS_HALF_DONE: break;
    case BREAKS: result = error_of(mine->disk, result);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int file_close(sqlite3_file *it) { return real(it)->pMethods->xClose(real(it)); }
static int file_read(sqlite3_file *it, void *bytes, int size, sqlite3_int64 offset) {
    faulty_disk *disk = ((file *)it)->disk;
    pthread_mutex_lock(&lock);
    disk->reads += 1;
    int breaks = disk->fault == FAULTY_DISK_READ_FAILS && disk->reads == disk->at;
    pthread_mutex_unlock(&lock);
    return breaks ? SQLITE_IOERR_READ : real(it)->pMethods->xRead(real(it), bytes, size, offset);
}
static int file_size(sqlite3_file *it, sqlite3_int64 *size) { return real(it)->pMethods->xFileSize(real(it), size); }
static int file_lock(sqlite3_file *it, int level) { return real(it)->pMethods->xLock(real(it), level); }
static int file_unlock(sqlite3_file *it, int level) { return real(it)->pMethods->xUnlock(real(it), level); }
static int file_is_reserved(sqlite3_file *it, int *answer) {
    return real(it)->pMethods->xCheckReservedLock(real(it), answer);
}
static int file_control(sqlite3_file *it, int what, void *argument) {
    /* A size hint would grow the file by an uncounted change; SQLite allows to ignore it. */
    if (what == SQLITE_FCNTL_SIZE_HINT) return SQLITE_OK;
    return real(it)->pMethods->xFileControl(real(it), what, argument);
}
static int file_sector(sqlite3_file *it) { return real(it)->pMethods->xSectorSize(real(it)); }
static int file_device(sqlite3_file *it) { return real(it)->pMethods->xDeviceCharacteristics(real(it)); }
static int file_map(sqlite3_file *it, int page, int size, int extend, void volatile **memory) {
    return real(it)->pMethods->xShmMap(real(it), page, size, extend, memory);
}
static int file_lock_shared(sqlite3_file *it, int offset, int count, int flags) {
    return real(it)->pMethods->xShmLock(real(it), offset, count, flags);
}
static void file_barrier(sqlite3_file *it) { real(it)->pMethods->xShmBarrier(real(it)); }
static int file_unmap(sqlite3_file *it, int removes) {
    return real(it)->pMethods->xShmUnmap(real(it), removes && !is_over(((file *)it)->disk));
}

/* Version 2: without memory maps of the file itself, since their writes would not be counted. */
static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_is_reserved,
    file_control, file_sector, file_device, file_map, file_lock_shared, file_barrier, file_unmap, NULL, NULL};

/* MARK: The file system layer */

static sqlite3_vfs *below(sqlite3_vfs *it) { return it->pAppData; }

static int vfs_open(sqlite3_vfs *it, const char *path, sqlite3_file *opened, int flags, int *granted) {
    pthread_mutex_lock(&lock);
    faulty_disk *disk = disk_of(path);
    pthread_mutex_unlock(&lock);
    opened->pMethods = NULL;
    if (disk == NULL) return below(it)->xOpen(below(it), path, opened, flags, granted);
    file *mine = (file *)opened;
    sqlite3_file *own = real(opened);
    own->pMethods = NULL;
    int result = below(it)->xOpen(below(it), path, own, flags, granted);
    if (own->pMethods == NULL) return result;
    mine->disk = disk;
    mine->path = path;
    opened->pMethods = &methods;
    return result;
}

static int vfs_delete(sqlite3_vfs *it, const char *path, int syncs) {
    pthread_mutex_lock(&lock);
    faulty_disk *disk = disk_of(path);
    int breaks = disk != NULL && next_change(disk, 0) != GOES_ON;
    pthread_mutex_unlock(&lock);
    return breaks ? SQLITE_IOERR_DELETE : below(it)->xDelete(below(it), path, syncs);
}

static int vfs_access(sqlite3_vfs *it, const char *path, int flags, int *answer) {
    return below(it)->xAccess(below(it), path, flags, answer);
}
static int vfs_full_path(sqlite3_vfs *it, const char *path, int size, char *full) {
    return below(it)->xFullPathname(below(it), path, size, full);
}
static int vfs_randomness(sqlite3_vfs *it, int size, char *bytes) {
    return below(it)->xRandomness(below(it), size, bytes);
}
static int vfs_sleep(sqlite3_vfs *it, int time) { return below(it)->xSleep(below(it), time); }
static int vfs_time(sqlite3_vfs *it, double *time) { return below(it)->xCurrentTime(below(it), time); }
static int vfs_last_error(sqlite3_vfs *it, int size, char *text) {
    return below(it)->xGetLastError(below(it), size, text);
}

/* Replaces SQLite's default layer, under its own name. */
static void stand_before(sqlite3_vfs *own, sqlite3_vfs *mine, int is_default) {
    if (own == NULL) return;
    *mine = (sqlite3_vfs){
        .iVersion = 1, .szOsFile = (int)sizeof(file) + own->szOsFile, .mxPathname = own->mxPathname,
        .zName = own->zName, .pAppData = own, .xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access,
        .xFullPathname = vfs_full_path, .xRandomness = vfs_randomness, .xSleep = vfs_sleep, .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error};
    sqlite3_vfs_register(mine, is_default);
}

static void stand_before_all(void) {
    static sqlite3_vfs usual, exclusive;
    sqlite3_vfs *own = sqlite3_vfs_find(NULL), *own_exclusive = sqlite3_vfs_find("unix-excl");
    stand_before(own, &usual, 1);
    stand_before(own_exclusive, &exclusive, 0);
}

/* MARK: Disks */

faulty_disk *faulty_disk_insert(const char *folder, faulty_disk_fault fault, int64_t at, uint64_t seed) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, stand_before_all);
    faulty_disk *disk = calloc(1, sizeof *disk);
    if (disk == NULL) return NULL;
    disk->folder = strdup(folder);
    disk->fault = fault;
    disk->at = at;
    disk->seed = seed;
    pthread_mutex_lock(&lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&lock);
    return disk;
}

int64_t faulty_disk_changes(const faulty_disk *disk) {
    pthread_mutex_lock(&lock);
    int64_t changes = disk->changes;
    pthread_mutex_unlock(&lock);
    return changes;
}

void faulty_disk_remove(faulty_disk *disk) {
    pthread_mutex_lock(&lock);
    for (faulty_disk **each = &disks; *each != NULL; each = &(*each)->next)
        if (*each == disk) {
            *each = disk->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (disk->fault == FAULTY_DISK_POWER_FAILS && is_over(disk)) lose_power(disk);
    for (image *it = disk->images, *next; it != NULL; it = next) {
        next = it->next;
        forget_changes(it);
        free(it->path);
        free(it->synced);
        free(it);
    }
    free(disk->folder);
    free(disk);
}
