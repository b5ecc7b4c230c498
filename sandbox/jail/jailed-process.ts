// The one entrance to the jail: its properties for the server, and how to start a process in it.
import { findProgram } from "../exec/environment.ts";
import { guarded } from "../exec/guarded.ts";
import type { Caps } from "../exec/process-watch.ts";
import { givenFileDescriptor, type ProcessSpec } from "../exec/run-process.ts";
import * as limits from "../limits.ts";
import { type Bind, bindArguments, bindCheck, type HeldPlace } from "./checked-binds.ts";
import { commandGroup } from "./command-group.ts";
import { jailed } from "./jail.ts";
import { type Gate, limitTo } from "./process-limit.ts";
import type { SeccompFiles } from "./seccomp-files.ts";
import type { Toolchains } from "./toolchains.ts";

/** A jail that was seen to work on this machine. */
export interface Jail {
  /** Path of bubblewrap. */
  bwrap: string;
  /** Size of each folder in memory; undefined if bubblewrap cannot limit it. */
  tmpBytes: number | undefined;
  /** Process ids that the kernel leaves to one command, if it can. */
  taskIds: number | undefined;
  /** A folder of cgroups that allows one per command, if there is one. */
  groups: string | undefined;
  /** Memory that one command may take. */
  memoryBytes: number;
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
  /** Folder to start in, as seen inside. */
  cwd: string;
  command: readonly string[];
  /** Variables of the command. The foreign one's own are set inside the jail: bubblewrap must not load a library for them. */
  env?: Record<string, string> | undefined;
  /** What else it sees, in this order: before the workspace's own mount, then over it. */
  under?: readonly Bind[];
  over?: readonly Bind[];
  /** Prepares the jail before a foreign command begins. */
  gates?: readonly Gate[];
  /** Further arguments of bubblewrap, to come just before the workspace's own mount. Nothing a command could replace. */
  mounts?: readonly string[];
  /** And for what holds parts of the workspace, to come after all else; see protected-mounts.ts. */
  held?: readonly string[];
  /** What those must show. */
  heldPlaces?: readonly HeldPlace[];
  /**
   * true = somebody else's command: a guardian ends it with this server, and the kernel limits its processes.
   * Without it, one program of ours that is started as it is.
   */
  foreign: boolean;
  /** Reaches no socket outside its jail, though it may write: what it writes to is a copy. */
  isolated?: boolean;
}

/** The parts of a ProcessSpec that make `run` happen in `jail`. Throws `path_escape` if a folder was replaced. */
export function jailedProcess(
  jail: Jail,
  run: JailedRun,
): Pick<ProcessSpec, "file" | "args" | "cwd" | "env" | "guard" | "gate" | "afterEnd" | "givenFile"> {
  const { bwrap, tmpBytes, tools, filters, hidesFirst } = jail;
  const {
    env = {},
    foreign,
    under = [],
    over = [],
    mounts = [],
    held = [],
    heldPlaces = [],
    gates = [],
    ...place
  } = run;
  const limiting = foreign ? limitsOf(jail) : undefined;
  const all = foreign ? [...(limiting?.gate ? [limiting.gate] : []), ...gates] : [];
  const filterFd = filters && givenFileDescriptor;
  const workspace = { source: run.root, at: run.mount, writable: run.writable };
  const spec = {
    ...{ ...place, bwrap, tmpBytes, tools, gated: all.length > 0, hidesFirst, filterFd },
    mounts: [...bindArguments(under), ...mounts],
    over: [...bindArguments(over), ...held],
  };
  const check = bindCheck([...under, workspace, ...over], heldPlaces);
  const command = foreign
    ? guarded([...variables(env), ...run.command], "all", check)
    : ["/bin/sh", "-c", `${check}; exec "$@"`, "sh", ...run.command];
  return {
    ...jailed(spec, command, foreign ? {} : env),
    cwd: run.root,
    ...(foreign ? { guard: "all" as const } : {}),
    ...limiting,
    ...(all.length > 0 ? { gate: inOrder(all) } : {}),
    ...(filters ? { givenFile: run.writable && !run.isolated ? filters.write : filters.readonly } : {}),
  };
}

/** Which limits of a command the kernel sees to. */
export function capsOfGroup({ groups, taskIds }: Jail): Pick<Caps, "memoryCapped" | "tasksCapped"> {
  return { memoryCapped: groups !== undefined, tasksCapped: groups !== undefined || taskIds !== undefined };
}

/** What the kernel limits of a command: with a group more than without, and then without another program to start. */
function limitsOf({
  groups,
  taskIds,
  memoryBytes,
}: Jail): Pick<ProcessSpec, "gate" | "afterEnd"> | undefined {
  if (groups !== undefined) {
    const group = commandGroup(groups, { memoryBytes, tasks: limits.execTaskIds });
    return { gate: (pid) => group.hold(pid), afterEnd: () => group.end() };
  }
  return taskIds === undefined ? undefined : { gate: limitTo(taskIds) };
}

function inOrder(gates: readonly Gate[]): Gate {
  return async (pid) => {
    for (const gate of gates) await gate(pid);
  };
}

/** The program that starts another with more variables, in front of it. */
function variables(env: Record<string, string>): string[] {
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? [] : [findProgram("env") ?? "/usr/bin/env", ...pairs];
}
