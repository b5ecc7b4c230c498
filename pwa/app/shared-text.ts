// Text that another app shared with this one, until a session has it. It is stored first, because the device may have
// to be paired before a session can begin.
import { signal } from "@preact/signals";
import { go } from "../browser/route.ts";
import { kv } from "./app-state.ts";

export const shared = signal<string | null>(null);

/**
 * Joins the words of a share into one text: a title that the text repeats is left out, and a link gets its own line.
 */
export function sharedWords({ title, text, url }: Record<"title" | "text" | "url", string>): string {
  const parts = [text.includes(title) || url === title ? "" : title, text, text.includes(url) ? "" : url];
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n");
}

/** Takes a share from `query`, or one that was stored before, and opens the page that starts a session with it. */
export async function takeShared(query: string): Promise<void> {
  const search = new URLSearchParams(query);
  const part = (name: string) => search.get(`share-${name}`) ?? "";
  const words = sharedWords({ title: part("title"), text: part("text"), url: part("url") });
  if (words !== "") {
    await kv.write([["shared", words]]).catch(() => undefined);
    shared.value = words;
    go({ page: "new" }, "replace");
    return;
  }
  const kept = await kv.get("shared").catch(() => undefined);
  if (typeof kept === "string") shared.value = kept;
}

export async function forgetShared(): Promise<void> {
  shared.value = null;
  await kv.write([], ["shared"]).catch(() => undefined);
}
