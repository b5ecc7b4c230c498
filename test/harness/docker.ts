// A Docker engine of the test's own, with a base image that is made here, so that no registry is needed.
// Needs root and Debian's docker.io.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dockerWorks } from "../../scripts/test/find-tools.ts";

/** Whether these tests can run on this machine. */
export const canRunDocker = dockerWorks();

const mirror = "http://deb.debian.org/debian";
/** The programs in the base image, besides this machine's node. */
const programs = "git,bubblewrap,ripgrep,ca-certificates";
/** Kept for the next run, because making it takes minutes. */
export const base = join(tmpdir(), "handrail-container-base.tar");

export class DockerEngine {
  readonly folder = mkdtempSync(join(tmpdir(), "handrail-container-"));
  /** The address in DOCKER_HOST's form. */
  readonly address = `unix://${join(this.folder, "sock")}`;
  /**
   * By default, all daemons on a machine share one bridge and give the same addresses to different
   * containers.
   */
  readonly #bridge = `hr${randomBytes(5).toString("hex")}`;
  readonly #isWalled: boolean;
  #daemon: ChildProcess | undefined;

  private constructor(isWalled: boolean) {
    this.#isWalled = isWalled;
  }

  /**
   * Starts an engine with the image `handrail-base`: Debian, this machine's node, git, bubblewrap and
   * ripgrep. `isWalled`: with its firewall, in its own network namespace, so that this machine's rules do not
   * change. Its published ports can be reached only from there.
   */
  static async start(isWalled = false): Promise<DockerEngine> {
    const engine = new DockerEngine(isWalled);
    if (!isWalled) engine.#makeBridge();
    must("flock", `${base}.lock`, "bash", "-c", makeBase, "bash", base, realpathSync(process.execPath));
    await engine.startDaemon();
    engine.docker("import", base, "handrail-base");
    return engine;
  }

  docker(...args: string[]): string {
    const done = spawnSync("docker", args, {
      encoding: "utf8",
      env: { ...process.env, DOCKER_HOST: this.address, DOCKER_BUILDKIT: "0" },
    });
    if (done.status !== 0) throw new Error(`docker ${args[0]}: ${done.stdout}${done.stderr}`);
    return done.stdout.trim();
  }

  /** `context`: a folder. `file`: a Containerfile whose base images this engine has. */
  build(context: string, file: string, tag: string): void {
    const bases = ["NODE_IMAGE", "BASE_IMAGE"].flatMap((name) => ["--build-arg", `${name}=handrail-base`]);
    this.docker("build", "-q", "--network=none", ...bases, "-f", file, "-t", tag, context);
  }

  /** Resolves when the daemon answers; docker's own client waits the same way. */
  async startDaemon(...more: string[]): Promise<void> {
    const at = (name: string) => join(this.folder, name);
    // These files of a killed daemon name processes that may not have been reaped yet.
    for (const stale of ["pid", "exec/containerd/containerd.pid"]) rmSync(at(stale), { force: true });
    const places = ["--data-root", at("data"), "--exec-root", at("exec"), "--pidfile", at("pid")];
    const walls = [`--iptables=${this.#isWalled}`, "--ip6tables=false"];
    const bridge = this.#isWalled ? [] : ["--bridge", this.#bridge];
    const [program = "", ...args] = [
      ...(this.#isWalled ? ["unshare", "--net", "--"] : []),
      "dockerd",
      ...walls,
      ...bridge,
    ];
    // A file, and not a pipe: while this process waits for `docker`, it reads no pipe, and the daemon would wait
    // until somebody reads its log.
    const log = openSync(at("log"), "w");
    const daemon = spawn(program, [...args, "-H", this.address, ...places, ...more], {
      stdio: ["ignore", "ignore", log],
    });
    closeSync(log);
    this.#daemon = daemon;
    let problem: Error | undefined;
    daemon.once("error", (error) => {
      problem = error;
    });
    for (;;) {
      const said = readFileSync(at("log"), "utf8");
      if (said.includes("API listen on")) return;
      if (problem || daemon.exitCode !== null || daemon.signalCode !== null)
        throw problem ?? new Error(said.slice(-2_000));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The process id of the daemon, whose network namespace is this machine's unless it is walled. */
  get pid(): number {
    return this.#daemon?.pid ?? 0;
  }

  async stopDaemon(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const daemon = this.#daemon;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const ended = new Promise((resolve) => daemon.once("exit", resolve));
    daemon.kill(signal);
    await ended;
  }

  /** Ends the engine with its containers and removes all its files. */
  async close(): Promise<void> {
    if (this.#daemon?.exitCode !== null || this.#daemon.signalCode !== null) await this.startDaemon();
    for (;;) {
      const containers = this.docker("ps", "-aq").split("\n").filter(Boolean);
      if (containers.length === 0) break;
      try {
        this.docker("rm", "-f", ...containers);
      } catch (error) {
        // An edge is still removing some of them, for example where the test has failed.
        if (!String(error).includes("already in progress")) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
    // Otherwise its networks stay on the machine, which has addresses for about thirty.
    this.docker("network", "prune", "-f");
    await this.stopDaemon();
    // A killed daemon leaves its mount.
    spawnSync("umount", ["-q", "--lazy", join(this.folder, "data")]);
    if (!this.#isWalled) must("ip", "link", "delete", this.#bridge);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #makeBridge(): void {
    const [second, third] = randomBytes(2);
    must("ip", "link", "add", this.#bridge, "type", "bridge");
    must("ip", "address", "add", `10.${second}.${third}.1/24`, "dev", this.#bridge);
    must("ip", "link", "set", this.#bridge, "up");
  }
}

/** Made once for all runs that need it at the same time. The rename makes it appear whole or not at all. */
const makeBase = `[ -e "$1" ] && exit
tree=$(mktemp -d) && trap 'rm -rf "$tree" "$1.part"' EXIT
debootstrap --variant=minbase --include=${programs} bookworm "$tree" ${mirror} &&
cp "$2" "$tree/usr/local/bin/node" && chmod 755 "$tree" &&
tar -cf "$1.part" -C "$tree" --exclude=./var/cache/apt/* . && mv "$1.part" "$1"`;

export function must(program: string, ...args: string[]): void {
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program}: ${(done.stdout + done.stderr).slice(-2_000)}`);
}
