// The seccomp filter as a program, run by a small interpreter for classic BPF. This also tests other
// architectures.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Architecture, seccompFilter } from "../../sandbox/jail/seccomp.ts";
import {
  errno,
  readonlyRules,
  rootRules,
  rules,
  type SyscallRule,
  type When,
  writeRules,
} from "../../shared/seccomp-policy.ts";

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };
const allowed = 0x7fff0000;
const refused = (answer: SyscallRule["answer"]) => 0x00050000 | errno[answer];

/**
 * The program's verdict on a call, as the kernel would run it. The kernel's own checks of programs are
 * repeated here.
 */
function verdictOf(program: Buffer, arch: number, number: number, args: readonly bigint[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, value] of args.entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + index * 8);
  let a = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)];
    const jump = (truth: boolean) => program.readUInt8(at * 8 + (truth ? 2 : 3));
    if (code === 0x20) a = data.readUInt32LE(value);
    else if (code === 0x54) a = (a & value) >>> 0;
    else if (code === 0x05) at += value;
    else if (code === 0x15) at += jump(a === value);
    else if (code === 0x35) at += jump(a >= value);
    else if (code === 0x45) at += jump((a & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error("it ran past its end");
}

/** The policy's answer, read directly from its data. */
function expectedOf(
  arch: Architecture,
  wanted: readonly SyscallRule[],
  number: number,
  args: readonly bigint[],
): number {
  const low = (index: number) => Number(BigInt.asUintN(32, args[index] ?? 0n));
  const holds = (when: When) => {
    const value = low(when.argument);
    if ("anyBit" in when) return (value & when.anyBit) !== 0;
    if ("equals" in when) return when.equals.includes(value);
    return !when.otherThan.includes((value & when.bits) >>> 0);
  };
  const rule = wanted.find(
    ({ calls, when = [] }) => Object.values(calls).some((call) => call[arch] === number) && when.every(holds),
  );
  return rule ? refused(rule.answer) : allowed;
}

const interesting = [
  0n,
  1n,
  2n,
  3n,
  5n,
  10n,
  16n,
  17n,
  38n,
  40n,
  0x4206n,
  0x5412n,
  0x541cn,
  0x10000000n,
  0x80002n,
  // Modes with and without set-id bits; flags that create a file and flags that do not.
  ...[0o755n, 0o4755n, 0o2755n, 0o6755n, 0o40n, 0o100n, 0o101n, 0o20000000n, 0o20200002n],
];

/** Numbers of the kernel's tables, written down once more: a call that the policy forgets is missed here. */
const numbers: Record<string, { x64: number; arm64: number | null }> = {
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  clone3: { x64: 435, arm64: 435 },
  setns: { x64: 308, arm64: 268 },
  bpf: { x64: 321, arm64: 280 },
  userfaultfd: { x64: 323, arm64: 282 },
  perf_event_open: { x64: 298, arm64: 241 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  open_tree_attr: { x64: 467, arm64: 467 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  acct: { x64: 163, arm64: 89 },
  syslog: { x64: 103, arm64: 116 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  iopl: { x64: 172, arm64: null },
  ioperm: { x64: 173, arm64: null },
  modify_ldt: { x64: 154, arm64: null },
  uselib: { x64: 134, arm64: null },
  lookup_dcookie: { x64: 212, arm64: 18 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  vhangup: { x64: 153, arm64: 58 },
};
const refusedCalls = Object.keys(numbers);

describe.each([
  ["x64", true, false],
  ["x64", true, true],
  ["x64", false, true],
  ["arm64", true, false],
  ["arm64", true, true],
  ["arm64", false, true],
] as const)("for %s, writable %s, as root %s", (arch, writable, root) => {
  const program = seccompFilter(arch, { writable, root });
  const wanted = [
    ...rules,
    ...(writable ? writeRules : readonlyRules),
    ...(writable && root ? rootRules : []),
  ];

  test("it decides every call by the policy, whatever the upper halves of its arguments are", () => {
    const argument = fc
      .tuple(
        fc.oneof(fc.constantFrom(...interesting), fc.bigInt(0n, 0xffffffffn)),
        fc.bigInt(0n, 0xffffffffn),
      )
      .map(([lower, upper]) => (upper << 32n) | lower);
    const numbers = wanted.flatMap(({ calls }) => Object.values(calls).map((call) => call[arch] ?? 0));
    const number = fc.oneof(fc.constantFrom(...numbers), fc.integer({ min: 0, max: 600 }));
    fc.assert(
      fc.property(number, fc.array(argument, { minLength: 6, maxLength: 6 }), (call, args) => {
        expect(verdictOf(program, audit[arch], call, args)).toBe(expectedOf(arch, wanted, call, args));
      }),
      { numRuns: 5_000 },
    );
  });

  test("it decides by the policy for every syscall number", () => {
    for (let number = 0; number < 1_000; number++)
      expect(verdictOf(program, audit[arch], number)).toBe(expectedOf(arch, wanted, number, []));
  });

  test("calls of another architecture and of x32 are refused, whatever their number", () => {
    for (const other of [0x40000003, 0x40000028, audit[arch === "x64" ? "arm64" : "x64"]])
      for (let number = 0; number < 600; number++)
        expect(verdictOf(program, other, number)).toBe(refused("ENOSYS"));
    for (const number of [0x40000000, 0x40000000 + 101, 0x7fffffff, 0xffffffff])
      expect(verdictOf(program, audit[arch], number)).toBe(refused("ENOSYS"));
  });

  test.each(refusedCalls)("it refuses %s, whatever the arguments", (name) => {
    const number = numbers[name]?.[arch];
    if (number === undefined) throw new Error(`no number of ${name}`);
    if (number === null) return;
    for (const args of [[], [1n, 1n, 1n], [0xffffffffn, 0xffffffffn, 0xffffffffn]])
      expect(verdictOf(program, audit[arch], number, args)).not.toBe(allowed);
  });

  test("the kernel accepts its size", () => {
    // BPF_MAXINSNS, linux/bpf_common.h.
    expect(program.length % 8).toBe(0);
    expect(program.length / 8).toBeLessThan(4_096);
  });
});
