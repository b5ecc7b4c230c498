// GET /api/openapi.json: the API described for programs.
import { Hono } from "hono";
import { openapiDocument } from "./openapi-document.ts";

export function openapiRoutes(): Hono {
  return new Hono().get("/openapi.json", (c) => c.json(openapiDocument));
}
