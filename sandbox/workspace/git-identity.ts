// The person's name, address and signature for commits, as their own git is configured. In the jail, git
// reads the name and the address from a file; see exec/git-config.ts.
import { HandrailError } from "../../shared/errors.ts";
import { baseEnvironment, machinePath } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import { gitProgram } from "./git-process.ts";

/** Git's variables for a commit in the folder at `root`. */
export async function personsIdentity(root: string): Promise<Record<string, string>> {
  const { name, email } = await personIn(root);
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** The person's name and address according to git's settings at `root`. */
export async function personIn(root: string): Promise<{ name: string; email: string }> {
  return {
    name: (await setting(root, "user.name")) || "Handrail",
    email: (await setting(root, "user.email")) || "handrail@localhost",
  };
}

/**
 * The armoured signature of `text` if the person's own git signs commits (with OpenPGP, or SSH with a key
 * file); "" if it does not. It is made outside of the jail, and no repository can influence it. Throws
 * `invalid_request` with the program's message if signing fails or its format is not supported here.
 */
export async function signatureOf(text: string): Promise<string> {
  if ((await setting("/", "commit.gpgSign", "bool")) !== "true") return "";
  const [format = "", key, email = ""] = await Promise.all(
    ["gpg.format", "user.signingKey", "user.email"].map((name) => setting("/", name)),
  );
  const how =
    format === "ssh" ? "ssh-keygen -Y sign -n git -f" : format === "x509" ? format : "gpg --batch -bsau";
  const [file = "", ...args] = how.split(" ");
  const outcome = await ran(file, [...args, key || email], "/", text);
  if (outcome?.exitCode === 0) return outcome.stdout.trim();
  throw new HandrailError(
    "invalid_request",
    `${file} did not sign the commit: ${outcome?.stderr ?? "not found"}. Mend that or turn commit.gpgSign off.`,
  );
}

export function personsEnvironment(): Record<string, string> {
  return baseEnvironment(process.env.HOME ?? "/", machinePath());
}

async function setting(root: string, key: string, type = "path"): Promise<string> {
  const args = ["-c", "safe.directory=*", "config", `--type=${type}`, "--get", key];
  const outcome = await ran(gitProgram() ?? "git", args, root);
  return outcome?.exitCode === 0 ? outcome.stdout.trim() : "";
}

/** undefined if the program cannot be started. */
function ran(file: string, args: string[], cwd: string, input = "") {
  // For these programs an empty variable is the same as none.
  const { SSH_AUTH_SOCK = "", GNUPGHOME = "" } = process.env;
  const env = { ...personsEnvironment(), SSH_AUTH_SOCK, GNUPGHOME };
  const spec = { file, args, cwd, env, input, timeoutMs: 10_000, maxOutputBytes: 16_384 };
  return runProcess(spec).catch(() => undefined);
}
