// A guest of a fake engine: a home folder, and the real processes that were started in it. A pause stops them
// with all their memory.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export interface Command {
  /** Absent = bash. */
  cmd?: string;
  args: string[];
  envs: Record<string, string>;
  stdin?: Uint8Array;
}

/** Marks a guest's processes, so that those that leave their parent can be found. */
const mark = "HANDRAIL_STAND_IN_GUEST";

/** The `date` of a guest whose clock can be moved. Its scripts ask only for seconds. */
const date = `#!/bin/sh
echo $(($(/bin/date +%s) + $(cat "$HOME/ahead" 2>/dev/null || echo 0)))
`;

export class PlayedGuest {
  readonly id: string;
  readonly home: string;
  /** The address of its sandbox server. */
  readonly address: string;
  readonly port: number;
  #firstPause: string | undefined;
  #pauses = 0;
  #lastStart: Command | undefined;

  private constructor(id: string, home: string, address: string, port: number) {
    this.id = id;
    this.home = home;
    this.address = address;
    this.port = port;
  }

  /**
   * `at`: its home folder, if that must stay the same; by default a new one. `address`: an address of this
   * machine.
   */
  static async make(id: string, at?: string, address = "127.0.0.1"): Promise<PlayedGuest> {
    const home = at ?? (await mkdtemp(join(tmpdir(), "handrail-guest-")));
    await mkdir(join(home, "bin"), { recursive: true });
    // A guest need not flush all disks of the machine.
    await writeFile(join(home, "bin", "sync"), "#!/bin/sh\n", { mode: 0o755 });
    await writeFile(join(home, "bin", "date"), date, { mode: 0o755 });
    const guest = new PlayedGuest(id, home, address, await freePort(address));
    await writeFile(join(home, ".bash_profile"), `export PATH='${guest.#path}'\n`);
    return guest;
  }

  get #path(): string {
    return `${join(this.home, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`;
  }

  get state(): string {
    return join(this.home, ".handrail", "state");
  }

  async put(path: string, content: Uint8Array): Promise<void> {
    const target = resolve(this.home, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }

  /** Runs a command to its end. Processes that it starts in the background continue. */
  async run(command: Command): Promise<{ exitCode: number; stdout: Buffer }> {
    if (command.args.join(" ").includes("sandbox.mjs")) this.#lastStart = command;
    const child = this.#spawn(command);
    child.stdin?.on("error", () => undefined).end(command.stdin);
    const stdout: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    const exitCode = await new Promise<number>((done) => child.once("close", (code) => done(code ?? 1)));
    return { exitCode, stdout: Buffer.concat(stdout) };
  }

  async pause(): Promise<void> {
    await this.#signal("SIGSTOP");
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    this.#firstPause = await mkdtemp(join(tmpdir(), "handrail-guest-paused-"));
    await cp(this.home, this.#firstPause, { recursive: true });
  }

  /**
   * `loses`: from the second time on, the guest comes back in the state of its first pause, an hour earlier.
   */
  async resume(loses: boolean): Promise<void> {
    if (!loses || this.#pauses < 2 || !this.#firstPause) return this.#signal("SIGCONT");
    await this.#signal("SIGKILL");
    await rm(this.home, { recursive: true, force: true });
    await cp(this.#firstPause, this.home, { recursive: true });
    await this.age(3_600);
    if (this.#lastStart) await this.run(this.#lastStart);
  }

  /** The guest comes back with its disk and without its processes. */
  async reboot(): Promise<void> {
    await this.#signal("SIGKILL");
  }

  /** Moves the times that the guest recorded back by this many seconds. */
  async age(seconds: number): Promise<void> {
    const path = join(this.home, ".handrail", "tick");
    await writeFile(path, String(Number(await readFile(path, "utf8")) - seconds));
  }

  /**
   * Sets its clock ahead of this machine's by this many seconds. `ticks`: the guest's clock recorded the time
   * meanwhile.
   */
  async setAhead(seconds: number, ticks: boolean): Promise<void> {
    await writeFile(join(this.home, "ahead"), String(seconds));
    const now = Math.floor(Date.now() / 1_000) + seconds;
    if (ticks) await writeFile(join(this.home, ".handrail", "tick"), String(now));
  }

  /**
   * Keeps the script that records the time from starting: a test's clock advances faster than the script could
   * follow, so `setAhead` records the time instead.
   */
  async withoutClock(): Promise<void> {
    const script = `#!/bin/sh\ncase "$*" in *clock.lock*) exit 0 ;; esac\nPATH='${process.env.PATH}'\nexec flock "$@"\n`;
    await writeFile(join(this.home, "bin", "flock"), script, { mode: 0o755 });
  }

  async end(): Promise<void> {
    await this.#signal("SIGKILL");
    for (const folder of [this.home, this.#firstPause]) {
      if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** Starts a command and lets it run. */
  begin(command: Command): ChildProcess {
    const child = this.#spawn(command);
    child.stdin?.end();
    child.stdout?.resume();
    return child;
  }

  /** Ends all its processes at once, as in a power failure. */
  async kill(): Promise<void> {
    await this.#signal("SIGKILL");
  }

  #spawn({ cmd = "/bin/bash", args, envs }: Command): ChildProcess {
    const own = { HOME: this.home, PORT: String(this.port), [mark]: this.id, HANDRAIL_NO_BWRAP: "1" };
    const env = { PATH: this.#path, ...own, ...envs };
    return spawn(cmd, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await this.#processes()) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended meanwhile.
      }
    }
  }

  async #processes(): Promise<number[]> {
    const found: number[] = [];
    for (const name of await readdir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const variables = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
      if (this.#isOwn(variables.split("\0"))) found.push(Number(name));
    }
    return found;
  }

  /**
   * Hosts of other tests use the same names, and the sandbox server does not pass the mark on to its
   * commands, so the home folder tells guests apart.
   */
  #isOwn(variables: readonly string[]): boolean {
    const [marked = `${mark}=${this.id}`] = variables.filter((one) => one.startsWith(`${mark}=`));
    return marked === `${mark}=${this.id}` && variables.includes(`HOME=${this.home}`);
  }
}

async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, host, done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  return typeof address === "object" && address ? address.port : 0;
}
