// Guests as sandboxes of E2B, or of a host with the same API. A pause keeps disk and memory and costs
// nothing. Our server is installed and started after the creation, because a template's own start command
// never sees a sandbox's environment.
import { HandrailError } from "../../../shared/errors.ts";
import { busyScript } from "../busy-script.ts";
import type {
  Endpoint,
  Engine,
  EngineContext,
  FoundGuest,
  Guest,
  GuestSpec,
  ListedGuest,
} from "../engine.ts";
import { minutesOf } from "../guest-settings.ts";
import { answersAt, whenReady } from "../whether-ready.ts";
import { type Described, e2bApi, type Started } from "./e2b-api.ts";
import { envdOf } from "./envd.ts";
import {
  condemned,
  condemnScript,
  folder,
  keptUntilScript,
  serverPath,
  sleepScript,
  startScript,
  usedScript,
} from "./guest-scripts.ts";
import { firstSeconds, isNew, newSandboxes, settledSeconds } from "./new-sandbox.ts";
import { pastProxy } from "./past-proxy.ts";
import { pause } from "./pause.ts";

const serverPort = 8788;
/**
 * If we fail to pause an idle guest, E2B pauses it after this further time. This is only a safety net,
 * because such a pause once lost files (issue 1104).
 */
const spareSeconds = 10 * 60;
const endpointMs = 4 * 60_000;
/** How often to look for the server after a wake. It answers within a second. */
const looksAtWake = 5;
const lookAgainMs = 200;
/**
 * Writes count as lost only above this difference: the clock in the guest ticks every five seconds, and E2B
 * takes some time to pause.
 */
const lostAfterMs = 60_000;
/** The shortest interval between two extensions of the timeout of a guest in use. */
const extendMs = 60_000;
/** For a `connect` that is only needed for its tokens. It never shortens a sandbox's timeout. */
const lookSeconds = 1;

/** Throws `invalid_request` if E2B_API_KEY is missing. */
export function e2bEngine(context: EngineContext): Engine {
  const { elapsed, env, fetch, now, log, owner, platform, tokenOf } = context;
  const api = e2bApi(context);
  /** How long a sandbox runs after a request. E2B's first plan limits every run to an hour. */
  const runSeconds = Math.min(Math.ceil(minutesOf(env) * 60) + spareSeconds, 3_600);
  const sandboxes = newSandboxes(api, context, env.HANDRAIL_E2B_TEMPLATE || "base", removeUnused);
  /** Paused guests that were examined once, so that they need not be woken for it again. */
  const lookedInto = new Set<string>();
  /** By a monotonic clock, in milliseconds. */
  const extendedAt = new Map<string, number>();
  const network = (text: string | undefined) => (text === "full" || text === "registries" ? text : "none");

  async function endpointOf(started: Started): Promise<Endpoint> {
    const { url, headers } = api.routeTo(started, serverPort);
    const authorization = `Bearer ${await tokenOf(started.sandboxID)}`;
    const send = pastProxy(fetch);
    return {
      url,
      headers: { ...headers, authorization },
      fetch: async (input, init) => {
        // A phone that polls is no reason to stay awake.
        if ((init?.method ?? "GET") !== "GET") await extend(started.sandboxID);
        return send(input, init);
      },
      expiresAt: now() + endpointMs,
    };
  }

  /** Never rejects, because the next request shows whether the guest exists. */
  async function extend(guest: string): Promise<void> {
    if (elapsed() - (extendedAt.get(guest) ?? -Infinity) < extendMs) return;
    extendedAt.set(guest, elapsed());
    await api.connect(guest, runSeconds).catch(() => extendedAt.delete(guest));
  }

  /**
   * Installs our server and starts it unless it is running. false = the sandbox is about to be removed.
   * `joins`: another creation made the sandbox.
   */
  async function startServer(started: Started, withNetwork: string | undefined, joins: boolean) {
    const envd = envdOf(fetch, api, started);
    const file = await platform.serverFile?.();
    if (file) await envd.put(serverPath, file);
    const variables = { SANDBOX_TOKEN: await tokenOf(started.sandboxID) };
    return (await envd.run(startScript(network(withNetwork), joins), variables)).trim() !== condemned;
  }

  /** The endpoint, once its server answers. */
  async function ready(started: Started, signal?: AbortSignal): Promise<Endpoint> {
    const endpoint = await endpointOf(started);
    return whenReady({ fetch, elapsed, signal, look: async () => endpoint });
  }

  /** The endpoint of a woken sandbox. If it came back without its memory, its server is started again. */
  async function awake(started: Started, withNetwork: string | undefined): Promise<Endpoint> {
    for (let left = looksAtWake; left > 0; left -= 1) {
      const endpoint = await endpointOf(started);
      if (await answersAt(fetch, endpoint)) return endpoint;
      await pause(lookAgainMs);
    }
    if (await startServer(started, withNetwork, false)) return ready(started);
    throw gone();
  }

  /** A creation that fails leaves no new sandbox behind. */
  async function create(spec: GuestSpec, signal: AbortSignal | undefined): Promise<Guest> {
    const { started, existed } = await sandboxes.open(spec, signal);
    const { sandboxID: guest } = started;
    const takeBack = async () => void (existed || (await removeUnused(guest)));
    try {
      if (!(await startServer(started, spec.network, existed))) {
        await api.remove(guest);
        return await create(spec, signal);
      }
      const endpoint = await ready(started, signal);
      if ((await sandboxes.settle(spec.name, guest)) === guest) {
        // The first request extends this timeout. If no caller receives the guest, `tendPaused` finds it.
        if (await api.connect(guest, settledSeconds)) return { guest, endpoint, takeBack };
        throw new HandrailError(
          "sandbox_unreachable",
          "The sandbox was removed while it started. Try again.",
        );
      }
    } catch (error) {
      await takeBack().catch(() => undefined);
      throw error;
    }
    await takeBack();
    return create(spec, signal);
  }

  /** Removes the guest unless a session was made in it or another creation uses it. */
  async function removeUnused(guest: string): Promise<void> {
    const started = await api.connect(guest, lookSeconds);
    if (!started) return;
    const printed = await envdOf(fetch, api, started).run(condemnScript);
    if (printed.trim() === condemned) await api.remove(guest);
  }

  /**
   * Tells if the sandbox came back in an older state than at its last pause (issue 884), so that writes were
   * lost.
   */
  async function lostSince(started: Started, pausedAt: number): Promise<Pick<Endpoint, "lostSince">> {
    const printed = await envdOf(fetch, api, started).run(keptUntilScript(pausedAt / 1_000));
    const keptUntil = Number(printed.trim()) * 1_000;
    if (!(keptUntil < pausedAt - lostAfterMs)) return {};
    log({ event: "guest_lost_writes", engine: "e2b", guest: started.sandboxID, keptUntil, pausedAt });
    return { lostSince: keptUntil };
  }

  async function sleepNow(guest: string): Promise<void> {
    const started = await api.connect(guest, runSeconds);
    if (!started) return;
    await envdOf(fetch, api, started).run(sleepScript);
    await api.pause(guest);
  }

  /**
   * Whether the guest has been idle for long enough to sleep. A guest that is being made has even less time
   * left, so new ones are excluded.
   */
  function isUnused(found: Described): boolean {
    const leftMs = Date.parse(found.endAt) - now();
    return found.state === "running" && !isNew(found) && leftMs < spareSeconds * 1_000;
  }

  /** A background command sends no requests, so its guest's timeout is extended. */
  async function staysForWork(started: Started): Promise<boolean> {
    const printed = await envdOf(fetch, api, started).run(busyScript(folder));
    if (printed.trim() === "") return false;
    await api.connect(started.sandboxID, runSeconds);
    return true;
  }

  /**
   * Lists may be outdated and the guest may be used meanwhile, so it is checked again, the last time right
   * before the pause. A guest in which no sandbox was made is a leftover.
   */
  async function sleepUnused(guest: string): Promise<void> {
    const isStill = async () => {
      const found = await api.get(guest);
      return found !== undefined && isUnused(found);
    };
    const started = (await isStill()) && (await api.connect(guest, lookSeconds));
    if (!started || (await staysForWork(started))) return;
    const used = await isUsed(started);
    await envdOf(fetch, api, started).run(sleepScript);
    if (await isStill()) await (used ? api.pause(guest) : removeUnused(guest));
  }

  /** Whether a sandbox of ours was ever made in the guest. */
  async function isUsed(started: Started): Promise<boolean> {
    return (await envdOf(fetch, api, started).run(usedScript)).trim() !== "";
  }

  /** An edge that died during `create` leaves a sandbox that no session uses. */
  async function tendPaused(found: Described): Promise<void> {
    const { sandboxID: guest } = found;
    if (!isNew(found) || lookedInto.has(guest)) return;
    const started = await api.connect(guest, firstSeconds);
    if (!started) return;
    if (!(await isUsed(started))) return removeUnused(guest);
    await sleepNow(guest);
    lookedInto.add(guest);
  }

  return {
    name: "e2b",
    // The price of 2 vCPU and 1 GiB, which the template `base` has: https://e2b.dev/pricing, read in November
    // 2026.
    costPerHour: 0.117,
    create,
    async find(guest): Promise<FoundGuest> {
      const found = await api.get(guest);
      if (!found || !isOurs(found)) return { state: "gone" };
      if (found.state !== "running") return { state: "asleep" };
      const started = await api.connect(guest, lookSeconds);
      if (!started) return { state: "gone" };
      const endpoint = await endpointOf(started);
      return (await answersAt(fetch, endpoint)) ? { state: "ready", endpoint } : { state: "starting" };
    },
    async wake(guest) {
      const found = await api.get(guest);
      const started = found && isOurs(found) ? await api.connect(guest, runSeconds) : undefined;
      if (!found || !started) throw gone();
      const endpoint = await awake(started, found.metadata?.network);
      return found.state === "running"
        ? endpoint
        : { ...endpoint, ...(await lostSince(started, Date.parse(found.endAt))) };
    },
    async sleep(guest) {
      const found = await api.get(guest);
      if (found?.state === "running" && isOurs(found)) await sleepNow(guest);
    },
    async remove(guest) {
      const found = await api.get(guest);
      if (found && isOurs(found)) await api.remove(guest);
    },
    async list(): Promise<ListedGuest[]> {
      const all = await api.list({ handrail: owner });
      return all.map(({ sandboxID: guest, state, startedAt, metadata }) => ({
        guest,
        name: metadata?.name ?? guest,
        state: state === "running" ? "ready" : "asleep",
        createdAt: Date.parse(startedAt),
        workspace: metadata?.workspace ?? "",
        person: metadata?.person ?? "",
      }));
    },
    async tend() {
      sandboxes.forget();
      for (const guest of await api.list({ handrail: owner })) {
        if (guest.state !== "running") await tendPaused(guest);
        else if (isUnused(guest)) await sleepUnused(guest.sandboxID);
      }
    },
  };

  function isOurs({ metadata }: Described): boolean {
    return metadata?.handrail === owner;
  }
}

function gone(): HandrailError {
  return new HandrailError("not_found", "This sandbox is gone: E2B no longer has it.");
}
