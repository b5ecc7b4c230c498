// A small assembler for classic BPF, the language of seccomp filters, with only the instructions that our
// filter needs. Format and opcodes: Linux UAPI, linux/filter.h and linux/bpf_common.h. It knows no system
// calls; see seccomp.ts.

/** One `struct sock_filter`. A jump counts the instructions that it skips from the next one, at most 255. */
export interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  value: number;
}

const plain = (code: number, value: number): Instruction => ({ code, ifTrue: 0, ifFalse: 0, value });
const jump = (code: number) => (value: number, ifTrue: number, ifFalse: number) => {
  if (ifTrue > 255 || ifFalse > 255) throw new RangeError("a jump of classic BPF skips at most 255");
  return { code, ifTrue, ifFalse, value };
};

/** Loads the 32 bits at an offset of `struct seccomp_data` into the accumulator. */
export const load = (offset: number): Instruction => plain(0x20, offset);
/** Keeps only these bits of the accumulator. */
export const mask = (bits: number): Instruction => plain(0x54, bits);
/** Ends the filter with that verdict. */
export const verdict = (value: number): Instruction => plain(0x06, value);
/** Skips `count` instructions. */
export const skip = (count: number): Instruction => plain(0x05, count);
export const ifEqual = jump(0x15);
/** An unsigned comparison. */
export const ifAtLeast = jump(0x35);
export const ifAnyBit = jump(0x45);

/** The program in the format of a little-endian kernel. */
export function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
