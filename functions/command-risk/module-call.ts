// `python -m NAME …` is the program NAME under another name.
import type { Word } from "./shell-word.ts";

export interface ModuleCall {
  program: string;
  args: readonly Word[];
}

const python = /^(i?python[\d.]*|pypy[\d.]*|py)$/;

/** `python -m pip …` as `pip …`; any other call as it is. */
export function asModule({ program, args }: ModuleCall): ModuleCall {
  if (!python.test(program)) return { program, args };
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text));
  const attached = /^-[a-zA-Z]*?m(.+)$/.exec(args[at]?.text ?? "")?.[1];
  const name = attached ?? args[at + 1]?.text ?? "";
  return at < 0 ? { program, args } : { program: name, args: args.slice(at + (attached ? 1 : 2)) };
}
