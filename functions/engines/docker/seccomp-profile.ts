// The jail's rules for system calls as a seccomp profile for container engines:
// https://github.com/moby/profiles/blob/main/seccomp/seccomp.go
import { errno, rules, type SyscallRule, type When, writeRules } from "../../../shared/seccomp-policy.ts";

interface Argument {
  index: number;
  value: number;
  valueTwo?: number;
  op: "SCMP_CMP_EQ" | "SCMP_CMP_MASKED_EQ";
}

interface ProfileRule {
  names: string[];
  action: "SCMP_ACT_ERRNO";
  errnoRet: number;
  args?: Argument[];
}

export interface SeccompProfile {
  defaultAction: "SCMP_ACT_ALLOW";
  syscalls: ProfileRule[];
}

/**
 * The calls with which bubblewrap makes a jail. The jail's own filter then refuses them to the programs
 * inside.
 */
const makesJails = ["clone", "unshare", "mount", "umount2", "pivot_root"];
/** The highest socket family and protocol: linux/socket.h, linux/netlink.h. */
const highest = 63;

/** `jails`: commands get their own jails inside the container, whose filters have the other rules. */
export function seccompProfile(jails: boolean): SeccompProfile {
  const wanted = jails ? rules : [...rules, ...writeRules];
  return { defaultAction: "SCMP_ACT_ALLOW", syscalls: wanted.flatMap((rule) => profileRules(rule, jails)) };
}

function profileRules({ calls, answer, when = [] }: SyscallRule, jails: boolean): ProfileRule[] {
  const names = Object.keys(calls).filter((name) => !(jails && makesJails.includes(name)));
  if (names.length === 0) return [];
  const rule = { names, action: "SCMP_ACT_ERRNO", errnoRet: errno[answer] } as const;
  if (when.length === 0) return [rule];
  return allOf(when.map(anyOf)).map((args) => ({ ...rule, args }));
}

/**
 * Conditions of which one must hold. They become separate rules, because engines differ in how they combine
 * two conditions on one argument.
 */
function anyOf(when: When): Argument[] {
  const index = when.argument;
  if ("equals" in when) return when.equals.map((value) => low(index, value));
  if ("anyBit" in when) {
    const bits = Array.from({ length: 32 }, (_, bit) => 2 ** bit).filter((bit) => (when.anyBit & bit) !== 0);
    return bits.map((bit) => ({ index, value: bit, valueTwo: bit, op: "SCMP_CMP_MASKED_EQ" }));
  }
  const small = when.bits >>> 0 <= highest;
  const values = Array.from({ length: small ? when.bits + 1 : highest + 1 }, (_, value) => value);
  const others = values
    .filter((value) => !when.otherThan.includes(value))
    .map((value): Argument => ({ index, value: when.bits >>> 0, valueTwo: value, op: "SCMP_CMP_MASKED_EQ" }));
  return small ? others : [...others, ...above(index)];
}

/** Compares the lower 32 bits, which is how the kernel reads these arguments. */
function low(index: number, value: number): Argument {
  return { index, value: 0xffffffff, valueTwo: value, op: "SCMP_CMP_MASKED_EQ" };
}

/** Matches values above `highest`, which have one of the higher bits set. */
function above(index: number): Argument[] {
  const bits = Array.from({ length: 32 }, (_, bit) => 2 ** bit).filter((bit) => bit > highest);
  return bits.map((bit) => ({ index, value: bit, valueTwo: bit, op: "SCMP_CMP_MASKED_EQ" }));
}

/** Every combination of one condition from each list. */
function allOf(lists: readonly Argument[][]): Argument[][] {
  return lists.reduce<Argument[][]>(
    (ways, list) => ways.flatMap((way) => list.map((argument) => [...way, argument])),
    [[]],
  );
}
