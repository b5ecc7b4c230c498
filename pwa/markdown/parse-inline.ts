// Inline markdown as the transcript shows it: code, bold, emphasis, safe links. Never HTML, never images.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "bold" | "emphasis"; parts: Inline[] }
  | { kind: "link"; href: string; parts: Inline[] };

const safeHref = /^(https?:\/\/|mailto:)/i;
const token =
  /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\*\*(?=\S)([\s\S]*?\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?!\*)|(?<!\w)_(?=[^\s_])([^_]*[^\s_])_(?!\w)|!?\[([^\]]*)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)\)|(https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]])/;

/** `text` in parts. A link of any other protocol than http, https and mailto stays the text it is. */
export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let rest = text;
  const plain = (value: string) => {
    const last = parts.at(-1);
    if (value === "") return;
    if (last?.kind === "text") last.text += value;
    else parts.push({ kind: "text", text: value });
  };
  for (let match = token.exec(rest); match !== null; match = token.exec(rest)) {
    const [whole, , code, bold, star, underscore, label, href, bare] = match;
    plain(rest.slice(0, match.index));
    if (code !== undefined) parts.push({ kind: "code", text: code.replace(/^ (.*) $/s, "$1") });
    else if (bold !== undefined) parts.push({ kind: "bold", parts: parseInline(bold) });
    else if (star !== undefined || underscore !== undefined) {
      parts.push({ kind: "emphasis", parts: parseInline(star ?? underscore ?? "") });
    } else if (href !== undefined && safeHref.test(href) && !whole.startsWith("!")) {
      parts.push({
        kind: "link",
        href,
        parts: [{ kind: "text", text: label === "" ? href : (label ?? href) }],
      });
    } else if (bare !== undefined)
      parts.push({ kind: "link", href: bare, parts: [{ kind: "text", text: bare }] });
    else plain(label === undefined || label === "" ? whole : label);
    rest = rest.slice(match.index + whole.length);
  }
  plain(rest);
  return parts;
}
