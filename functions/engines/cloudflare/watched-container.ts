// A container whose `running` can be relied on. The platform's own `running` becomes false only while
// `monitor()` is awaited, and possibly after `destroy()` has returned: workerd's
// src/workerd/api/container.c++ until July 2026.
import type { GuestContainer, PlatformContainer } from "./container.ts";

export class WatchedContainer implements GuestContainer {
  readonly #container: PlatformContainer;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(container: PlatformContainer) {
    this.#container = container;
    // The container keeps running when its object restarts.
    if (container.running) this.#watch();
  }

  get running() {
    return this.#container.running;
  }

  get images() {
    return this.#container.images;
  }

  start(options: Parameters<GuestContainer["start"]>[0]): void {
    this.#container.start(options);
    this.#watch();
  }

  async destroy(reason?: string): Promise<void> {
    await this.#container.destroy(reason);
    await this.#ended;
  }

  exec(...given: Parameters<GuestContainer["exec"]>) {
    return this.#container.exec(...given);
  }

  getTcpPort(port: number) {
    return this.#container.getTcpPort(port);
  }

  setInactivityTimeout(ms: number) {
    return this.#container.setInactivityTimeout(ms);
  }

  snapshotContainer(...given: Parameters<GuestContainer["snapshotContainer"]>) {
    return this.#container.snapshotContainer(...given);
  }

  #watch(): void {
    this.#ended = this.#container.monitor().catch(() => undefined);
  }
}
