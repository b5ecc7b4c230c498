// Lines added after a command's output if it failed because of the sandbox: what is blocked, and what to do.
import type { RefusedHost } from "../../shared/network.ts";
import type { ExecValue } from "../../shared/sandbox.ts";

const networkErrors =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|getaddrinfo|no such host|Could not resolve (?:host|proxy)|Temporary failure in name resolution|Name or service not known|Network is unreachable|Failed to establish a new connection|nodename nor servname|from versions: none)\b/i;
const readOnly = /\bEROFS\b|\bRead-only file system\b/i;
/** What `mkdir` with `recursive` says on a read-only file system (seen with Node 20.20). */
const noFolder = /\bENOENT: no such file or directory, mkdir\b/;

/** What a card offers the person to open: hosts that a command was refused, the network that it lacked. */
export function networkFacts(exec: ExecValue): Record<string, unknown> {
  const { refusedHosts } = exec;
  return {
    ...(refusedHosts ? { refusedHosts } : {}),
    ...(needsNetwork(exec) ? { needsNetwork: true } : {}),
  };
}

/** Whether a command failed because it lacked the network, which the person can open. */
function needsNetwork({ stdout, stderr, held }: ExecValue): boolean {
  if (!held || held.readonly || held.network !== "none" || held.never === true) return false;
  return networkErrors.test(`${stdout}\n${stderr}`);
}

/** Whether a command may have failed because it had no network, or could not write a file. */
export function failedForTheSandbox({ stdout, stderr }: ExecValue): boolean {
  const said = `${stdout}\n${stderr}`;
  return networkErrors.test(said) || readOnly.test(said) || noFolder.test(said);
}

export function sandboxNotes(exec: ExecValue): string[] {
  return [...closedNotes(exec), ...refusedNotes(exec.refusedHosts ?? [])];
}

function closedNotes({ stdout, stderr, held }: ExecValue): string[] {
  if (!held) return [];
  const said = `${stdout}\n${stderr}`;
  const open = held.network === "none" ? undefined : networkWords[held.network];
  const lines: string[] = [];
  if (networkErrors.test(said) && (held.readonly || open === undefined)) {
    const where = held.readonly ? "in plan mode commands have no network" : "commands have no network here";
    const remedy = held.never
      ? "The person keeps it closed and does not want to be asked for it"
      : !held.readonly
        ? "If the work needs it, say what for and stop: the person can open it for this command on the phone, on its card"
        : open === undefined
          ? "If the work needs it, say so in the plan: after the approval the person is asked when a command needs it"
          : `After the approval they reach ${open}`;
    lines.push(`[sandbox: ${where}. ${remedy}. Do not look for a way around it]`);
  }
  if (readOnly.test(said) || (held.readonly && noFolder.test(said)))
    lines.push(
      held.readonly
        ? "[sandbox: in plan mode the workspace is read-only; /tmp and $HOME can be written. What has to write is for the plan]"
        : "[sandbox: only the workspace, /tmp and $HOME can be written]",
    );
  return lines;
}

const networkWords = {
  registries: "package registries and hosts that the person allows",
  full: "public hosts",
} as const;

/** Which hosts the command could not reach, and what can be done about it. */
function refusedNotes(refused: readonly RefusedHost[]): string[] {
  const hosts = (reason: RefusedHost["reason"]) =>
    refused
      .filter((one) => one.reason === reason)
      .map(({ host }) => host)
      .join(", ");
  const lines: string[] = [];
  const closed = hosts("not_allowed");
  if (closed !== "")
    lines.push(
      `[network: refused ${closed}. Only package registries and hosts that the person allowed can be reached. The person can allow a host on the phone, on this call's card: if the work needs it, say which and why, and stop; do not look for a way around it]`,
    );
  const local = hosts("private_address");
  if (local !== "")
    lines.push(
      `[network: refused ${local}: addresses of this machine and its network are never reached, and cannot be allowed]`,
    );
  const others = hosts("another_name");
  if (others !== "")
    lines.push(
      `[network: refused a connection for ${others}: it has to be TLS, or plain HTTP, that names that very host]`,
    );
  return lines;
}
