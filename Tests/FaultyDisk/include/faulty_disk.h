#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <stdint.h>

/* A disk below SQLite that breaks at one of its writes.
 *
 * It lies over SQLite's own way to files (sqlite3_vfs), and each change of a file below its folder is counted: a write, a
 * truncation, a sync, a removal. Files elsewhere, and in folders of other disks, are as ever, so that tests can run side by
 * side. */

typedef enum {
    /* The change fails, as on a bad sector, and what comes after works again. */
    FAULTY_DISK_FAILS,
    /* From the change on, nothing that grows a file or is synced succeeds: the disk is full. */
    FAULTY_DISK_IS_FULL,
    /* The process ends at the change: half of it is done where it is a write, and nothing after it. */
    FAULTY_DISK_PROCESS_ENDS,
    /* The power fails at the change: of what was not synced any part may be lost. */
    FAULTY_DISK_POWER_FAILS,
} faulty_disk_fault;

typedef struct faulty_disk faulty_disk;

/* Puts a disk below a folder. `at` is the number of the change that breaks, from 1; 0 breaks none. `seed` chooses what a power
 * failure loses. Null where there is no memory. */
faulty_disk *faulty_disk_insert(const char *folder, faulty_disk_fault fault, int64_t at, uint64_t seed);

/* How many changes were asked of it. */
int64_t faulty_disk_changes(const faulty_disk *disk);

/* Takes the disk away, once every file of it is closed: where its power failed, files are then as they are found after it. */
void faulty_disk_remove(faulty_disk *disk);

#endif
