// Runs the server's own programs (git, ripgrep) in a jail that shows the workspace and little else. So a link
// in the workspace can never lead to a file of this machine, even if a command puts it there while the
// program runs. Starting the jail takes a few milliseconds.
import { readFileSync, realpathSync } from "node:fs";
import { givenFileDescriptor, type ProcessSpec } from "../exec/run-process.ts";
import { isFolder, isInside, replacedError } from "../paths/inside.ts";
import { type Bind, bindArguments, bindCheck, type HeldPlace } from "./checked-binds.ts";
import { ownNamespaces, systemMounts } from "./jail.ts";
import type { Jail } from "./jailed-process.ts";

export interface OwnRun {
  /** Path of the program on this machine. */
  program: string;
  /** Real path of the workspace, which is also its path in the jail. */
  root: string;
  writable: boolean;
  /** Mounts of a repository outside the workspace; see repository-mounts.ts. */
  under?: readonly Bind[];
  mounts?: readonly string[];
  /** A folder of the server's own that the program writes to. */
  store?: string | undefined;
  /** Mounts placed over the folders that it writes to. */
  over?: readonly Bind[];
  /**
   * Arguments for the entries that stay read-only there, and what those must show; see protected-mounts.ts.
   */
  held?: readonly string[];
  heldPlaces?: readonly HeldPlace[];
  env: Record<string, string>;
  /**
   * true = the program runs to its end even if this server is killed, because half-written files are worse.
   */
  finishes?: boolean;
  /** Shell code that is run in the workspace with `args` as its parameters. */
  script: string;
  args: readonly string[];
}

/** The parts of a ProcessSpec that run `run` in `jail`. Throws `path_escape` if a folder was replaced. */
export function ownProcess(
  jail: Jail,
  run: OwnRun,
): Pick<ProcessSpec, "file" | "args" | "cwd" | "env" | "givenFile"> {
  const { root, writable, under = [], mounts = [], store, over = [], held = [], heldPlaces = [] } = run;
  if (!isFolder(root)) throw replacedError();
  // The store comes after `mounts`, which may hide the state folder that it is in.
  const own = [
    ...(store === undefined ? [] : [{ source: store, at: store, writable: true }]),
    { source: root, at: root, writable },
  ];
  const args = [
    ...ownNamespaces.filter((option) => !(run.finishes && endsWith.has(option))),
    ...["--unshare-net", "--cap-drop", "ALL", ...readsAsRoot()],
    ...(jail.filters ? ["--seccomp", String(givenFileDescriptor)] : []),
    ...programMounts(run.program, jail),
    ...["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"],
    ...["/dev/null", "/dev/urandom"].flatMap((device) => ["--dev-bind", device, device]),
    ...bindArguments(under),
    ...mounts,
    ...bindArguments([...own, ...over]),
    ...held,
    ...["--remount-ro", "/", "--chdir", root, "--"],
    ...[
      "/bin/sh",
      "-c",
      `${bindCheck([...under, ...own, ...over], heldPlaces)}; ${run.script}`,
      "sh",
      ...run.args,
    ],
  ];
  const filter = jail.filters && (writable ? jail.filters.write : jail.filters.readonly);
  return { file: jail.bwrap, args, cwd: "/", env: run.env, ...(filter ? { givenFile: filter } : {}) };
}

/** With these, a jail ends with its server, and a signal to the server's process group does not reach it. */
const endsWith = new Set(["--die-with-parent", "--new-session"]);

function programMounts(program: string, { tools }: Jail): string[] {
  const real = realpathSync(program);
  if (isInside("/usr", real)) return systemMounts(["/usr"]);
  const places = [...tools.places, real, program];
  return [...systemMounts(), ...places.flatMap((path) => ["--ro-bind-try", path, path])];
}

const overrideBit = 1n;
let asRoot: string[] | undefined;

/**
 * A server that runs as root takes snapshots of any user's files. Root without capabilities cannot read them,
 * so the jail gets CAP_DAC_OVERRIDE if the server itself has it.
 */
function readsAsRoot(): string[] {
  if (asRoot) return asRoot;
  const [, effective = "0"] = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const may = process.getuid?.() === 0 && ((BigInt(`0x${effective}`) >> overrideBit) & 1n) === 1n;
  asRoot = may ? ["--cap-add", "CAP_DAC_OVERRIDE"] : [];
  return asRoot;
}
