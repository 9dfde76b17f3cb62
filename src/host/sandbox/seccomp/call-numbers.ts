/** Numbers of the system calls in the filter, from the kernel's unistd.h; null where a call does not exist. */
export interface CallNumbers {
  readonly x64: number | null;
  readonly arm64: number | null;
}

const both = (x64: number | null, arm64: number | null): CallNumbers => ({ x64, arm64 });
/** Newer calls have the same number on all architectures. */
const same = (number: number): CallNumbers => ({ x64: number, arm64: number });

/** Calls that no honest build, test or agent needs and that attacks start with. */
export const DENIED_CALLS = {
  // Access to the memory and descriptors of other processes.
  ptrace: both(101, 117),
  process_vm_readv: both(310, 270),
  process_vm_writev: both(311, 271),
  kcmp: both(312, 272),
  pidfd_getfd: same(438),
  // The keyring belongs to the user, not to a namespace.
  add_key: both(248, 217),
  request_key: both(249, 218),
  keyctl: both(250, 219),
  // Parts of the kernel with many past vulnerabilities.
  bpf: both(321, 280),
  userfaultfd: both(323, 282),
  perf_event_open: both(298, 241),
  fanotify_init: both(300, 262),
  lookup_dcookie: both(212, 18),
  // Mounts: the sandbox alone decides what is visible.
  mount: both(165, 40),
  umount2: both(166, 39),
  pivot_root: both(155, 41),
  chroot: both(161, 51),
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  open_by_handle_at: both(304, 265),
  setns: both(308, 268),
  swapon: both(167, 224),
  swapoff: both(168, 225),
  quotactl: both(179, 60),
  quotactl_fd: same(443),
  acct: both(163, 89),
  // Control of the whole machine.
  init_module: both(175, 105),
  finit_module: both(313, 273),
  delete_module: both(176, 106),
  kexec_load: both(246, 104),
  kexec_file_load: both(320, 294),
  reboot: both(169, 142),
  syslog: both(103, 116),
  settimeofday: both(164, 170),
  clock_settime: both(227, 112),
  clock_adjtime: both(305, 266),
  sethostname: both(170, 161),
  setdomainname: both(171, 162),
  vhangup: both(153, 58),
  iopl: both(172, null),
  ioperm: both(173, null),
  modify_ldt: both(154, null),
} as const satisfies { readonly [name: string]: CallNumbers };

/** Answered with ENOSYS, as by an older kernel: callers then fall back to another call. */
export const ABSENT_CALLS = {
  /** Its flags are in memory, which a filter cannot read. Libraries fall back to `clone`. */
  clone3: same(435),
  /** The mode of a new file is in memory too. Libraries fall back to `openat`. */
  openat2: same(437),
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
} as const satisfies { readonly [name: string]: CallNumbers };

/** Calls that set a file's mode, with the index of their mode argument. */
export const MODE_CALLS = {
  chmod: { ...both(90, null), mode: 1 },
  fchmod: { ...both(91, 52), mode: 1 },
  fchmodat: { ...both(268, 53), mode: 2 },
  fchmodat2: { ...same(452), mode: 2 },
  creat: { ...both(85, null), mode: 1 },
  mknod: { ...both(133, null), mode: 1 },
  mknodat: { ...both(259, 33), mode: 2 },
  // Without a flag that creates a file, the mode argument is undefined and must be ignored.
  open: { ...both(2, null), flags: 1, mode: 2 },
  openat: { ...both(257, 56), flags: 2, mode: 3 },
} as const satisfies { readonly [name: string]: ModeCall };

export interface ModeCall extends CallNumbers {
  readonly flags?: number;
  readonly mode: number;
}

/** Judged by other arguments. */
export const JUDGED_CALLS = {
  clone: both(56, 220),
  unshare: both(272, 97),
  ioctl: both(16, 29),
  personality: both(135, 92),
  socket: both(41, 198),
} as const satisfies { readonly [name: string]: CallNumbers };
