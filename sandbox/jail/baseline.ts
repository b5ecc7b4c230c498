// The state when a command begins, to tell later which files it made.
import * as z from "zod/mini";

export interface Baseline {
  /** Device and inode of what a mount holds: it stays that one thing, wherever its parents are moved. */
  held: Set<string>;
  /** Git folders that are held, by device and inode: the names that each had. */
  git: Map<string, Set<string>>;
  /** Git folders that were there and cannot be held; see git-parts.ts. */
  left: Set<string>;
  /** Stamps of files that are not held but existed. */
  there: Set<string>;
  /** Links at places that would be held if they were none, with where they lead. */
  links: Map<string, { stamp: string; target: string }>;
  /** The targets of git's settings and of such links, with device and inode at that time, or "". */
  named: Map<string, string>;
  /** Paths at which there was something that a command may not change. */
  paths: Set<string>;
  /** What the settings of git folders said, by `settingsOf`. */
  configs: Map<string, string>;
}

// Entries of maps, as JSON keeps them: a key and a value each.
const texts = z.array(z.array(z.string()));
const entries = <Value extends z.ZodMiniType>(value: Value) => z.array(z.array(z.union([z.string(), value])));

/** A baseline as it is written down. */
export const KeptBaseline = z.object({
  ...{ held: z.array(z.string()), there: z.array(z.string()) },
  git: entries(z.array(z.string())),
  links: entries(z.object({ stamp: z.string(), target: z.string() })),
  configs: z._default(texts, []),
  left: z._default(z.array(z.string()), []),
  named: z._default(texts, []),
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
    ...{ held: new Set(held), there: new Set(there), configs: mapOf(configs) },
    ...{ left: new Set(left), named: mapOf(named), paths: new Set(paths) },
    links: new Map(pairsOf(links)),
    git: new Map(pairsOf(git).map(([id, names]) => [id, new Set(names)])),
  };
}

function mapOf(kept: readonly (readonly string[])[]): Map<string, string> {
  return new Map(kept.map(([key = "", value = ""]) => [key, value]));
}

function pairsOf<Value extends object>(kept: readonly (readonly (string | Value)[])[]): [string, Value][] {
  return kept.flatMap(([key, value]): [string, Value][] =>
    typeof key === "string" && typeof value === "object" ? [[key, value]] : [],
  );
}
