// The state of a workspace when a command begins, to tell later which files the command made.
import * as z from "zod/mini";

export interface Baseline {
  /**
   * Device and inode of everything that a mount holds. They stay the same wherever its parent folders are
   * moved.
   */
  held: Set<string>;
  /** Git folders that are held, by device and inode, with the names that each contained. */
  git: Map<string, Set<string>>;
  /** Device and inode of git folders that existed but cannot be held; see git-parts.ts. */
  left: Set<string>;
  /** Stamps of files that existed but are not held. */
  there: Set<string>;
  /** Links in places where a file or folder would be held, with their targets. */
  links: Map<string, { stamp: string; target: string }>;
  /**
   * The targets of git's settings and of such links, with their device and inode at that time, or "" if
   * nothing was there.
   */
  named: Map<string, string>;
  /** Paths of entries that a command must not change. */
  paths: Set<string>;
  /** The texts of git folders' settings, by `settingsOf`. */
  configs: Map<string, string>;
}

// The entries of a map as JSON keeps them: arrays of a key and a value.
const texts = z.array(z.array(z.string()));
const entries = <Value extends z.ZodMiniType>(value: Value) => z.array(z.array(z.union([z.string(), value])));

/** A baseline in the form in which it is stored. */
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
