// Connections to a remote engine as on a person's machine: TLS with keys of a temporary authority, and
// OpenSSH's own server and client on a loopback port. Also Podman's service.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base, must } from "./docker.ts";

export const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/**
 * Fills a folder in the form of DOCKER_CERT_PATH, plus the server's pair: ca, cert, key, server-cert,
 * server-key.
 */
export function keysIn(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, `${name}.pem`);
  const days = ["-days", "2"];
  const pair = ["req", "-newkey", "rsa:2048", "-nodes"];
  must("openssl", ...pair, "-x509", ...days, "-subj", "/CN=ca", "-keyout", at("ca-key"), "-out", at("ca"));
  for (const [name, extension] of [
    ["server-", "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth"],
    ["", "extendedKeyUsage=clientAuth"],
  ] as const) {
    writeFileSync(at("extensions"), extension);
    must("openssl", ...pair, "-subj", "/CN=handrail", "-keyout", at(`${name}key`), "-out", at("request"));
    const by = ["-CA", at("ca"), "-CAkey", at("ca-key"), "-CAcreateserial", "-extfile", at("extensions")];
    must("openssl", "x509", "-req", ...days, "-in", at("request"), ...by, "-out", at(`${name}cert`));
  }
}

/**
 * Starts OpenSSH's server, in which `docker` finds the engine at `address`. `bin`: a folder with an `ssh`
 * that logs in without prompts.
 */
export async function sshTo(address: string): Promise<{ port: number; bin: string; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "handrail-ssh-"));
  const at = (name: string) => join(folder, name);
  for (const name of ["host", "own"]) must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(name));
  const port = await freePort();
  const settings = [
    ...[`ListenAddress 127.0.0.1:${port}`, `HostKey ${at("host")}`, `AuthorizedKeysFile ${at("own.pub")}`],
    ...["PidFile none", "UsePAM no", "StrictModes no", "PasswordAuthentication no", "PermitRootLogin yes"],
    `SetEnv DOCKER_HOST=${address} PATH=${process.env.PATH}`,
  ];
  writeFileSync(at("sshd_config"), settings.join("\n"));
  const client = [
    "StrictHostKeyChecking no",
    `UserKnownHostsFile ${at("known")}`,
    `IdentityFile ${at("own")}`,
  ];
  writeFileSync(at("ssh_config"), client.join("\n"));
  const bin = at("bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F ${at("ssh_config")} "$@"\n`);
  chmodSync(join(bin, "ssh"), 0o755);
  mkdirSync("/run/sshd", { recursive: true });
  const server = spawn("/usr/sbin/sshd", ["-D", "-f", at("sshd_config")], { stdio: "ignore" });
  await answering({ port });
  return {
    ...{ port, bin },
    close() {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Podman's service with its own storage, and the image `handrail-sandbox` built from `context`. */
export class PodmanEngine {
  readonly folder = mkdtempSync(join(tmpdir(), "handrail-podman-"));
  #service: ChildProcess | undefined;

  static async start(context: string): Promise<PodmanEngine> {
    const engine = new PodmanEngine();
    engine.podman("import", "-q", base, "handrail-base");
    const file = "sandbox/deploy/Containerfile";
    const from = ["--build-arg", "NODE_IMAGE=handrail-base", "-f", file, "-t", "handrail-sandbox"];
    engine.podman("build", "-q", "--network=none", ...from, context);
    const settings = join(engine.folder, "containers.conf");
    // Podman's default limits are above what some machines allow.
    writeFileSync(settings, '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n');
    engine.#service = spawn("podman", [...engine.#own, "system", "service", "--time=0", engine.address], {
      env: { ...process.env, CONTAINERS_CONF: settings },
      stdio: "ignore",
    });
    await answering({ path: engine.address.replace("unix://", "") });
    return engine;
  }

  get address(): string {
    return `unix://${join(this.folder, "sock")}`;
  }

  podman(...args: string[]): void {
    must("podman", ...this.#own, ...args);
  }

  /** Removes all containers, volumes and images of this storage. */
  close(): void {
    this.#service?.kill();
    this.podman("system", "reset", "--force");
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #own(): string[] {
    const places = ["root", "runroot", "tmpdir"].flatMap((name) => [`--${name}`, join(this.folder, name)]);
    // The other runtime, crun, refuses machines that have both versions of cgroups.
    return [...places, "--runtime=runc", "--cgroup-manager=cgroupfs", "--events-backend=file"];
  }
}

/** A port of this machine that leads to the socket at `path`. An engine there counts as remote. */
export async function tcpTo(path: string): Promise<{ port: number; close(): void }> {
  const server = createServer((near) => {
    const far = connect(path);
    near.pipe(far).pipe(near);
    for (const socket of [near, far])
      socket.on("error", () => [near, far].forEach((one) => void one.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  return typeof address === "object" && address ? address.port : 0;
}

async function answering(where: { port: number } | { path: string }): Promise<void> {
  for (;;) {
    const socket = createConnection("port" in where ? { ...where, host: "127.0.0.1" } : where);
    const open = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
