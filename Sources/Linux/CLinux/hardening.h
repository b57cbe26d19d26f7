// Restrictions that a process applies to itself before it holds secrets. Swift imports neither prctl, which is variadic,
// nor the seccomp macros. Each function returns 0 or the system's error number.
#ifndef INKLING_HARDENING_H
#define INKLING_HARDENING_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Keeps the kernel from writing a core file of this process.
static inline int inkling_forbid_core_dumps(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) == 0 ? 0 : errno;
}

// Keeps other processes of the same user from tracing this one or reading its memory.
static inline int inkling_forbid_inspection(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

// Keeps programs that this process starts from gaining privileges, whatever the mode bits of their files.
static inline int inkling_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

#if defined(__x86_64__)
#define INKLING_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define INKLING_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

// Makes the system calls that a node never uses fail with EPERM, in all threads: those that start programs, read other
// processes, change the system, or give access to large parts of the kernel. It is a deny list
// rather than an allow list, because the calls of the C library and the Swift runtime change from version to version.
static inline int inkling_forbid_system_calls(void) {
#if defined(INKLING_AUDIT_ARCH)
    static const uint16_t refused[] = {
        // Programs.
        SYS_execve, SYS_execveat,
        // Other processes.
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
#ifdef SYS_pidfd_getfd
        SYS_pidfd_getfd,
#endif
#ifdef SYS_process_madvise
        SYS_process_madvise,
#endif
        // Large parts of the kernel.
        SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
#ifdef SYS_io_uring_setup
        SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
        // The system and its namespaces.
        SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_swapon, SYS_swapoff,
        SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_acct, SYS_quotactl,
        SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_setdomainname, SYS_personality,
        SYS_open_by_handle_at,
#ifdef SYS_move_mount
        SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsmount,
#endif
#if defined(__x86_64__)
        SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_kexec_file_load,
#endif
    };
    enum { count = sizeof refused / sizeof refused[0], head = 6 };
    struct sock_filter filter[head + 2 * count + 1];
    unsigned next = 0;
    filter[next++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    // Other architectures number their system calls differently.
    filter[next++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, INKLING_AUDIT_ARCH, 1, 0);
    filter[next++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[next++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    // On x86 this bit marks x32 calls, which have their own numbers.
    filter[next++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    filter[next++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    for (unsigned place = 0; place < count; place++) {
        filter[next++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[place], 0, 1);
        filter[next++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[next++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = (unsigned short)next, .filter = filter};
    const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    // A positive result is the id of a thread with other filters.
    return result == 0 ? 0 : result > 0 ? EBUSY : errno;
#else
    return ENOSYS;
#endif
}

// Returns the number of bytes that this process may lock; UINT64_MAX without a limit.
static inline uint64_t inkling_locked_memory_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
    return limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_max;
}

// Raises the limit on locked memory as far as allowed. Returns the limit in bytes.
static inline uint64_t inkling_raise_locked_memory(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_MEMLOCK, &limit);
    return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_cur;
}

#endif
