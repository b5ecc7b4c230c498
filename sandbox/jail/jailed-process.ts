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

/** A jail that was tried on this machine and worked. */
export interface Jail {
  /** Path of bubblewrap. */
  bwrap: string;
  /** Size of each in-memory folder in bytes; undefined if bubblewrap cannot limit it. */
  tmpBytes: number | undefined;
  /** How many process ids one command may use; undefined if the kernel cannot limit it. */
  taskIds: number | undefined;
  /** A cgroup folder in which each command gets a group of its own, if there is one. */
  groups: string | undefined;
  /** Memory that one command may take. */
  memoryBytes: number;
  /** Whether bubblewrap's own process, whose memory contains paths of this machine, can be hidden. */
  hidesFirst: boolean;
  /** Files with the seccomp filters; undefined if the kernel or bubblewrap does not take them. */
  filters: SeccompFiles | undefined;
  /** The installations that commands see besides the system's own programs. */
  tools: Toolchains;
  /** The server's state folder, which stays hidden. */
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
  /**
   * Variables of the command. Those of a foreign command are set inside the jail, so that bubblewrap loads no
   * library because of them.
   */
  env?: Record<string, string> | undefined;
  /** Further mounts, in this order: `under` before the workspace's own mount, `over` after it. */
  under?: readonly Bind[];
  over?: readonly Bind[];
  /** Called to prepare the jail before a foreign command begins. */
  gates?: readonly Gate[];
  /**
   * Further arguments for bubblewrap, placed just before the workspace's own mount. They must name nothing
   * that a command could replace.
   */
  mounts?: readonly string[];
  /** Arguments that hold parts of the workspace, placed after everything else; see protected-mounts.ts. */
  held?: readonly string[];
  /** The entries that the mounts of `held` must show. */
  heldPlaces?: readonly HeldPlace[];
  /**
   * true = a command of the model or a person: a guardian ends it with this server, and the kernel limits its
   * processes. false = one program of ours, started directly.
   */
  foreign: boolean;
  /**
   * true = the process reaches no socket outside its jail although it may write, because it writes to a copy.
   */
  isolated?: boolean;
}

/** The parts of a ProcessSpec that run `run` in `jail`. Throws `path_escape` if a folder was replaced. */
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

/** Which limits of a command the kernel enforces. */
export function capsOfGroup({ groups, taskIds }: Jail): Pick<Caps, "memoryCapped" | "tasksCapped"> {
  return { memoryCapped: groups !== undefined, tasksCapped: groups !== undefined || taskIds !== undefined };
}

/**
 * The kernel's limits for a command. A cgroup limits more than `taskIds` does, and no other program is needed
 * to set it.
 */
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

/** A call of `env` that sets variables for the program whose words follow it. */
function variables(env: Record<string, string>): string[] {
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? [] : [findProgram("env") ?? "/usr/bin/env", ...pairs];
}
