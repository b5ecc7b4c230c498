// The one entrance to the jail: what the server knows of it, and what a process needs to start in it.
import { guarded } from "../exec/guarded.ts";
import { givenFileDescriptor, type ProcessSpec } from "../exec/run-process.ts";
import { jailed } from "./jail.ts";
import { limitTo } from "./process-limit.ts";
import type { SeccompFiles } from "./seccomp-files.ts";
import type { Toolchains } from "./toolchains.ts";

/** A jail that was seen to work on this machine. */
export interface Jail {
  /** Path of bubblewrap. */
  bwrap: string;
  /** Size of each folder in memory; undefined where bubblewrap cannot limit it. */
  tmpBytes: number | undefined;
  /** Process ids that the kernel leaves to one command, where it can. */
  taskIds: number | undefined;
  /** Whether bubblewrap's own process, which knows paths of this machine, can be kept out of sight. */
  hidesFirst: boolean;
  /** Files with the seccomp filters, where the kernel and bubblewrap take them. */
  filters: SeccompFiles | undefined;
  /** What commands see beside the system's own programs. */
  tools: Toolchains;
  /** The server's state folder, which stays out of sight. */
  state: string;
}

export interface JailedRun {
  /** Real path of the workspace on this machine. */
  root: string;
  /** Path at which the process sees it. */
  mount: string;
  writable: boolean;
  network: boolean;
  /** Folder to start in, as seen inside. */
  cwd: string;
  command: readonly string[];
  env?: Record<string, string> | undefined;
  /** Arguments of bubblewrap for what else it sees, to come before the workspace's own mount. */
  mounts?: readonly string[];
  /**
   * true = somebody else's command: a guardian ends it with this server, and the kernel limits its processes.
   * Without it, one program of ours that is started as it is.
   */
  foreign: boolean;
}

/** The parts of a ProcessSpec that make `run` happen in `jail`. */
export function jailedProcess(
  jail: Jail,
  run: JailedRun,
): Pick<ProcessSpec, "file" | "args" | "cwd" | "env" | "guard" | "gate" | "givenFile"> {
  const { bwrap, tmpBytes, tools, taskIds, filters, hidesFirst } = jail;
  const { command, env, foreign, ...place } = run;
  const gated = foreign && taskIds !== undefined;
  const filterFd = filters && givenFileDescriptor;
  const spec = { ...place, bwrap, tmpBytes, tools, gated, hidesFirst, filterFd };
  return {
    ...jailed(spec, foreign ? guarded(command, "all") : command, env),
    cwd: run.root,
    ...(foreign ? { guard: "all" as const } : {}),
    ...(gated ? { gate: limitTo(taskIds) } : {}),
    ...(filters ? { givenFile: run.writable ? filters.write : filters.readonly } : {}),
  };
}
