// Miniflare, with the binding GUESTS for the edge: Durable Objects that send everything on to where guests are played.
// guest-edge.ts puts a copy of this file beside Miniflare.
// biome-ignore lint/correctness/noUndeclaredDependencies: of scripts/tools/workerd
import * as real from "miniflare";

const script = `
import { DurableObject } from "cloudflare:workers";
export class PassedOn extends DurableObject {
  fetch(request) {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("x-played-guest", this.ctx.id.name);
    return fetch(new URL(pathname + search, this.env.GUESTS_AT), new Request(request, { headers, redirect: "manual" }));
  }
}
export default { fetch: () => new Response(null, { status: 404 }) };
`;

export const { Log, LogLevel } = real;

export class Miniflare extends real.Miniflare {
  constructor({ host, port, cf, log, durableObjectsPersist, ...edge }) {
    const { GUESTS_AT } = edge.bindings;
    const GUESTS = { className: "PassedOn", scriptName: "guests", useSQLite: true };
    super({
      ...{ host, port, cf, log, durableObjectsPersist },
      workers: [
        { ...edge, durableObjects: { ...edge.durableObjects, GUESTS } },
        {
          name: "guests",
          compatibilityDate: edge.compatibilityDate,
          modules: [{ type: "ESModule", path: "guests.mjs", contents: script }],
          durableObjects: { OWN: { className: "PassedOn", useSQLite: true } },
          bindings: { GUESTS_AT },
        },
      ],
    });
  }
}
