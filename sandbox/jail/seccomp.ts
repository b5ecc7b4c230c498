// The seccomp filter of a jail: the rules of seccomp-policy.ts as a program that bubblewrap gives to the
// kernel. https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html

import {
  errno,
  readonlyRules,
  rootRules,
  rules,
  type Syscall,
  type SyscallRule,
  type When,
  writeRules,
} from "../../shared/seccomp-policy.ts";
import {
  assembled,
  type Instruction,
  ifAnyBit,
  ifAtLeast,
  ifEqual,
  load,
  mask,
  skip,
  verdict,
} from "./bpf.ts";

/**
 * Architectures whose call numbers are known, by Node's name. `audit`: the kernel's AUDIT_ARCH_*,
 * linux/audit.h.
 */
const architectures = {
  x64: { audit: 0xc000003e },
  arm64: { audit: 0xc00000b7 },
} as const;
export type Architecture = keyof typeof architectures;

const allow = verdict(0x7fff0000);
const refuse = (name: keyof typeof errno) => verdict(0x00050000 | errno[name]);

/**
 * Offsets in `struct seccomp_data`. The filter reads only the lower half of an argument, which comes first
 * because both architectures are little-endian.
 */
const at = { number: 0, architecture: 4, argument: (index: number) => 16 + index * 8 };
/** Calls of the x32 ABI have this bit in their number. */
const x32 = 0x40000000;

/** Whether there is a filter for this architecture. */
export function hasSeccompFilter(arch: string): arch is Architecture {
  return arch === "x64" || arch === "arm64";
}

export interface FilterOptions {
  /** true = for a command that may write; false = for a read-only one. */
  writable: boolean;
  /** The server, and with it the command, runs as root. */
  root: boolean;
}

/**
 * The filter for a command. Calls of another architecture (32-bit programs) and of x32 fail with ENOSYS: their numbers
 * for the same calls differ.
 */
export function seccompFilter(arch: Architecture, { writable, root }: FilterOptions): Buffer {
  const wanted = [
    ...rules,
    ...(writable ? writeRules : readonlyRules),
    ...(writable && root ? rootRules : []),
  ];
  return assembled([
    load(at.architecture),
    ifEqual(architectures[arch].audit, 1, 0),
    refuse("ENOSYS"),
    load(at.number),
    ifAtLeast(x32, 0, 1),
    refuse("ENOSYS"),
    ...wanted.flatMap((rule) => ruleOf(rule, arch)),
    allow,
  ]);
}

/** Expects the call's number in the accumulator, and leaves it there unless the rule gave a verdict. */
function ruleOf({ calls, answer, when = [] }: SyscallRule, arch: Architecture): Instruction[] {
  const numbers = Object.values(calls).flatMap((call) => numberOf(call, arch));
  // A condition that does not hold jumps to the last load.
  const body = [refuse(answer), ...(when.length > 0 ? [load(at.number)] : [])];
  for (const condition of [...when].reverse()) body.unshift(...conditionOf(condition, body.length - 1));
  const choice = numbers.map((number, index) => ifEqual(number, numbers.length - index, 0));
  return [...choice, skip(body.length), ...body];
}

function numberOf(call: Syscall, arch: Architecture): number[] {
  const number = call[arch];
  return number === null ? [] : [number];
}

/** Continues if the condition holds, else skips `past` more instructions. */
function conditionOf(condition: When, past: number): Instruction[] {
  const value = load(at.argument(condition.argument));
  if ("anyBit" in condition) return [value, ifAnyBit(condition.anyBit, 0, past)];
  if ("equals" in condition) {
    const { equals } = condition;
    const last = equals.length - 1;
    return [value, ...equals.map((one, index) => ifEqual(one, last - index, index === last ? past : 0))];
  }
  const { bits, otherThan } = condition;
  const count = otherThan.length;
  return [value, mask(bits), ...otherThan.map((one, index) => ifEqual(one, count - 1 - index + past, 0))];
}
