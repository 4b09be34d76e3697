// What the thread sanitizer must know of the Mutex of Swift's Synchronization on Linux, as a library to preload (scripts/sanitize).
//
// The fast path of a Mutex is compiled into its caller, so the sanitizer sees its atomic operations. The slow path, which a thread
// takes when another one has the lock, is in Swift's library, which is not instrumented: the sanitizer would report each access
// behind it as a race. These functions take the place of the slow path, call it, and tell the sanitizer what it has done.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Weak: processes without the sanitizer, which the tests start, load this library too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, self);
    __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool is_locked = ((SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK))(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock_slow(SELF) {
    __tsan_release(self);
    ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(self);
}
