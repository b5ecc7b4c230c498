// The system calls that the kernel denies to a jailed command, as data, with the reasons. All others are allowed: the
// namespaces are the main protection, and this list closes what they leave open and where kernels had vulnerabilities.
// It follows the default profiles of Flatpak, Docker and systemd. The BPF program is built in sandbox/jail/seccomp.ts.

/**
 * The numbers of one system call on x86-64 and on arm64; null = it does not exist there. Source: the kernel's
 * syscall_64.tbl and unistd.h.
 */
export interface Syscall {
  x64: number;
  arm64: number | null;
}

/** https://man7.org/linux/man-pages/man3/errno.3.html, with Linux's numbers. */
export const errno = {
  EPERM: 1,
  EACCES: 13,
  ENOSYS: 38,
  EPROTONOSUPPORT: 93,
  ESOCKTNOSUPPORT: 94,
  EAFNOSUPPORT: 97,
} as const;
type Errno = keyof typeof errno;

/** The arguments with which a call is denied. The kernel reads these as 32 bits, so the upper half is not compared. */
export type When =
  | { argument: number; equals: readonly number[] }
  | { argument: number; anyBit: number }
  | { argument: number; bits: number; otherThan: readonly number[] };

export interface SyscallRule {
  /** The names are for readers and for the tests. */
  calls: Readonly<Record<string, Syscall>>;
  answer: Errno;
  /** All of these must hold; without it, the call is always denied. */
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
  // The kernel carries out io_uring requests without consulting the filter, and io_uring had many vulnerabilities.
  // libuv and others work without it.
  {
    answer: "ENOSYS",
    calls: { io_uring_setup: call(425), io_uring_enter: call(426), io_uring_register: call(427) },
  },
  // Its flags are in memory, which a filter cannot read. C libraries fall back to `clone`, whose flags the filter sees.
  { answer: "ENOSYS", calls: { clone3: call(435) } },
  // A user namespace gives a process all capabilities inside it, and with them access to most of the kernel's attack
  // surface.
  { answer: "EPERM", calls: { ...clone, unshare: call(272, 97) }, when: [{ argument: 0, anyBit: newUser }] },
  { answer: "EPERM", calls: { setns: call(308, 268) } },
  // BPF programs in the kernel, page faults handled by a program (common in exploits), and performance counters that
  // can observe other programs.
  {
    answer: "EPERM",
    calls: { bpf: call(321, 280), userfaultfd: call(323, 282), perf_event_open: call(298, 241) },
  },
  // Keyrings belong to a user, not to a namespace, so those of the person who started the server would be accessible.
  {
    answer: "EPERM",
    calls: { add_key: call(248, 217), request_key: call(249, 218), keyctl: call(250, 219) },
  },
  // A mount could uncover files that the jail has covered.
  {
    answer: "EPERM",
    calls: {
      ...{ mount: call(165, 40), umount2: call(166, 39), pivot_root: call(155, 41) },
      ...{ open_tree: call(428), move_mount: call(429), fsopen: call(430), fsconfig: call(431) },
      ...{ fsmount: call(432), fspick: call(433), mount_setattr: call(442), open_tree_attr: call(467) },
    },
  },
  // Opening files by handle instead of by path reaches beyond the mounts; old containers were escaped this way.
  { answer: "EPERM", calls: { open_by_handle_at: call(304, 265) } },
  // Calls that change the machine itself. Most of them need capabilities that a command lacks, so this is a second line
  // of defence.
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
  // TIOCSTI and TIOCLINUX insert input into the terminal from which a program was started; CVE-2017-5226.
  { answer: "EPERM", calls: { ioctl: call(16, 29) }, when: [{ argument: 1, equals: [0x5412, 0x541c] }] },
  // No access to the memory of process 1 of the jail, which is bubblewrap's. Debuggers and LeakSanitizer can still
  // attach to the command's own processes.
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
  // Socket families that no build or test uses. VSOCK reaches the host of a virtual machine despite the network
  // namespace; ALG, BLUETOOTH, PACKET, KEY, TIPC, RDS and XDP had vulnerabilities in the kernel.
  {
    answer: "EAFNOSUPPORT",
    calls: socket,
    when: [
      { argument: 0, bits: 0xffffffff, otherThan: [family.unix, family.inet, family.inet6, family.netlink] },
    ],
  },
  // getifaddrs() of every C library needs the routing family; netfilter, audit and the others are for administrators.
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
/** O_CREAT, and the bit that only O_TMPFILE has. Without either, the mode argument is unused and may have any value. */
const creates = 0o100 | 0o20000000;

/** A setuid or setgid file keeps that bit outside the jail, where other users can run it. */
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

/**
 * For a command that may write. A filter cannot read the mode of `openat2`; programs fall back to `openat` without it.
 */
export const writeRules: readonly SyscallRule[] = [
  { answer: "ENOSYS", calls: { openat2: call(437) } },
  ...setBits(setUser),
];

/**
 * Added if the server runs as root, because then the group of its files is root's. For other users, setgid is allowed:
 * folders that pass on their group have the same bit, and shared folders commonly do.
 */
export const rootRules: readonly SyscallRule[] = setBits(setGroup);

/**
 * Added for a command that may only read: no sockets that could connect to one of the machine, because permission to
 * write there is not checked. Connected pairs stay allowed, because Node uses them to talk to child processes; pairs of
 * datagram sockets do not, because they can be reconnected or can send to any address.
 */
export const readonlyRules: readonly SyscallRule[] = [
  { answer: "EACCES", calls: socket, when: [{ argument: 0, equals: [family.unix] }] },
  {
    answer: "ESOCKTNOSUPPORT",
    calls: socketpair,
    when: [{ argument: 1, bits: type.bits, otherThan: [type.stream, type.seqpacket] }],
  },
];
