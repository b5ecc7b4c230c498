// The routes of /v1 by method and path, and what a handler sees of one request. The edge has hono for this, which does more
// than this server asks of it, for 5 KB gzip.

/** One request that a route has been found for. */
export interface RequestContext {
  readonly request: Request;
  readonly requestId: string;
  /** A part of the path, decoded. */
  param(name: string): string;
  /** The first parameter of the query with this name. */
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

  /** `path`: `:name` is any one part of it. */
  #add(method: string, path: string, handler: Handler): void {
    const pattern = new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}/?$`);
    this.#routes.push({ method, pattern, handler });
  }

  /** The answer of the first route for the request; undefined if there is none. HEAD asks for what GET does. */
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
      // What would have been sent must not stay open: an archive is packed while it is read.
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
