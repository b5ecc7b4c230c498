// Reads the lists of command lines in test/fixtures/command-lines.
import { readFileSync } from "node:fs";

export interface ListedLine {
  /** The word before the colon of its heading. */
  kind: string;
  line: string;
}

export function listedLines(name: "hostile" | "everyday" | "auto" | "words"): ListedLine[] {
  const text = readFileSync(new URL(`../../fixtures/command-lines/${name}.txt`, import.meta.url), "utf8");
  let kind = "";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) kind = line.slice(3).split(":")[0] ?? "";
    if (line === "" || line.startsWith("## ")) return [];
    return line.split(" ¦ ").map((one) => ({ kind, line: one.replaceAll("⏎", "\n") }));
  });
}
