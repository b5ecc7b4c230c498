// Everyday programs in the jail. Each makes system calls that a filter could break.
// @module-tag long
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { oneSandbox } from "./one-sandbox.ts";

const { sandbox, exec } = oneSandbox();

const run = (command: string, access: "readonly" | "write" = "write") => exec(command, access);

const file = (name: string, text: string) => writeFile(join(sandbox().workspace, name), text);

/** Programs that not every machine has. */
const where = (program: string) => test.skipIf(findProgram(program) === undefined);

/** Programs that a machine may have without what they need to run. */
const whereRuns = (program: string, ...args: string[]) =>
  test.skipIf(spawnSync(program, args, { stdio: "ignore" }).status !== 0);
/**
 * Debuggers may be forbidden on this machine altogether: https://docs.kernel.org/admin-guide/LSM/Yama.html
 */
const mayTrace = () => {
  try {
    return Number(readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8")) < 2;
  } catch {
    return true;
  }
};

test.each(["readonly", "write"] as const)(
  "%s: node forks and talks to its children and workers",
  async (access) => {
    await file(
      "forks.cjs",
      `const { fork, execFileSync } = require("node:child_process");
     const { Worker } = require("node:worker_threads");
     if (process.argv[2]) { process.on("message", (m) => { process.send(m * 2); process.disconnect(); }); }
     else {
       console.log(execFileSync("sh", ["-c", "cat; echo piped"], { input: "in " }).toString().trim());
       const child = fork(__filename, ["child"]);
       child.on("message", (m) => console.log("child", m)).on("exit", () => {
         new Worker("require('node:worker_threads').parentPort.postMessage(21)", { eval: true })
           .on("message", (m) => console.log("worker", m));
       });
       child.send(21);
     }`,
    );
    expect((await run("node forks.cjs", access)).stdout).toBe("in piped\nchild 42\nworker 21\n");
  },
);

test.each(["readonly", "write"] as const)(
  "%s: a test server on loopback, and the machine's interfaces",
  async (access) => {
    await file(
      "web.cjs",
      `require("node:os").networkInterfaces();
     const s = require("node:http").createServer((_, r) => r.end("hello")).listen(0, "127.0.0.1", async () => {
       console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); s.close(); s.closeAllConnections();
     });`,
    );
    expect((await run("node web.cjs", access)).stdout).toBe("hello\n");
  },
);

test("a server on its own Unix socket, in the workspace, in /tmp and without a name", async () => {
  await file(
    "unix.cjs",
    `const net = require("node:net");
     const one = (path) => new Promise((done) => {
       const s = net.createServer((c) => c.end("hello")).listen(path, () =>
         net.connect(path).on("data", (d) => { console.log(String(d)); s.close(done); }));
     });
     (async () => { for (const p of ["./own.sock", "/tmp/own.sock", "\\0own"]) await one(p); })();`,
  );
  expect(await run("node unix.cjs")).toMatchObject({ stdout: "hello\nhello\nhello\n", exitCode: 0 });
});

test("workers of node's cluster share a port", async () => {
  await file(
    "cluster.cjs",
    `const cluster = require("node:cluster"), http = require("node:http");
     if (cluster.isPrimary) { const w = cluster.fork(); w.on("listening", async ({ port }) => {
       console.log(await (await fetch("http://127.0.0.1:" + port)).text()); w.kill(); }); }
     else http.createServer((_, r) => r.end("from a worker")).listen(0, "127.0.0.1");`,
  );
  expect((await run("node cluster.cjs")).stdout).toBe("from a worker\n");
});

test("files are read and written with every API of node", async () => {
  await file(
    "files.cjs",
    `const fs = require("node:fs");
     (async () => {
       await Promise.all(Array.from({ length: 50 }, (_, i) => fs.promises.writeFile("f" + i, "x".repeat(i))));
       const w = fs.watch("."); await fs.promises.copyFile("f1", "g1"); w.close();
       console.log((await fs.promises.readdir(".")).filter((n) => /^[fg]\\d/.test(n)).length);
     })();`,
  );
  expect((await run("node files.cjs")).stdout).toBe("51\n");
});

test("git commits", async () => {
  const value = await run(
    "git init -q repo && cd repo && echo x > a && git add a && git commit -qm one && git log --oneline | wc -l",
  );
  expect(value.stdout.trim()).toBe("1");
});

where("npm")("npm installs what lies on the disk and runs its scripts", async () => {
  const value = await run(
    `mkdir -p dep app && echo '{"name":"dep","version":"1.0.0","main":"i.js"}' > dep/package.json && echo 'module.exports = 7' > dep/i.js && cd app && echo '{"name":"app","scripts":{"test":"node -p \\"require(String.fromCharCode(100,101,112))\\""}}' > package.json && npm install --offline --no-audit --no-fund ../dep >/dev/null && npm test --silent`,
  );
  expect(value.stdout).toBe("7\n");
});

whereRuns("pnpm", "--version")("pnpm links what lies on the disk and runs its scripts", async () => {
  const value = await run(
    `mkdir -p pdep papp && echo '{"name":"pdep","version":"1.0.0","main":"i.js"}' > pdep/package.json && echo 'module.exports = 8' > pdep/i.js && cd papp && echo '{"name":"papp","dependencies":{"pdep":"link:../pdep"},"scripts":{"test":"node -p \\"require(String.fromCharCode(112,100,101,112))\\""}}' > package.json && pnpm install --offline >/dev/null && pnpm --silent test`,
  );
  expect(value.stdout).toBe("8\n");
});

whereRuns("cargo", "--version")("cargo builds a crate and runs its tests", async () => {
  const value = await run(
    `mkdir -p crate/src && cd crate && printf '[package]\\nname = "made"\\nversion = "0.1.0"\\nedition = "2021"\\n' > Cargo.toml && echo '#[test] fn adds() { assert_eq!(1 + 1, 2); }' > src/lib.rs && cargo test --offline --quiet 2>&1 | grep "test result"`,
  );
  expect(value.stdout).toContain("test result: ok. 1 passed");
});

whereRuns(
  "python3",
  "-c",
  "import ensurepip, venv",
)("pip installs a package that lies on the disk into a virtual environment", async () => {
  const value = await run(
    `mkdir -p wheel && python3 - <<'EOF' && python3 -m venv made && made/bin/pip install -q --no-index wheel/tiny-1.0-py3-none-any.whl && made/bin/python -c 'import tiny; print(tiny.seven)'
import zipfile
with zipfile.ZipFile("wheel/tiny-1.0-py3-none-any.whl", "w") as whl:
    whl.writestr("tiny.py", "seven = 7\\n")
    whl.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
    whl.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    whl.writestr("tiny-1.0.dist-info/RECORD", "tiny.py,,\\n")
EOF`,
  );
  expect(value.stdout).toBe("7\n");
});

where("mvn")(
  "Maven builds, with a repository in the jail's home and nothing of the machine's settings",
  async () => {
    await file(
      "pom.xml",
      "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>",
    );
    const value = await run("mvn -q -B -o validate && ls /etc/maven && ls -d ~/.m2/repository");
    expect(value).toMatchObject({ exitCode: 0, stdout: "logging\nm2.conf\n/home/agent/.m2/repository\n" });
  },
);

where("python3")("python's processes share a queue, a pool, memory and a manager", async () => {
  await file(
    "pool.py",
    `import multiprocessing as m
from multiprocessing import shared_memory
def f(x): return x * 2
if __name__ == "__main__":
    for way in ("fork", "spawn", "forkserver"):
        with m.get_context(way).Pool(2) as p: print(way, sum(p.map(f, range(4))))
    with m.Manager() as g:
        l = g.list([1]); l.append(2); print(list(l))
    s = shared_memory.SharedMemory(create=True, size=4096); s.buf[0] = 5; print(s.buf[0]); s.close(); s.unlink()
`,
  );
  expect((await run("python3 pool.py")).stdout).toBe("fork 12\nspawn 12\nforkserver 12\n[1, 2]\n5\n");
});

where("strace")("strace follows a program of its own", async () => {
  if (!mayTrace()) return;
  expect((await run("strace -f -e trace=write sh -c 'echo traced' 2>&1 >/dev/null")).stdout).toContain(
    'write(1, "traced',
  );
});

where("gdb")("gdb attaches to a process of the same command", async () => {
  if (!mayTrace()) return;
  const value = await run(
    "sleep 31501 & gdb -p $! --batch -ex 'info proc' 2>&1 | grep -c \"exe = .*sleep\"; kill %1",
  );
  expect(value.stdout).toBe("1\n");
});

where("gcc")("LeakSanitizer, which attaches to its parent, finds a leak", async () => {
  if (!mayTrace()) return;
  await file("leak.c", "#include <stdlib.h>\nvoid *p; int main() { p = malloc(7); p = 0; return 0; }\n");
  expect((await run("gcc -fsanitize=leak leak.c -o leak && ./leak")).stderr).toContain(
    "detected memory leaks",
  );
});
