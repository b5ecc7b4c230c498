// The reasons of a command's risks in words for a person: without duplicates, and with files of one kind in one
// sentence.

/** "Changes PATH, which …": if several files have the same reason, it is given once. */
const change = /^Changes (.+?), ((?:which|inside|outside) .*)$/;

export function reasonsInWords(whys: readonly string[]): string {
  const files = new Map<string, string[]>();
  const sentences: (string | { about: string })[] = [];
  for (const why of new Set(whys)) {
    const [, path, about] = change.exec(why) ?? [];
    if (path === undefined || about === undefined) {
      sentences.push(why);
      continue;
    }
    const known = files.get(about);
    if (known) known.push(path);
    else {
      files.set(about, [path]);
      sentences.push({ about });
    }
  }
  return sentences
    .map((sentence) => {
      if (typeof sentence === "string") return sentence;
      const [first = "", ...others] = files.get(sentence.about) ?? [];
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      return `Changes ${first}${more}, ${sentence.about}`;
    })
    .join(" ");
}
