// The routes of /v1 by method and path, and the request context of a handler. The edge uses hono for this,
// which would add 5 KB gzip here for features that this server does not need.

/** A request for which a route was found. */
export interface RequestContext {
  readonly request: Request;
  readonly requestId: string;
  /** A decoded part of the path. */
  param(name: string): string;
  /** The first query parameter with this name. */
  query(name: string): string | undefined;
}

export type Handler = (context: RequestContext) => Promise<Response>;

interface RegisteredRoute {
  method: string;
  pattern: RegExp;
  handler: Handler;
}

export class Router {
  readonly #routes: RegisteredRoute[] = [];

  get(path: string, handler: Handler): void {
    this.#add("GET", path, handler);
  }

  post(path: string, handler: Handler): void {
    this.#add("POST", path, handler);
  }

  put(path: string, handler: Handler): void {
    this.#add("PUT", path, handler);
  }

  delete(path: string, handler: Handler): void {
    this.#add("DELETE", path, handler);
  }

  /** `path`: `:name` matches any single part. */
  #add(method: string, path: string, handler: Handler): void {
    const pattern = new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}/?$`);
    this.#routes.push({ method, pattern, handler });
  }

  /** The response of the first matching route; undefined if there is none. HEAD uses the routes of GET. */
  async answer(request: Request, requestId: string): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(request.url);
    const asked = request.method === "HEAD" ? "GET" : request.method;
    for (const { method, pattern, handler } of this.#routes) {
      const found = method === asked && pattern.exec(pathname);
      if (!found) continue;
      const response = await handler({
        request,
        requestId,
        param: (name) => decoded(found.groups?.[name] ?? ""),
        query: (name) => searchParams.get(name) ?? undefined,
      });
      if (request.method !== "HEAD") return response;
      // The body of a HEAD request must not stay open, because an archive is packed while it is read.
      await response.body?.cancel();
      return new Response(null, response);
    }
    return undefined;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function noContent(): Response {
  return new Response(null, { status: 204 });
}
