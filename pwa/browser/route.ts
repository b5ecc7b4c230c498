// The place in the app as a union, read from the fragment of the address, so that any static file server can serve the
// app.
import { signal } from "@preact/signals";

export type Route =
  | { page: "sessions" }
  | { page: "session"; id: string }
  | { page: "changes"; id: string }
  /** `path` is the file that is shown; without it only the tree is shown. */
  | { page: "files"; id: string; path?: string }
  | { page: "settings" }
  | { page: "new" };

export function parseRoute(hash: string): Route {
  const [, first, id, last, path] = hash.replace(/^#/, "").split("/");
  if (first === "s" && id !== undefined && id !== "") {
    if (last === "files") return { page: "files", id, ...(path ? { path: decoded(path) } : {}) };
    return last === "changes" ? { page: "changes", id } : { page: "session", id };
  }
  return first === "settings" || first === "new" ? { page: first } : { page: "sessions" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function pathOf(route: Route): string {
  switch (route.page) {
    case "sessions":
      return "#/";
    case "session":
      return `#/s/${route.id}`;
    case "changes":
      return `#/s/${route.id}/changes`;
    case "files":
      return `#/s/${route.id}/files${route.path === undefined ? "" : `/${encodeURIComponent(route.path)}`}`;
    case "settings":
    case "new":
      return `#/${route.page}`;
  }
}

export const route = signal<Route>(parseRoute(location.hash));
let depth = 0;

window.addEventListener("hashchange", () => {
  route.value = parseRoute(location.hash);
});

export function go(to: Route, how: "push" | "replace" = "push"): void {
  if (how === "replace") location.replace(pathOf(to));
  else {
    depth += 1;
    location.hash = pathOf(to);
  }
}

/** Goes back in the history if the app came from there, otherwise to `fallback`. */
export function goBack(fallback: Route): void {
  if (depth > 0) {
    depth -= 1;
    history.back();
  } else go(fallback, "replace");
}

/** Removes a pairing token from the address and from the history. */
export function takePairingToken(): string | null {
  const match = /^#pair=([^&]+)/.exec(location.hash);
  if (match?.[1] === undefined) return null;
  history.replaceState(null, "", `${location.pathname}${location.search}#/`);
  route.value = parseRoute(location.hash);
  return decoded(match[1]);
}
