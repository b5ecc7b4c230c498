// Programs that are called through another one: `python -m NAME …`, `corepack NAME …` and `yarn NAME …`.
import type { Word } from "./shell-word.ts";

export interface ModuleCall {
  program: string;
  args: readonly Word[];
}

/** Modules that are called by another name than their program. */
const programs: ReadonlyMap<string, string> = new Map([
  ["IPython", "ipython"],
  ["awscli", "aws"],
]);
const python = /^(i?python[\d.]*|pypy[\d.]*|py)$/;
/** These run a project's tools without a verb in between. */
const startsTools = /^(yarn|pnpm|bun)$/;

/** `yarn np` as `np`; any other call unchanged. `yarn patch` is a verb of its own, and not the program. */
export function asProjectTool({ program, args }: ModuleCall): ModuleCall {
  const [tool, ...rest] = args;
  return startsTools.test(program) && tool && tool.text !== "patch"
    ? { program: tool.text, args: rest }
    : { program, args };
}

/**
 * `python -m pip …` and `python -m cProfile -m pip …` as `pip …`, `corepack pnpm …` as `pnpm …`; any other call
 * unchanged.
 */
export function asModule({ program, args }: ModuleCall): ModuleCall {
  const manager = program === "corepack" && /^(p?np[mx]|yarn)(?=@|$)/.exec(args[0]?.text ?? "")?.[0];
  if (manager) return { program: manager, args: args.slice(1) };
  if (!python.test(program)) return { program, args };
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*m/.test(text));
  const attached = /^-[a-zA-Z]*?m(.+)$/.exec(args[at]?.text ?? "")?.[1];
  const name = attached ?? args[at + 1]?.text ?? "";
  const own = args.slice(at + (attached ? 1 : 2));
  if (at < 0) return { program, args };
  const [module] = own;
  if (name === "runpy" && module)
    return asModule({ program, args: [{ ...module, text: `-m${module.text}` }, ...own.slice(1)] });
  const inner = asModule({ program, args: /^(cProfile|profile|trace|pdb)$/.test(name) ? own : [] });
  return inner.program === program
    ? { program: programs.get(name) ?? name.replace(/\.(_internal|__main__).*/, ""), args: own }
    : inner;
}
