// Clones a repository into a new workspace: shallow, without submodules, credentials only for that one command.
import { HandrailError } from "../../shared/errors.ts";
import { runProcess } from "../exec/run-process.ts";
import { bareGitEnvironment, gitProgram } from "../workspace/git-process.ts";

const cloneMs = 15 * 60_000;

/** Throws HandrailError with what git said. `ref`: a branch, a tag or a full commit id. */
export async function cloneInto(root: string, url: string, ref: string | undefined): Promise<void> {
  const { address, header } = withoutCredentials(url);
  if (ref !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_./+-]{0,200}$/.test(ref)) {
    throw new HandrailError("invalid_request", "source.ref: give a branch, a tag or a commit id.");
  }
  await git(root, ["init", "--quiet", "--template=", "--initial-branch=main"]);
  await git(root, ["remote", "add", "origin", address]);
  const what = ref ?? "HEAD";
  await git(
    root,
    ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "origin", what],
    header,
  );
  await git(root, [
    "checkout",
    "--quiet",
    "--no-recurse-submodules",
    "-B",
    await branchName(root, ref, header),
    "FETCH_HEAD",
  ]);
}

async function branchName(
  root: string,
  ref: string | undefined,
  header: string | undefined,
): Promise<string> {
  if (ref !== undefined) return /^[0-9a-f]{40}$/.test(ref) ? "main" : ref;
  const said = await git(root, ["ls-remote", "--symref", "origin", "HEAD"], header).catch(() => "");
  return /^ref: refs\/heads\/(\S+)\tHEAD/m.exec(said)?.[1] ?? "main";
}

/** The URL as it may stand on disk, and the header that its user and password become. */
function withoutCredentials(url: string): { address: string; header: string | undefined } {
  const scp = /^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^:].*$/.test(url);
  if (scp) return { address: url, header: undefined };
  if (!URL.canParse(url)) throw badUrl();
  const parsed = new URL(url);
  // A file URL would open every repository of this machine to whoever may make a sandbox.
  const local = parsed.protocol === "file:" && process.env.HANDRAIL_FILE_SOURCES === "1";
  if (!local && !["https:", "http:", "ssh:", "git:"].includes(parsed.protocol)) throw badUrl();
  if (!parsed.protocol.startsWith("http") || parsed.username === "")
    return { address: parsed.href, header: undefined };
  const user = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
  parsed.username = "";
  parsed.password = "";
  return { address: parsed.href, header: `Authorization: Basic ${Buffer.from(user).toString("base64")}` };
}

function badUrl(): HandrailError {
  return new HandrailError("invalid_request", "source.git: give an https, ssh or git URL of a repository.");
}

async function git(root: string, args: string[], header?: string): Promise<string> {
  const file = gitProgram();
  if (!file)
    throw new HandrailError(
      "unsupported",
      "Cloning needs git, which is not installed where the sandbox runs.",
    );
  // As variables: neither on disk nor in the list of processes.
  const secret: Record<string, string> = header
    ? { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.extraHeader", GIT_CONFIG_VALUE_0: header }
    : {};
  const quiet = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "credential.helper=",
  ];
  const env = {
    ...bareGitEnvironment(),
    HOME: process.env.HOME ?? "/nonexistent",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    ...secret,
  };
  const outcome = await runProcess({
    file,
    args: [...quiet, ...args],
    cwd: root,
    env,
    timeoutMs: cloneMs,
    maxOutputBytes: 64 * 1024,
  });
  if (outcome.exitCode === 0) return outcome.stdout;
  const said = outcome.stderr.replaceAll(root, "the workspace").trim().slice(-600);
  throw new HandrailError(
    "invalid_request",
    `source.git: the repository could not be fetched. git said: ${said}`,
  );
}
