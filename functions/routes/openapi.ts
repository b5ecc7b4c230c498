// GET /api/openapi.json: the description of the API for programs, from the file that the build writes next to the page.
import { Hono } from "hono/tiny";
import { HandrailError } from "../../shared/errors.ts";

type ReadFile = (request: Request) => Promise<Response | undefined>;

export function openapiRoutes(readFile: ReadFile): Hono {
  return new Hono().get("/openapi.json", async (c) => {
    const found = await readFile(new Request(new URL("/openapi.json", c.req.url)));
    if (!found?.ok) throw new HandrailError("not_found", "The API is not described here; run: npm run build");
    return new Response(found.body, { headers: { "content-type": "application/json" } });
  });
}
