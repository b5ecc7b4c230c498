// One guest's Durable Object: starts its container, passes requests on, saves its disk before it sleeps and
// restores it. A container loses its disk when it stops, so nothing here stops one that was not saved.
import { HandrailError } from "../../../shared/errors.ts";
import type { Network } from "../../../shared/network.ts";
import { bringDisk, isBusy, keepDisk } from "./guest-disk.ts";
import type { Created, GuestRecord, NewGuest, Status } from "./guest-record.ts";
import { entrypoint } from "./guest-scripts.ts";
import { archiveOf, type GuestSite } from "./guest-site.ts";

const serverPort = 8788;
/** Time between two checks of whether the guest is idle. */
const lookMs = 60_000;
/** The platform ends idle containers only after this further time. We do it first and save the disk. */
const spareMs = 10 * 60_000;
/** The platform's maximum. Each check starts the time again. */
const longestMs = 6 * 60 * 60_000;
/** A guest without a sandbox after this long belongs to an edge that died. */
const leftoverMs = 10 * 60_000;

export class GuestObject {
  readonly #site: GuestSite;
  #lastUse: number;
  #open = 0;
  /** The disk is being saved: a write that arrived now would be acknowledged and then lost. */
  #ending = false;
  /** Runs one change of the container after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(site: GuestSite) {
    this.#site = site;
    this.#lastUse = site.now();
  }

  /** Call it when the object starts: the platform has forgotten the timeout. Never rejects. */
  async resume(): Promise<void> {
    const { container, storage, log } = this.#site;
    if (!container().running) return;
    try {
      const record = await this.#record();
      // The object had died after saving the disk and before ending the container, so the container stays in
      // use.
      if (record?.restored && !record.awake) await storage.put("guest", { ...record, awake: true });
      await this.#setTimeout();
    } catch (error) {
      log({ event: "guest_resume", problem: problemOf(error) });
    }
  }

  /** Passes a request on; undefined = it did not arrive, because the container does not listen. */
  async pass(request: Request, uses: boolean): Promise<Response | undefined> {
    const container = this.#site.container();
    if (!container.running || this.#ending) return undefined;
    if (uses) this.#use(1);
    let response: Response;
    try {
      response = await container.getTcpPort(serverPort).fetch(request);
    } catch (error) {
      if (uses) this.#use(-1);
      if (error instanceof Error && /not listening|not running/.test(error.message)) return undefined;
      throw error;
    }
    if (!uses) return response;
    const { body } = response;
    if (!body) {
      this.#use(-1);
      return response;
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    void body.pipeTo(writable).then(
      () => this.#use(-1),
      () => this.#use(-1),
    );
    return new Response(readable, response);
  }

  /** If it fails, a guest that did not exist before is removed again. */
  create(owner: string, { token, ...wanted }: NewGuest): Promise<Created> {
    return this.#alone(async () => {
      const earlier = await this.#record();
      if (earlier && earlier.owner !== owner)
        throw new HandrailError("invalid_request", "Another edge has a guest of this name.");
      const record = earlier
        ? { ...earlier, joined: true }
        : {
            ...{ ...wanted, owner, createdAt: this.#site.now() },
            ...{ awake: false, restored: false, used: false },
          };
      try {
        await this.#begin(record, token);
      } catch (error) {
        if (!earlier) await this.#remove(record);
        throw error;
      }
      return { existed: earlier !== undefined };
    });
  }

  /** Throws `not_found` if no copy of the guest is left. */
  wake(owner: string, token: string): Promise<void> {
    return this.#alone(async () => {
      const record = await this.#of(owner);
      if (!record || (!this.#site.container().running && !record.kept)) throw gone();
      await this.#begin(record, token);
    });
  }

  sleep(owner: string): Promise<void> {
    return this.#alone(async () => {
      const record = await this.#of(owner);
      if (record && this.#site.container().running) await this.#end(record);
    });
  }

  keep(owner: string): Promise<void> {
    return this.#alone(async () => {
      const record = await this.#of(owner);
      if (record) await this.#site.storage.put("guest", { ...record, used: true });
    });
  }

  remove(owner: string): Promise<void> {
    return this.#alone(async () => {
      const record = await this.#of(owner);
      if (record) await this.#remove(record);
    });
  }

  /** Removes a guest whose creation failed later, unless it is in use or another creation joined it. */
  takeBack(owner: string): Promise<void> {
    return this.#alone(async () => {
      const record = await this.#of(owner);
      if (record && !record.used && !record.joined) await this.#remove(record);
    });
  }

  async status(owner: string): Promise<Status> {
    const record = await this.#of(owner);
    if (!record) return { state: "gone" };
    if (this.#site.container().running) return { state: "running" };
    if (!record.kept) return { state: "gone" };
    // The container stopped without being put to sleep. Changes since the last copy are lost, so a person
    // decides.
    return record.awake ? { state: "gone", snapshotAt: record.kept.at } : { state: "asleep" };
  }

  /**
   * Puts an idle guest to sleep. Schedules the next alarm first, because the platform stops retrying failed
   * ones after some tries.
   */
  alarm(): Promise<void> {
    return this.#alone(async () => {
      const { now, storage } = this.#site;
      await storage.setAlarm(now() + lookMs);
      const record = await this.#record();
      if (!record) return storage.deleteAlarm();
      try {
        await this.#look(record);
      } catch (error) {
        const { name: guest } = record;
        this.#site.log({ event: "guest_alarm", guest, problem: problemOf(error) });
      }
    });
  }

  async #look(record: GuestRecord): Promise<void> {
    const { container, now, idleMs } = this.#site;
    if (!container().running) return this.#ended(record);
    if (!record.restored) return record.used ? this.#drop(record) : this.#remove(record);
    if (!record.used && now() - record.createdAt > leftoverMs) return this.#remove(record);
    // The platform counts only requests as use, so its timeout is extended while the guest works.
    await this.#setTimeout();
    const isUnused = () => this.#open === 0 && now() - this.#lastUse >= idleMs;
    if (isUnused() && !(await isBusy(this.#site)) && isUnused()) await this.#end(record);
  }

  /** The container ended without us. The list is updated, because listed guests count as awake. */
  async #ended(record: GuestRecord): Promise<void> {
    const { note, storage } = this.#site;
    if (!record.used) return this.#remove(record);
    await note(record, record.kept && !record.awake ? "asleep" : "gone");
    await storage.deleteAlarm();
  }

  async #begin(record: GuestRecord, token: string): Promise<void> {
    const { container, storage, now, note } = this.#site;
    // The object restarted while it woke the guest.
    if (container().running && !record.restored) await this.#drop(record);
    await storage.setAlarm(now() + lookMs);
    if (!container().running) {
      await storage.put("guest", { ...record, restored: false });
      try {
        // The guest is listed before it starts, so that no running container is left out of the list.
        await note(record, "ready");
        await bringDisk(this.#site, record, (from) => this.#start(record.network, token, from));
      } catch (error) {
        await this.#drop(record);
        throw error;
      }
    }
    await this.#setTimeout();
    this.#lastUse = now();
    await storage.put("guest", { ...record, awake: true, restored: true });
  }

  #start(
    network: Network,
    token: string,
    from: { containerSnapshot: { id: string } } | { image: string },
  ): void {
    const { container, server, instance } = this.#site;
    const disk = "image" in from && from.image === "" ? {} : { ...from, ...(instance ? { instance } : {}) };
    container().start({
      entrypoint: entrypoint(server.name, network),
      env: { SANDBOX_TOKEN: token, HANDRAIL_PRIVATE_SOURCES: "0" },
      // Clones need the internet. Our server itself limits the network of commands.
      enableInternet: true,
      ...disk,
    });
  }

  /** Ends a container whose disk was not restored. Saving it would overwrite the only good copy. */
  async #drop(record: GuestRecord): Promise<void> {
    const { container, storage } = this.#site;
    if (container().running) await container().destroy("its disk was not brought back");
    await storage.put("guest", { ...record, restored: false });
    // The alarm removes a guest that was never used.
    if (record.used) await this.#ended(record);
  }

  async #end(record: GuestRecord): Promise<void> {
    const { container, storage, note } = this.#site;
    if (!record.restored) return this.#drop(record);
    this.#ending = true;
    try {
      const kept = await keepDisk(this.#site, record);
      // If the object dies here, resume() continues.
      await storage.put("guest", { ...record, kept, awake: false });
      await container()
        .destroy("asleep")
        .catch(async (error: unknown) => {
          if (!container().running) return;
          // The container keeps running, and that copy lacks all changes from now on.
          await storage.put("guest", { ...record, kept });
          throw error;
        });
    } finally {
      this.#ending = false;
    }
    // The alarm is deleted only when the list has been updated: if this object dies before, the alarm updates
    // the list.
    await note(record, "asleep");
    await storage.deleteAlarm();
  }

  async #remove(record: GuestRecord): Promise<void> {
    const { container, storage, bucket, note } = this.#site;
    if (container().running) await container().destroy("removed");
    await bucket?.delete(archiveOf(record));
    await note(record, undefined);
    await storage.deleteAlarm();
    await storage.deleteAll();
  }

  #setTimeout(): Promise<void> {
    const { container, idleMs } = this.#site;
    return container().setInactivityTimeout(Math.min(idleMs + spareMs, longestMs));
  }

  #record(): Promise<GuestRecord | undefined> {
    return this.#site.storage.get<GuestRecord>("guest");
  }

  async #of(owner: string): Promise<GuestRecord | undefined> {
    const record = await this.#record();
    return record?.owner === owner ? record : undefined;
  }

  #use(change: 1 | -1): void {
    this.#open += change;
    this.#lastUse = this.#site.now();
  }

  #alone<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act, act);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function gone(): HandrailError {
  return new HandrailError("not_found", "The guest is gone, and no copy of it is left.");
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
