// Ids and names of calls in the form that providers accept in a history.

/** A name that a model made up may contain characters that providers refuse in a history. */
export function wireName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

/** `id` itself if the provider accepts it; otherwise nine letters and digits computed from it. */
export function wireId(id: string, accepted: RegExp): string {
  if (accepted.test(id)) return id;
  return hash36(id, 0x811c9dc5).slice(-5) + hash36(id, 0x01234567).slice(-4);
}

/** FNV-1a over UTF-16 units, as at least five digits in base 36. */
function hash36(text: string, seed: number): string {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, "0");
}
