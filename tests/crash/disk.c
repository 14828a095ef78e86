/* Between a process and the disk: counts every call that changes a file or a name under one folder, and at the chosen one
 * kills the process, lets half a write through first, or says that the disk is full. Can write down what was done.
 *
 * Loaded with LD_PRELOAD. It is steered through a small file that the test and the process under test both map (struct
 * state; crash/disk.py has the same picture of it). Only processes of the chosen group are counted, so that readers and
 * other writers can work beside the victim, undisturbed.
 *
 * Why not strace: its injection counts each system call of each process by itself, so "the 57th change of the disk" cannot
 * be said; it is ten times slower; and it needs the right to trace. What this layer could miss (a write that does not go
 * through the C library's functions) is found by the test that replays a whole recording and compares the folders.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { COUNT, KILL, TORN, FULL };

struct state {
    uint32_t group; /* the process group that is counted, named after the victim; 0: nobody */
    uint32_t mode;
    uint64_t stop_at;
    uint64_t steps;
    uint32_t lock_is_made;
    uint32_t padding;
    char under[1024]; /* only names that begin so */
    char log[1024];   /* where to write down what is done; empty: nowhere */
    pthread_mutex_t lock;
};

struct record { /* before each entry of the log; names and data follow */
    uint32_t operation;
    uint32_t name_length;
    uint32_t other_length; /* the second name of a rename, or of a link */
    uint32_t padding;
    uint64_t offset;
    uint64_t length; /* of data, or the size of a truncation */
};

static struct state *state;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DISK_STATE");
    if (!path) return;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (mapped == MAP_FAILED) return;
    state = mapped;
    if (!state->lock_is_made) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST); /* a worker may be killed inside */
        pthread_mutex_init(&state->lock, &attributes);
        state->lock_is_made = 1;
    }
}

/* --- names */

static int is_watched(void) { return state && state->group && state->group == (uint32_t)getpgrp(); }

static int is_counted(const char *name) {
    return is_watched() && strncmp(name, state->under, strlen(state->under)) == 0;
}

static const char *name_of(int descriptor, char *buffer) {
    buffer[0] = 0;
    if (!is_watched()) return buffer; /* spares everybody else the look-up */
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, buffer, PATH_MAX - 1);
    buffer[length < 0 ? 0 : length] = 0;
    return buffer;
}

static const char *absolute(int folder, const char *path, char *buffer) {
    if (path[0] == '/' || !is_watched()) return path;
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return path;
    } else {
        name_of(folder, base);
    }
    if (snprintf(buffer, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) abort();
    return buffer;
}

/* --- steps */

static void die(void) {
    kill((pid_t)state->group, SIGKILL);
    if ((uint32_t)getpid() == state->group) pause();
}

/* Begin a step, with the lock held until `end`. Returns the mode when this is the chosen step, or, for FULL, one after it. */
static enum mode step(void) {
    if (pthread_mutex_lock(&state->lock) == EOWNERDEAD) pthread_mutex_consistent(&state->lock);
    uint64_t number = ++state->steps;
    if (state->mode == KILL && number == state->stop_at) die();
    if (state->mode == TORN && number == state->stop_at) return TORN;
    if (state->mode == FULL && number >= state->stop_at) return FULL;
    return COUNT;
}

static void end(enum mode mode) {
    if (mode == TORN) die();
    pthread_mutex_unlock(&state->lock);
}

static void note(char operation, const char *name, const char *other, uint64_t offset, uint64_t length, const void *data) {
    if (!state->log[0]) return;
    int file = syscall(SYS_openat, AT_FDCWD, state->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    struct record record = {operation, strlen(name), other ? strlen(other) : 0, 0, offset, length};
    struct iovec parts[4] = {{&record, sizeof record}, {(void *)name, record.name_length},
                             {(void *)(other ? other : ""), record.other_length}, {(void *)data, data ? length : 0}};
    if (syscall(SYS_writev, file, parts, 4) < 0) abort();
    syscall(SYS_close, file);
}

static int refuse(void) {
    errno = ENOSPC;
    return -1;
}

/* --- files that come to be */

static int opened(int folder, const char *path, int flags, mode_t permissions) {
    char buffer[PATH_MAX];
    const char *name = absolute(folder, path, buffer);
    if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE || !is_counted(name))
        return syscall(SYS_openat, folder, path, flags, permissions);
    struct stat before;
    int was_there = stat(name, &before) == 0;
    if (was_there && !(flags & O_TRUNC)) return syscall(SYS_openat, folder, path, flags, permissions);
    enum mode mode = step();
    int file = mode == FULL && !was_there ? refuse() : (int)syscall(SYS_openat, folder, path, flags, permissions);
    int error = errno;
    if (file >= 0) note(was_there ? 't' : 'c', name, NULL, 0, 0, NULL);
    end(mode);
    errno = error;
    return file;
}

#define PERMISSIONS(flags)                                              \
    mode_t permissions = 0;                                             \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                              \
        va_list rest;                                                   \
        va_start(rest, flags);                                          \
        permissions = va_arg(rest, mode_t);                             \
        va_end(rest);                                                   \
    }

int open(const char *path, int flags, ...) {
    PERMISSIONS(flags)
    return opened(AT_FDCWD, path, flags, permissions);
}
int open64(const char *path, int flags, ...) {
    PERMISSIONS(flags)
    return opened(AT_FDCWD, path, flags, permissions);
}
int openat(int folder, const char *path, int flags, ...) {
    PERMISSIONS(flags)
    return opened(folder, path, flags, permissions);
}
int openat64(int folder, const char *path, int flags, ...) {
    PERMISSIONS(flags)
    return opened(folder, path, flags, permissions);
}
int creat(const char *path, mode_t permissions) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, permissions); }
int creat64(const char *path, mode_t permissions) { return creat(path, permissions); }

/* --- what is written */

static ssize_t written(int file, const void *data, size_t length, off_t offset, int at_offset) {
    char buffer[PATH_MAX];
    if (!length || !is_counted(name_of(file, buffer)))
        return at_offset ? syscall(SYS_pwrite64, file, data, length, offset) : syscall(SYS_write, file, data, length);
    if (!at_offset) {
        struct stat now;
        offset = fcntl(file, F_GETFL) & O_APPEND && fstat(file, &now) == 0 ? now.st_size : lseek(file, 0, SEEK_CUR);
    }
    enum mode mode = step();
    if (mode == TORN || (mode == FULL && state->steps == state->stop_at)) length = length > 1 ? length / 2 : 1;
    ssize_t done = mode == FULL && state->steps > state->stop_at ? refuse()
                   : at_offset                                   ? syscall(SYS_pwrite64, file, data, length, offset)
                                                                 : syscall(SYS_write, file, data, length);
    int error = errno;
    if (done > 0) note('w', buffer, NULL, offset, done, data);
    end(mode);
    errno = error;
    return done;
}

ssize_t write(int file, const void *data, size_t length) { return written(file, data, length, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t length, off_t offset) { return written(file, data, length, offset, 1); }
ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
    return written(file, data, length, offset, 1);
}

/* One write for each part: a reader of the result cannot tell. */
ssize_t writev(int file, const struct iovec *parts, int count) {
    char buffer[PATH_MAX];
    if (!is_counted(name_of(file, buffer))) return syscall(SYS_writev, file, parts, count);
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t done = written(file, parts[i].iov_base, parts[i].iov_len, 0, 0);
        if (done < 0) return total ? total : done;
        total += done;
        if ((size_t)done < parts[i].iov_len) break;
    }
    return total;
}

static int cut(int file, off_t size) {
    char buffer[PATH_MAX];
    if (!is_counted(name_of(file, buffer))) return syscall(SYS_ftruncate, file, size);
    struct stat before;
    enum mode mode = step();
    int grows = fstat(file, &before) == 0 && size > before.st_size;
    int done = mode == FULL && grows ? refuse() : (int)syscall(SYS_ftruncate, file, size);
    int error = errno;
    if (done == 0) note('s', buffer, NULL, 0, size, NULL);
    end(mode);
    errno = error;
    return done;
}

int ftruncate(int file, off_t size) { return cut(file, size); }
int ftruncate64(int file, off64_t size) { return cut(file, size); }

/* Room is made by writing zeros, as the C library does where the file system cannot: one kind of change less to replay. */
int posix_fallocate(int file, off_t offset, off_t length) {
    struct stat now;
    if (fstat(file, &now)) return errno;
    return offset + length > now.st_size && cut(file, offset + length) ? errno : 0;
}
int posix_fallocate64(int file, off64_t offset, off64_t length) { return posix_fallocate(file, offset, length); }
int fallocate(int file, int mode, off_t offset, off_t length) {
    (void)file, (void)mode, (void)offset, (void)length;
    errno = EOPNOTSUPP;
    return -1;
}
int fallocate64(int file, int mode, off64_t offset, off64_t length) { return fallocate(file, mode, offset, length); }

static int synced(int file, long call) {
    char buffer[PATH_MAX];
    if (!is_counted(name_of(file, buffer))) return syscall(call, file);
    enum mode mode = step();
    note('f', buffer, NULL, 0, 0, NULL); /* what a disk does with it is the replay's to decide; here it only takes time */
    end(mode);
    return 0;
}

int fsync(int file) { return synced(file, SYS_fsync); }
int fdatasync(int file) { return synced(file, SYS_fdatasync); }

/* --- names that change */

static int renamed(int from, const char *old, int to, const char *path, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *before = absolute(from, old, first), *after = absolute(to, path, second);
    if (!is_counted(before) && !is_counted(after)) return syscall(SYS_renameat2, from, old, to, path, flags);
    enum mode mode = step();
    int done = syscall(SYS_renameat2, from, old, to, path, flags);
    int error = errno;
    if (done == 0) note('r', before, after, 0, 0, NULL);
    end(mode);
    errno = error;
    return done;
}

int rename(const char *old, const char *path) { return renamed(AT_FDCWD, old, AT_FDCWD, path, 0); }
int renameat(int from, const char *old, int to, const char *path) { return renamed(from, old, to, path, 0); }
int renameat2(int from, const char *old, int to, const char *path, unsigned flags) {
    return renamed(from, old, to, path, flags);
}

/* A second name for a file. A link to what is no file of ours has no content that we know of: none is made so. */
static int linked(int from, const char *old, int to, const char *path, int flags) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *before = absolute(from, old, first), *after = absolute(to, path, second);
    struct stat there;
    if (lstat(after, &there) == 0 || !is_counted(after)) return syscall(SYS_linkat, from, old, to, path, flags);
    enum mode mode = step();
    int done = mode == FULL ? refuse() : (int)syscall(SYS_linkat, from, old, to, path, flags);
    int error = errno;
    if (done == 0) note('l', before, after, 0, 0, NULL);
    end(mode);
    errno = error;
    return done;
}

int link(const char *old, const char *path) { return linked(AT_FDCWD, old, AT_FDCWD, path, 0); }
int linkat(int from, const char *old, int to, const char *path, int flags) { return linked(from, old, to, path, flags); }

static int changed(char operation, int folder, const char *path, int argument) {
    char buffer[PATH_MAX];
    const char *name = absolute(folder, path, buffer);
    long call = operation == 'm' ? SYS_mkdirat : SYS_unlinkat;
    struct stat there;
    int will_fail = (operation == 'm') == (lstat(name, &there) == 0); /* no step: nothing changes */
    if (will_fail || !is_counted(name)) return syscall(call, folder, path, argument);
    enum mode mode = step();
    int done = mode == FULL && operation == 'm' ? refuse() : (int)syscall(call, folder, path, argument);
    int error = errno;
    if (done == 0) note(operation, name, NULL, 0, 0, NULL);
    end(mode);
    errno = error;
    return done;
}

int mkdir(const char *path, mode_t permissions) { return changed('m', AT_FDCWD, path, permissions); }
int mkdirat(int folder, const char *path, mode_t permissions) { return changed('m', folder, path, permissions); }
int unlink(const char *path) { return changed('u', AT_FDCWD, path, 0); }
int rmdir(const char *path) { return changed('d', AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int folder, const char *path, int flags) {
    return changed(flags & AT_REMOVEDIR ? 'd' : 'u', folder, path, flags);
}
