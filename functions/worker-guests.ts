// The second script on Cloudflare: a Durable Object with a container for each guest, and one that lists them. It has no
// public URL, and the edge reaches it through a binding. It is not part of the edge's own script.
import { DurableObject } from "cloudflare:workers";
import * as z from "zod/mini";
import { version } from "../shared/version.ts";
import type { Bucket, PlatformContainer } from "./engines/cloudflare/container.ts";
import { GuestObject } from "./engines/cloudflare/guest-object.ts";
import { GuestPlaces } from "./engines/cloudflare/guest-places.ts";
import {
  controlPath,
  type GuestRecord,
  type GuestRow,
  indexName,
  ownerHeader,
} from "./engines/cloudflare/guest-record.ts";
import { answerGuest } from "./engines/cloudflare/guest-routes.ts";
import type { GuestSite } from "./engines/cloudflare/guest-site.ts";
import { WatchedContainer } from "./engines/cloudflare/watched-container.ts";
import { minutesOf } from "./engines/guest-settings.ts";
// The program of the containers, uploaded as text with this script.
import serverText from "./sandbox.mjs";

const GuestBindings = z.looseObject({
  GUESTS: z.custom<{ getByName(name: string): { fetch: typeof fetch } }>(),
  GUEST_ARCHIVES: z.optional(z.custom<Bucket>()),
  HANDRAIL_GUEST_IDLE_MINUTES: z.optional(z.string()),
  GUEST_IMAGE: z.optional(z.string()),
  GUEST_INSTANCE: z.optional(z.string()),
});

/** Bound as GUESTS. Tests replace the container. */
export class SandboxGuest extends DurableObject {
  readonly #guest: GuestObject;
  readonly #places: GuestPlaces;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    const bindings = z.parse(GuestBindings, env);
    let container: WatchedContainer | undefined;
    const site: GuestSite = {
      container: () => (container ??= new WatchedContainer(this.container)),
      storage: ctx.storage,
      bucket: bindings.GUEST_ARCHIVES,
      note: (record, state) => noteIn(bindings.GUESTS.getByName(indexName), record, state),
      // The name contains the length too, because others may build this version between two releases.
      server: { text: serverText, name: `sandbox-${version}-${serverText.length}.mjs` },
      now: () => Date.now(),
      log: (entry) => console.log(JSON.stringify(entry)),
      idleMs: minutesOf(variablesOf(bindings)) * 60_000,
      image: bindings.GUEST_IMAGE ?? "",
      instance: bindings.GUEST_INSTANCE ?? "",
      ofLength: (bytes, stream) => stream.pipeThrough(new FixedLengthStream(bytes)),
    };
    this.#guest = new GuestObject(site);
    this.#places = new GuestPlaces(site);
    void ctx.blockConcurrencyWhile(async () => {
      await this.attach();
      await this.#guest.resume();
    });
  }

  /** Called before anything else. The real container needs nothing; tests override this. */
  protected async attach(): Promise<void> {}

  protected get container(): PlatformContainer {
    if (this.ctx.container) return this.ctx.container;
    throw new Error("wrangler.sandbox.toml names no container for this class");
  }

  fetch(request: Request): Promise<Response> {
    return answerGuest({ guest: this.#guest, places: this.#places, storage: this.ctx.storage }, request);
  }

  override alarm(): Promise<void> {
    return this.#guest.alarm();
  }
}

function variablesOf(bindings: z.infer<typeof GuestBindings>): Record<string, string | undefined> {
  return { HANDRAIL_GUEST_IDLE_MINUTES: bindings.HANDRAIL_GUEST_IDLE_MINUTES };
}

async function noteIn(
  index: { fetch: typeof fetch },
  { name: guest, owner, createdAt, workspace, person }: GuestRecord,
  state: GuestRow["state"] | undefined,
): Promise<void> {
  const row = state && { guest, state, createdAt, workspace, person };
  const answer = await index.fetch(`http://guest${controlPath}note`, {
    method: "POST",
    headers: { [ownerHeader]: owner },
    body: JSON.stringify({ guest, row }),
  });
  if (!answer.ok) throw new Error(`the list of guests answers ${answer.status}`);
}

/** The script has no route, so requests cannot reach it. */
export default { fetch: () => new Response(null, { status: 404 }) };
