// What was there when a command began, so that it can be told from what the command made.
import * as z from "zod/mini";

export interface Baseline {
  /** Device and inode of what a mount holds: it stays that one thing, wherever its parents are moved. */
  held: Set<string>;
  /** Git folders that are held, by device and inode: the names that each had. */
  git: Map<string, Set<string>>;
  /** Git folders that were there and cannot be held; see git-parts.ts. */
  left: Set<string>;
  /** Stamps of what is not held but was there. */
  there: Set<string>;
  /** Links at places that would be held if they were none, with where they lead. */
  links: Map<string, { stamp: string; target: string }>;
  /** What git's settings and such links name, with the device and inode of what was there, or "". */
  named: Map<string, string>;
  /** Paths at which there was something that a command may not change. */
  paths: Set<string>;
  /** What the settings of git folders said, by `settingsOf`. */
  configs: Map<string, string>;
}

/** A baseline as it is written down. */
export const KeptBaseline = z.object({
  ...{ held: z.array(z.string()), there: z.array(z.string()) },
  git: z.array(z.tuple([z.string(), z.array(z.string())])),
  links: z.array(z.tuple([z.string(), z.object({ stamp: z.string(), target: z.string() })])),
  configs: z._default(z.array(z.tuple([z.string(), z.string()])), []),
  left: z._default(z.array(z.string()), []),
  named: z._default(z.array(z.tuple([z.string(), z.string()])), []),
  paths: z._default(z.array(z.string()), []),
});
export type KeptBaseline = z.infer<typeof KeptBaseline>;

export function toKept(baseline: Baseline): KeptBaseline {
  const { held, there, links, configs, left, named, paths, git } = baseline;
  return {
    ...{ held: [...held], there: [...there], links: [...links], configs: [...configs] },
    ...{ left: [...left], named: [...named], paths: [...paths] },
    git: [...git].map(([id, names]) => [id, [...names]]),
  };
}

export function fromKept({ held, there, links, configs, left, named, paths, git }: KeptBaseline): Baseline {
  return {
    ...{ held: new Set(held), there: new Set(there), links: new Map(links), configs: new Map(configs) },
    ...{ left: new Set(left), named: new Map(named), paths: new Set(paths) },
    git: new Map(git.map(([id, names]) => [id, new Set(names)])),
  };
}
