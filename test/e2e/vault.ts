// The scene of one-folder.test.ts: a Python repository with a virtual environment, and the model's answer to
// each request.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ModelReply } from "../fakes/model-reply.ts";
import type { RequestBody } from "../fakes/model-server.ts";
import { hostGit, newHome } from "../sandbox/host-git.ts";

const python = ".venv/bin/python -m unittest -q";
const run = (command: string) => ({ name: "run_command", args: { command } });
const write = (path: string, content: string) => ({
  name: "write_file",
  args: { path, content, base: null },
});
const done = (id: string) => ({
  name: "update_plan",
  args: { steps: [{ id, status: "done", note: "Written" }] },
});

export const original: Readonly<Record<string, string>> = {
  ".gitignore": ".venv/\n__pycache__/\n",
  "README.md": "# Vault\n",
  "vault/__init__.py": "",
  "vault/keys.py": 'EPOCH = "2025-11"\n\n\ndef sign(text):\n    return EPOCH + ":" + text\n',
  "vault/report.py": "from vault import keys\n\n\ndef report(text):\n    return keys.sign(text)\n",
  "tests/__init__.py": "",
  "tests/test_keys.py":
    'import unittest\n\nfrom vault import report\n\n\nclass Keys(unittest.TestCase):\n    def test_report(self):\n        self.assertIn(":paid", report.report("paid"))\n',
};

/** The repository, committed, with a virtual environment that git ignores. */
export function vault() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "handrail-vault-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, "vault");
  const home = newHome(base);
  for (const [path, content] of Object.entries(original)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const git = (...args: string[]) => hostGit(home, folder, ...args).trimEnd();
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "The vault");
  execFileSync("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd: folder, stdio: "ignore" });
  const text = (path: string) => readFileSync(join(folder, path), "utf8");
  return { folder, git, text, has: (path: string) => existsSync(join(folder, path)) };
}

/** The model's answers to each of the day's requests. Their sessions run side by side. */
export function wishes(phoneIsClosed: Promise<void>): Record<string, ModelReply[]> {
  const steps = ["Define an audit entry", "Write entries to a log", "Test the log"].map((description) => ({
    description,
    checkpoint: { command: python },
  }));
  return {
    "Rotate the signing key": [
      { calls: [run("sed -i 's/2025-11/2026-11/' vault/keys.py")] },
      { calls: [write("vault/keyring.py", 'OLD = ["2025-11"]\n'), run(python)] },
      { text: "The key is rotated." },
    ],
    "Keep an audit log": [
      {
        calls: [
          { name: "set_plan", args: { goal: "An audit log", steps } },
          { name: "exit_plan", args: {} },
        ],
      },
      { calls: [write("vault/audit.py", "ENTRY = 1\n"), done("s1")] },
      { calls: [write("vault/audit_log.py", "LOG = []\n"), done("s2")] },
      {
        calls: [write("tests/test_audit.py", "from vault import audit_log\n"), done("s3")],
        hold: phoneIsClosed,
      },
      { text: "The audit log is there." },
    ],
    "Call it sign_token": [
      { calls: [run("sed -i 's/def sign(/def sign_token(/' vault/keys.py")] },
      { calls: [run(`sed -i 's/keys.sign(/keys.sign_token(/' vault/report.py && ${python}`)] },
      { calls: [run("git reset --hard")] },
      { text: "It is renamed." },
    ],
    "Commit the key ring": [
      { calls: [run("git add vault/keyring.py && git commit -qm 'Keep the old key'")] },
      { text: "It is committed." },
    ],
    "Cover the rotation": [
      { calls: [run(`python3 -m venv --without-pip .venv && ${python}`)] },
      { calls: [write("tests/test_rotation.py", "from vault import keyring\n"), run(python)] },
      { text: "The rotation is covered." },
    ],
  };
}

/** Answers by the newest of these requests that a session contains. */
export function answers(replies: Record<string, ModelReply[]>) {
  const next = new Map<string, number>();
  return ({ messages }: RequestBody): ModelReply => {
    const said = messages.toReversed().flatMap(({ role, content }) => {
      const words = JSON.stringify(content);
      return role === "user" ? (Object.keys(replies).find((wish) => words.includes(wish)) ?? []) : [];
    });
    const [wish = ""] = said;
    const at = next.get(wish) ?? 0;
    next.set(wish, at + 1);
    return replies[wish]?.[at] ?? { text: "Nothing more." };
  };
}
