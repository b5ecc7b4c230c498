// The system calls that the kernel refuses to a command in the jail, as data, and why. All others are allowed: the
// namespaces are the wall, and this closes what they leave open and where kernels had holes. Follows the default
// profiles of Flatpak, Docker and systemd. Knows no BPF: see sandbox/jail/seccomp.ts.

/** Numbers of one call on x86-64 and on arm64; null = there is none. Source: the kernel's syscall_64.tbl and unistd.h. */
export interface Syscall {
  x64: number;
  arm64: number | null;
}

/** https://man7.org/linux/man-pages/man3/errno.3.html, by the numbers of Linux. */
export const errno = {
  EPERM: 1,
  EACCES: 13,
  ENOSYS: 38,
  EPROTONOSUPPORT: 93,
  ESOCKTNOSUPPORT: 94,
  EAFNOSUPPORT: 97,
} as const;
type Errno = keyof typeof errno;

/** Which arguments a call is refused with. The kernel reads these as 32 bits, so the upper half is not looked at. */
export type When =
  | { argument: number; equals: readonly number[] }
  | { argument: number; anyBit: number }
  | { argument: number; bits: number; otherThan: readonly number[] };

export interface SyscallRule {
  /** Names are for people who read this, and for the tests. */
  calls: Readonly<Record<string, Syscall>>;
  answer: Errno;
  /** All of these; without it, always. */
  when?: readonly When[];
}

const call = (x64: number, arm64: number | null = x64): Syscall => ({ x64, arm64 });

const clone = { clone: call(56, 220) };
const socket = { socket: call(41, 198) };
const socketpair = { socketpair: call(53, 199) };
const newUser = 0x10000000;
const family = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
const type = { bits: 0xf, stream: 1, seqpacket: 5 };
const netlinkRoute = 0;

export const rules: readonly SyscallRule[] = [
  // Work that the kernel does by itself, past every filter; the source of many holes. libuv and others fall back.
  {
    answer: "ENOSYS",
    calls: { io_uring_setup: call(425), io_uring_enter: call(426), io_uring_register: call(427) },
  },
  // Its flags are in memory, which a filter cannot read: C libraries use `clone` instead, and the filter sees its flags.
  { answer: "ENOSYS", calls: { clone3: call(435) } },
  // A user namespace gives all capabilities over itself, and with them most of the kernel's attack surface.
  { answer: "EPERM", calls: { ...clone, unshare: call(272, 97) }, when: [{ argument: 0, anyBit: newUser }] },
  { answer: "EPERM", calls: { setns: call(308, 268) } },
  // Programs in the kernel, faults handled by the program (the usual tool of exploits), counters that see other programs.
  {
    answer: "EPERM",
    calls: { bpf: call(321, 280), userfaultfd: call(323, 282), perf_event_open: call(298, 241) },
  },
  // Keyrings belong to a user and not to a namespace: those of the person who started the server are in reach.
  {
    answer: "EPERM",
    calls: { add_key: call(248, 217), request_key: call(249, 218), keyctl: call(250, 219) },
  },
  // A mount could uncover what the jail has covered.
  {
    answer: "EPERM",
    calls: {
      ...{ mount: call(165, 40), umount2: call(166, 39), pivot_root: call(155, 41) },
      ...{ open_tree: call(428), move_mount: call(429), fsopen: call(430), fsconfig: call(431) },
      ...{ fsmount: call(432), fspick: call(433), mount_setattr: call(442), open_tree_attr: call(467) },
    },
  },
  // Opening files by handle instead of by path reaches beyond the mounts: the way out of old containers.
  { answer: "EPERM", calls: { open_by_handle_at: call(304, 265) } },
  // The machine itself. Most of these need capabilities that a command does not have: a second lock.
  {
    answer: "EPERM",
    calls: {
      ...{ kexec_load: call(246, 104), kexec_file_load: call(320, 294), reboot: call(169, 142) },
      ...{ init_module: call(175, 105), finit_module: call(313, 273), delete_module: call(176, 106) },
      ...{ swapon: call(167, 224), swapoff: call(168, 225), acct: call(163, 89), syslog: call(103, 116) },
      ...{ quotactl: call(179, 60), quotactl_fd: call(443), iopl: call(172, null), ioperm: call(173, null) },
      ...{ modify_ldt: call(154, null), uselib: call(134, null), lookup_dcookie: call(212, 18) },
      ...{ settimeofday: call(164, 170), clock_settime: call(227, 112), vhangup: call(153, 58) },
    },
  },
  // TIOCSTI and TIOCLINUX type into the terminal that a program was started from; CVE-2017-5226.
  { answer: "EPERM", calls: { ioctl: call(16, 29) }, when: [{ argument: 1, equals: [0x5412, 0x541c] }] },
  // Process 1 of a jail is bubblewrap's. Debuggers and LeakSanitizer continue to attach to processes of the command.
  {
    answer: "EPERM",
    calls: { ptrace: call(101, 117) },
    when: [
      { argument: 0, equals: [16, 0x4206] },
      { argument: 1, equals: [1] },
    ],
  },
  {
    answer: "EPERM",
    calls: { process_vm_readv: call(310, 270), process_vm_writev: call(311, 271), pidfd_open: call(434) },
    when: [{ argument: 0, equals: [1] }],
  },
  // Families of sockets that no build or test speaks: VSOCK reaches the machine around a virtual one whatever the
  // network namespace, ALG, BLUETOOTH, PACKET, KEY, TIPC, RDS and XDP are where kernels had holes.
  {
    answer: "EAFNOSUPPORT",
    calls: socket,
    when: [
      { argument: 0, bits: 0xffffffff, otherThan: [family.unix, family.inet, family.inet6, family.netlink] },
    ],
  },
  // getifaddrs() of every C library asks the routing part; netfilter, audit and the others are for administrators.
  {
    answer: "EPROTONOSUPPORT",
    calls: socket,
    when: [
      { argument: 0, equals: [family.netlink] },
      { argument: 2, bits: 0xffffffff, otherThan: [netlinkRoute] },
    ],
  },
];

const setUser = 0o4000;
const setGroup = 0o2000;
/** O_CREAT, and the bit that only O_TMPFILE has: without one of them the mode argument is not used and may hold anything. */
const creates = 0o100 | 0o20000000;

/** A file that is to run as its owner, or as its group, stays so on the machine, where others can start it. */
function setBits(anyBit: number): SyscallRule[] {
  const mode = (argument: number): When => ({ argument, anyBit });
  const flags = (argument: number): When => ({ argument, anyBit: creates });
  return [
    {
      answer: "EPERM",
      calls: { chmod: call(90, null), fchmod: call(91, 52), creat: call(85, null) },
      when: [mode(1)],
    },
    { answer: "EPERM", calls: { mknod: call(133, null) }, when: [mode(1)] },
    {
      answer: "EPERM",
      calls: { fchmodat: call(268, 53), fchmodat2: call(452), mknodat: call(259, 33) },
      when: [mode(2)],
    },
    { answer: "EPERM", calls: { open: call(2, null) }, when: [flags(1), mode(2)] },
    { answer: "EPERM", calls: { openat: call(257, 56) }, when: [flags(2), mode(3)] },
  ];
}

/** For a command that may write. A filter cannot read the mode of `openat2`; programs that lack it use `openat`. */
export const writeRules: readonly SyscallRule[] = [
  { answer: "ENOSYS", calls: { openat2: call(437) } },
  ...setBits(setUser),
];

/**
 * More, where the server runs as root: the group of its files is root's as well. Elsewhere folders that pass their group
 * on, which have the same bit, are usual in what people share.
 */
export const rootRules: readonly SyscallRule[] = setBits(setGroup);

/**
 * More, for a command that may only read: no socket that could be connected to one of the machine, for permission to
 * write is no part of that. Connected pairs stay, which Node talks to its child processes through; but not those of
 * datagrams, which can be connected again or sent to any address.
 */
export const readonlyRules: readonly SyscallRule[] = [
  { answer: "EACCES", calls: socket, when: [{ argument: 0, equals: [family.unix] }] },
  {
    answer: "ESOCKTNOSUPPORT",
    calls: socketpair,
    when: [{ argument: 1, bits: type.bits, otherThan: [type.stream, type.seqpacket] }],
  },
];
