// A stand-in for `ctx.container` in runs without Docker. It behaves as workerd documents, and container-host.ts runs its
// containers as local processes.
import { SandboxGuest as Guest } from "./guests.mjs";

class PlayedContainer {
  running = false;
  #at;
  /** `start` returns before the container has started; later calls wait for this promise. */
  #started = Promise.resolve();
  /** The `reject` functions of the pending `monitor()` calls. */
  #watchers = [];

  constructor(host, name) {
    this.#at = `${host}/${encodeURIComponent(name)}`;
  }

  async look(what) {
    await this.#started;
    const running = await this.#ask(what);
    if (running) this.running = true;
    else if (this.running) this.#ended();
  }

  monitor() {
    return new Promise((_resolve, reject) => this.#watchers.push(reject));
  }

  /** As in workerd until July 2026, `running` stays true if no `monitor()` call is pending. */
  #ended() {
    if (this.#watchers.length > 0) this.running = false;
    for (const reject of this.#watchers.splice(0)) reject(new Error("the container ended"));
  }

  start(options) {
    if (this.running) throw new Error("start() cannot be called on a container that is already running.");
    this.running = true;
    this.#started = this.#ask("start", JSON.stringify(options)).then((running) => {
      if (!running) this.#ended();
    });
  }

  async exec(command, { stdin } = {}) {
    await this.#started;
    if (!this.running) throw new Error("exec() cannot be called on a container that is not running.");
    const query = new URLSearchParams({ command: JSON.stringify(command) });
    const answer = await fetch(`${this.#at}/exec?${query}`, { method: "POST", body: stdin });
    if (!answer.ok) throw new Error(await answer.text());
    return { stdout: answer.body, exitCode: Promise.resolve(Number(answer.headers.get("x-exit-code"))) };
  }

  getTcpPort(port) {
    return {
      fetch: async (request) => {
        await this.#started;
        const { pathname, search } = new URL(request.url);
        const answer = await fetch(`${this.#at}/port/${port}${pathname}${search}`, request);
        if (!answer.headers.has("x-not-listening")) return answer;
        throw new Error("the container is not listening in the TCP address 10.0.0.1:8788");
      },
    };
  }

  async setInactivityTimeout(ms) {
    if (ms > 6 * 3_600_000) throw new Error("setInactivityTimeout() takes at most 6 hours.");
    await this.#started;
    await this.#ask("timeout", String(ms));
  }

  snapshotContainer() {
    return this.#ask("snapshot");
  }

  async destroy() {
    if (!this.running) return;
    await this.#ask("destroy");
    // As on the platform, pending `monitor()` calls may end later than this call.
    setTimeout(() => this.#ended());
  }

  async #ask(what, body = "") {
    const answer = await fetch(`${this.#at}/${what}`, { method: "POST", body });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }
}

export class SandboxGuest extends Guest {
  #played;

  get container() {
    this.#played ??= new PlayedContainer(this.env.CONTAINER_HOST, this.ctx.id.name);
    return this.#played;
  }

  attach() {
    return this.container.look("attach");
  }

  /** Every request first updates `running`, as the platform does. Tests can also request an alarm or the object's end. */
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/played/restart") this.ctx.abort("restarted");
    await this.container.look("running");
    if (pathname === "/played/due") return Response.json(await this.ctx.storage.getAlarm());
    if (pathname !== "/played/alarm") return super.fetch(request);
    // The platform clears an alarm when it fires.
    await this.ctx.storage.deleteAlarm();
    await super.alarm();
    return new Response();
  }
}
