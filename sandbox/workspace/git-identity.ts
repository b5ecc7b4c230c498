// Who commits where there is no jail: the person, as their git says. In the jail git reads a file of its own; see
// exec/git-config.ts.
import { HandrailError } from "../../shared/errors.ts";
import { baseEnvironment, machinePath } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import { gitProgram } from "./git-process.ts";

/** Variables of git for a commit in the folder at `root`. */
export async function personsIdentity(root: string): Promise<Record<string, string>> {
  const { name, email } = await personIn(root);
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** As git says where it begins at `root`. */
export async function personIn(root: string): Promise<{ name: string; email: string }> {
  return {
    name: (await setting(root, "user.name")) || "Handrail",
    email: (await setting(root, "user.email")) || "handrail@localhost",
  };
}

/**
 * The armoured signature of `text` where the person's own git signs commits (OpenPGP, or SSH with the file of a key), outside
 * of the jail, by nothing that a repository says; "" where it does not sign. Throws `invalid_request` with what the program
 * said where it cannot, and for what is not done here.
 */
export async function signatureOf(text: string): Promise<string> {
  if ((await setting("/", "commit.gpgSign", "bool")) !== "true") return "";
  const [format = "", key, email = ""] = await Promise.all(
    ["gpg.format", "user.signingKey", "user.email"].map((name) => setting("/", name)),
  );
  const [file = "", ...args] = (
    format === "ssh" ? "ssh-keygen -Y sign -n git -f" : "gpg --batch -bsau"
  ).split(" ");
  const { SSH_AUTH_SOCK, GNUPGHOME } = process.env;
  const agents = { ...(SSH_AUTH_SOCK && { SSH_AUTH_SOCK }), ...(GNUPGHOME && { GNUPGHOME }) };
  const place = {
    file,
    args: [...args, key || email],
    cwd: "/",
    env: { ...personsEnvironment(), ...agents },
  };
  const spec = { ...place, input: text, timeoutMs: 10_000, maxOutputBytes: 16_384 };
  const outcome = /^(ssh|openpgp)?$/.test(format) ? await runProcess(spec).catch(() => undefined) : undefined;
  if (outcome?.exitCode === 0) return outcome.stdout.trim();
  throw new HandrailError(
    "invalid_request",
    `${file} did not sign the commit: ${outcome ? outcome.stderr.trim() : "it was not found, or gpg.format names another"}. Commits are signed by gpg, or by ssh-keygen where user.signingKey is a key's file: set that up where the sandbox runs, or turn commit.gpgSign off.`,
  );
}

export function personsEnvironment(): Record<string, string> {
  return baseEnvironment(process.env.HOME ?? "/", machinePath());
}

async function setting(root: string, key: string, type = "path"): Promise<string> {
  const args = ["-c", "safe.directory=*", "config", `--type=${type}`, "--get", key];
  const place = { file: gitProgram() ?? "git", args, cwd: root, env: personsEnvironment() };
  const spec = { ...place, timeoutMs: 10_000, maxOutputBytes: 4_096 };
  const outcome = await runProcess(spec).catch(() => undefined);
  return outcome?.exitCode === 0 ? outcome.stdout.trim() : "";
}
