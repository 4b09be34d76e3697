#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <stdint.h>

/* A disk below SQLite that breaks at one of its writes.
 *
 * It wraps SQLite's own file system layer (sqlite3_vfs), and counts each change of a file below its folder: a write, a
 * truncation, a sync, a removal. Other files, and those in folders of other disks, are not affected, so that tests can run in
 * parallel. */

typedef enum {
    /* The change fails, as on a bad sector, and later changes succeed again. */
    FAULTY_DISK_FAILS,
    /* A read fails; `at` is its number among the reads. */
    FAULTY_DISK_READ_FAILS,
    /* The disk is full: from the change on, a change that grows a file and a sync fail. */
    FAULTY_DISK_IS_FULL,
    /* The process ends at the change: a write is half done, and no later change is done. */
    FAULTY_DISK_PROCESS_ENDS,
    /* The power fails at the change: any part of the unsynced changes may be lost. */
    FAULTY_DISK_POWER_FAILS,
} faulty_disk_fault;

typedef struct faulty_disk faulty_disk;

/* Puts a disk below a folder. `at` is the number of the change that breaks, from 1; 0 breaks none. `seed` chooses the
 * changes that a power failure loses. Returns null if the memory is exhausted. */
faulty_disk *faulty_disk_insert(const char *folder, faulty_disk_fault fault, int64_t at, uint64_t seed);

/* The number of changes so far. */
int64_t faulty_disk_changes(const faulty_disk *disk);

/* Removes the disk, once all its files are closed. If its power failed, the files are then in the state after the failure. */
void faulty_disk_remove(faulty_disk *disk);

#endif
