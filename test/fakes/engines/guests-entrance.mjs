// Adds an entrance to the guests' script, for an edge that is not on Workers and for tests. `class.mjs` exports the class.
import { SandboxGuest } from "./class.mjs";

export { SandboxGuest };

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === "/played/archives") {
      const { objects } = await env.GUEST_ARCHIVES.list();
      return Response.json(objects.map(({ key }) => key));
    }
    const name = request.headers.get("x-played-guest");
    return env.GUESTS.getByName(name).fetch(request);
  },
};
