// The op `exec`: one shell command, in the jail if there is one.
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { RefusedHost } from "../../shared/network.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { ExecArgs, ExecValue } from "../../shared/sandbox.ts";
import { runAllowed } from "../allow-list/run-allowed.ts";
import { baseEnvironment, commandPath, machinePath } from "../exec/environment.ts";
import { gitConfigMount } from "../exec/git-config.ts";
import { guarded, newMark, shellProgram, withFileLimit } from "../exec/guarded.ts";
import type { Excess } from "../exec/process-watch.ts";
import { readOnlyCaches } from "../exec/read-only-caches.ts";
import { type ProcessSpec, runProcess } from "../exec/run-process.ts";
import { capsOfGroup, jailedProcess } from "../jail/jailed-process.ts";
import type { Gate } from "../jail/process-limit.ts";
import { beginGuards, checkStarted, guardedRun, untilStarted } from "../jail/protected-run.ts";
import { repositoryMounts } from "../jail/repository-mounts.ts";
import * as limits from "../limits.ts";
import { networkFor } from "../network/networks.ts";
import { fsError } from "../paths/fs-error.ts";
import { openFolder } from "../paths/inside.ts";
import { relativePath } from "../paths/relative-path.ts";
import { mountOf } from "../sandbox.ts";
import { type DiskQuota, inMebibytes } from "../workspace/disk-quota.ts";
import { beginInCopy } from "./exec-in-copy.ts";
import type { OpContext } from "./op-context.ts";

/** The command chooses the names of hosts, so they may contain secrets. */
function refusedHosts(
  { refused = [] }: { refused?: RefusedHost[] },
  { redact }: Redactor,
): Pick<ExecValue, "refusedHosts"> {
  if (refused.length === 0) return {};
  return { refusedHosts: refused.map(({ host, reason }) => ({ host: redact(host), reason })) };
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export async function exec(args: ExecArgs, context: OpContext): Promise<ExecValue> {
  const { sandbox, server, access, background } = context;
  const { quota, folder } = sandbox;
  const { root } = folder;
  checkCommand(args);
  const cwd = await existingFolder(root, relativePath(args.cwd ?? ""));
  const common = {
    cwd: join(root, cwd),
    timeoutMs: args.timeoutMs ?? (background ? limits.backgroundMs : limits.execTimeoutMs),
    maxOutputBytes: Math.min(args.maxOutputBytes ?? limits.execOutputBytes, limits.execOutputMaxBytes),
    signal: context.signal,
    onOutput: context.output,
    // The output of a background command is read only as live output, so that has no limit here.
    ...(background ? { liveBytes: Number.POSITIVE_INFINITY } : {}),
    redactor: server.redactor,
    caps: {
      ...{ memoryBytes: server.options.commandBytes, tasks: limits.execTasks },
      ...(server.jail ? capsOfGroup(server.jail) : {}),
    },
  };
  if (args.tree !== undefined) {
    const { process, end } = await beginInCopy({ ...args, tree: args.tree }, context);
    const value = await start({ ...common, ...process }, quota).finally(end);
    checkStarted(args.command, value);
    return value;
  }
  const room = Math.max(await quota.roomBytes(limits.overQuotaBytes), limits.overQuotaBytes);
  const command = withFileLimit([shellProgram(), "-c", args.command], room);
  const writes = access === "write" ? { disk: (pids: () => readonly number[]) => quota.watcher(pids) } : {};
  const { jail } = server;
  if (jail) {
    const mount = mountOf(sandbox);
    const writable = access === "write";
    const { state } = jail;
    const network = await networkFor({ ...server, jail }, sandbox, {
      ...{ access, command: args.command, named: args.network },
    });
    try {
      const { under = [], mounts = [] } = repositoryMounts(folder.outside, { root, writable, state });
      const { outside } = folder;
      const repositories = outside ? [outside.commonDir, outside.gitDir] : [];
      const editors = args.editors === true;
      const heldOf = ({ exitCode }: ExecValue): Pick<ExecValue, "held"> => {
        const { network: set, opened } = sandbox.record;
        const held = {
          ...{ readonly: !writable, network: args.network === undefined ? set : ("registries" as const) },
          ...(opened?.never ? { never: true } : {}),
        };
        return exitCode === 0 ? {} : { held };
      };
      const noted: Gate = async (pid) => {
        if (background) background.pid = pid;
      };
      const run = async () => {
        const guard = await beginGuards(folder, {
          ...{ mount, writable, repositories, editors, background: background !== undefined },
        });
        // The end waits for the lock, so that it does not disturb a call that is working in the folder.
        const end = () => (background && writable ? folder.lock.with("run", guard.end) : guard.end());
        return guardedRun({ ...guard, end }, async (gate) => {
          const process = jailedProcess(jail, {
            ...{
              root,
              mount,
              writable,
              cwd: join(mount, cwd),
              env: { ...(writable ? {} : readOnlyCaches), ...network.env, ...args.env },
            },
            ...{ under, mounts: [...mounts, ...gitConfigMount(state), ...network.mounts] },
            ...{ gates: [gate, noted, ...network.gates], held: guard.args, heldPlaces: guard.places },
            command: network.around(command),
            foreign: true,
          });
          const value = await start({ ...common, ...writes, ...process }, quota);
          background?.exit({ ...value, ...heldOf(value) });
          return value;
        });
      };
      const value = background ? await run() : await untilStarted(run);
      checkStarted(args.command, value);
      return { ...value, ...refusedHosts(await network.end(), server.redactor), ...heldOf(value) };
    } finally {
      await network.end();
    }
  }
  const env = baseEnvironment(process.env.HOME ?? "/", access === "readonly" ? machinePath() : commandPath());
  if (access === "readonly") {
    if (args.env && Object.keys(args.env).length > 0) {
      throw new HandrailError(
        "readonly",
        "Without a jail, a read-only command gets no variables. Leave env out.",
      );
    }
    const repository = await sandbox.folder.repository();
    return runAllowed(args.command, { ...common, env }, { root, repository });
  }
  const [file = "sh", ...rest] = guarded(command);
  const spec = {
    ...{ ...common, ...writes },
    file,
    args: rest,
    env: { ...env, ...args.env },
    guard: "group" as const,
    mark: newMark(),
  };
  return start(spec, quota);
}

async function start(spec: ProcessSpec, quota: DiskQuota): Promise<ExecValue> {
  try {
    const { excess, ...value } = await runProcess(spec);
    if (excess === undefined) return value;
    return {
      ...value,
      stderr: `${value.stderr}\n[ended by the sandbox: ${reasonOf(excess, spec, quota)}]\n`,
    };
  } catch (cause) {
    throw new HandrailError("internal", "The command could not be started in the sandbox.", {
      retryable: true,
      cause,
    });
  }
}

function reasonOf(excess: Excess, { caps }: ProcessSpec, quota: DiskQuota): string {
  switch (excess) {
    case "memory":
      return `the command took more memory than ${inMebibytes(caps?.memoryBytes ?? 0)} MiB`;
    case "tasks":
      return `the command took more processes and threads than ${caps?.tasks}`;
    case "disk":
      return `the sandbox took ${quota.words}`;
  }
}

function checkCommand({ command, env = {} }: ExecArgs): void {
  if (command.includes("\0"))
    throw new HandrailError("invalid_request", "command: holds a NUL character; leave it out.");
  if (Buffer.byteLength(command) > limits.commandBytes) {
    throw new HandrailError(
      "too_large",
      `command: longer than ${limits.commandBytes} bytes. Write a script file and run that.`,
    );
  }
  for (const [name, value] of Object.entries(env)) {
    if (!variableName.test(name) || value.includes("\0")) {
      throw new HandrailError(
        "invalid_request",
        "env: names are letters, digits and _, and values hold no NUL character.",
      );
    }
  }
}

/** The real place of the folder. Throws unless it is inside the workspace. */
async function existingFolder(root: string, path: string): Promise<string> {
  try {
    const folder = await openFolder(root, path);
    await folder.handle.close();
    return folder.path;
  } catch (error) {
    throw fsError(error, path);
  }
}
