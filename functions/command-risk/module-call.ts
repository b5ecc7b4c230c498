// Programs under another name: `python -m NAME …` and `yarn NAME …`.
import type { Word } from "./shell-word.ts";

export interface ModuleCall {
  program: string;
  args: readonly Word[];
}

const python = /^(i?python[\d.]*|pypy[\d.]*|py)$/;
/** They run the tools of a project without a word between. */
const startsTools = /^(yarn|pnpm|bun)$/;

/** `yarn np` as `np`; any other call as it is. */
export function asProjectTool({ program, args }: ModuleCall): ModuleCall {
  const [tool, ...rest] = args;
  return startsTools.test(program) && tool && isTool(tool.text)
    ? { program: tool.text, args: rest }
    : { program, args };
}

/** `python -m pip …` as `pip …`; any other call as it is. */
export function asModule({ program, args }: ModuleCall): ModuleCall {
  if (!python.test(program)) return { program, args };
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text));
  const attached = /^-[a-zA-Z]*?m(.+)$/.exec(args[at]?.text ?? "")?.[1];
  const name = attached ?? args[at + 1]?.text ?? "";
  return at < 0 ? { program, args } : { program: name, args: args.slice(at + (attached ? 1 : 2)) };
}

/** No option, and no verb of the package managers that is another program's name. */
function isTool(name: string): boolean {
  return !/^(-.*|patch|patch-commit|link|audit|config|why|upgrade|run|n)$/.test(name);
}
