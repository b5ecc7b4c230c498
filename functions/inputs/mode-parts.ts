// Parts of the project's instructions that are for one mode: `## Mode: Plan` and what follows it, down to the next heading of
// that level or a higher one. The parts for other modes are kept and shown with the change of mode.
import { Mode } from "../../shared/mode.ts";
import { clip } from "../calls/clip.ts";
import { limits } from "../limits.ts";

const heading = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const fence = /^\s*(```|~~~)/;

export class ModeParts {
  readonly #mode: Mode;
  readonly #kept = new Map<Mode, string>();

  constructor(mode: Mode) {
    this.#mode = mode;
  }

  /** `text` without the parts for other modes, which are kept. */
  part = (text: string): string => {
    const shown: string[] = [];
    let of: { mode: Mode; level: number } | undefined;
    let fenced = false;
    for (const line of text.split("\n")) {
      const marks = fenced ? undefined : heading.exec(line);
      if (fence.test(line)) fenced = !fenced;
      const level = marks?.[1]?.length ?? 7;
      if (marks && of && level <= of.level) of = undefined;
      const named = /^mode:\s*(\w+)$/i.exec(marks?.[2] ?? "")?.[1]?.toLowerCase();
      const mode = Mode.options.find((one) => one === named);
      if (mode) of = { mode, level };
      if (!of || of.mode === this.#mode) shown.push(line);
      else this.#kept.set(of.mode, `${this.#kept.get(of.mode) ?? ""}${line}\n`);
    }
    return shown.join("\n");
  };

  /** For the message's `data`: the parts that were left out, by their mode. */
  data = (): Record<string, unknown> =>
    this.#kept.size === 0
      ? {}
      : {
          modes: Object.fromEntries(
            [...this.#kept].map(([mode, text]) => [mode, clip(text.trim(), limits.nestedInstructionBytes)]),
          ),
        };
}
