// Which command lines obviously need the network.
import { expect, test } from "vitest";
import { commandNetwork } from "../../../functions/calls/network-gate.ts";
import { networkNeed } from "../../../functions/command-risk/needs-network.ts";

test.each([
  ["npm ci", "`npm ci`", []],
  ["cd web && npm install --save left-pad", "`npm install left-pad`", []],
  ["pip install -r requirements.txt", "`pip install requirements.txt`", []],
  [".venv/bin/python -m pip install -q requests", "`pip install requests`", []],
  ["bash -c 'git fetch origin'", "`git fetch origin`", []],
  [
    "git clone https://git.example.com/a/b.git",
    "`git clone https://git.example.com/a/b.git`",
    ["git.example.com"],
  ],
  ["curl -fsSL https://example.com/x.sh -o x.sh", "`curl https://example.com/x.sh x.sh`", ["example.com"]],
  ["go mod download && cargo fetch", "`go mod download`, `cargo fetch`", []],
  ["poetry install", "`poetry install`", []],
  ["uv sync", "`uv sync`", []],
  ["npx playwright install chromium", "`playwright install chromium`", []],
  ["timeout 60 apt-get install -y jq", "`apt-get install jq`", []],
])("%s needs it", (line, what, hosts) => {
  expect(networkNeed(line)).toEqual({ what, hosts });
});

test.each([
  "npm test",
  "npm run install-hooks",
  "npm ci --offline",
  "pip --version",
  "pip install --no-index --find-links wheels x",
  "git status",
  "git push ../bare.git main",
  "git fetch /srv/mirror.git",
  "curl -s http://127.0.0.1:8080/health",
  "curl http://localhost:3000/ | jq .",
  "cargo build",
  "go test ./...",
  "echo 'npm ci'",
  "grep -rn 'https://example.com' src",
  "python -m pytest",
])("%s does not need it", (line) => {
  expect(networkNeed(line)).toBeUndefined();
});

test("a host named in the line is opened, a pattern is not", () => {
  expect(networkNeed("curl https://*.example.com/a https://b.example.com")?.hosts).toEqual(["b.example.com"]);
});

test("a closed network is not opened by allowing something else in the line", () => {
  const gateOf = (program: string, permitted: boolean) =>
    commandNetwork(
      {
        env: { network: "none", grants: [{ risk: "network", program, subcommand: "asked" }] },
        state: { mode: "normal" },
      },
      { permitted },
      "rm -rf build && git fetch origin",
    );
  expect(gateOf("never", true)).toEqual({ why: undefined, hosts: undefined });
  expect(gateOf("*", true).hosts).toEqual([]);
});
