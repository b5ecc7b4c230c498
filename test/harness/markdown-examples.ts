// Reads the examples of a page: fenced blocks, HTTP exchanges, and the model's answers from a comment before
// a block.

/** A fenced block. `line` is that of its opening fence, from 1. */
export interface Fence {
  line: number;
  /** The word after the fence: `http`, `json`, `bash` … */
  language: string;
  /** The text after that word: the schema's name for a `json` block. */
  label: string;
  text: string;
  /** JSON of the comment `<!-- model … -->` before the block: the scripted model's answers from here on. */
  model: unknown;
}

/** One request and the answer that it must get. */
export interface Exchange {
  line: number;
  model: unknown;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Undefined if the example shows none. */
  body: string | undefined;
  answer: { status: number; headers: Record<string, string>; body: string };
}

export function readFences(markdown: string): Fence[] {
  const fences: Fence[] = [];
  let open: (Fence & { lines: string[] }) | undefined;
  let model: unknown;
  markdown.split("\n").forEach((text, index) => {
    const mark = /^```(\w*) ?(.*)$/.exec(text);
    const comment = /^<!-- model (.*) -->$/.exec(text);
    if (open && text === "```") {
      const { lines, ...fence } = open;
      fences.push({ ...fence, text: lines.join("\n") });
      open = undefined;
    } else if (open) open.lines.push(text);
    else if (comment) model = JSON.parse(comment[1] ?? "");
    else if (mark) {
      open = { line: index + 1, language: mark[1] ?? "", label: mark[2] ?? "", text: "", model, lines: [] };
      model = undefined;
    }
  });
  if (open) throw new Error(`line ${open.line}: this fence is never closed`);
  return fences;
}

/** Throws, naming the line, if the block does not contain a request and an answer. */
export function readExchange({ line, text, model }: Fence): Exchange {
  const at = text.search(/^HTTP\/1\.1 \d{3}/m);
  const first = /^(GET|POST|PUT|DELETE|OPTIONS) (\S+)$/m.exec(text);
  if (at < 0 || first?.index !== 0) throw new Error(`line ${line}: no request with an answer below it`);
  const request = readPart(text.slice(0, at).trimEnd());
  const answer = readPart(text.slice(at).trimEnd());
  return {
    line,
    model,
    method: first[1] ?? "",
    path: first[2] ?? "",
    headers: request.headers,
    body: request.body === "" ? undefined : request.body,
    answer: { status: Number(/\d{3}/.exec(answer.first)?.[0]), headers: answer.headers, body: answer.body },
  };
}

function readPart(text: string): { first: string; headers: Record<string, string>; body: string } {
  const [head = "", ...rest] = text.split("\n\n");
  const [first = "", ...lines] = head.split("\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { first, headers: Object.fromEntries(headers), body: rest.join("\n\n") };
}
