// Regenerates the table in shared/hashline/trigrams.ts from a tokenizer package: `npx tsx scripts/make-trigrams.ts
// [--check]`. The table is frozen, because a different one would change every anchor, so normally only --check is
// useful.
import { readFileSync, writeFileSync } from "node:fs";
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";

const size = 2_048;

/** Words that a model could mistake for code: keywords, operators and common built-ins. */
const keywords = `
  abs add all and any arr asc asm asr bin bit bool box car cdr chr cmp dec def del dim dir div doc dyn end enc env eof
  eva exp fun get hex if inc int key lea len let lib log map max min mod mov mul mut neg new nil non nop not num obj oct
  off old one ord our out own pop pow pri ptr pub put raw rec ref rem ret row rst run self set shl shr sig str sub sum
  sup sys tmp top try two txt typ use usr val var vec xor zip for jmp rol ror let gen def ada sql awk sed cut cat mkd etc
  yes nan inf ack bor bsl bsr avg asc pic fin`;

/** Words that people should not have to read next to their code, in the languages that we thought of. */
const offensive = `
  ass bra bum coc con cul cum cun die dic dik dis dum dup fag fat fap fck feu fic fku fuc fuk gae gay god gum hoe hog hor
  jap jew jiz kil kkk kon kus kut lol los mof mor nad naz neg nig nip nym pak pee pen pig piss pis poo put que rac rap
  rus sad sex sht sin slt spa spi sss sus thy tit tos tty tur urn wan war wed wtf xes xxx nud ped pod vag vul wap ana gun lez jud`;

const blocked = new Set(`${keywords} ${offensive}`.split(/\s+/));
const letters = "abcdefghijklmnopqrstuvwxyz";
const candidates: { text: string; rank: number }[] = [];
for (const a of letters) {
  for (const b of letters) {
    for (const c of letters) {
      const text = a + b + c;
      const [o200k, cl100k] = [encodeO200k(text), encodeCl100k(text)];
      if (o200k.length !== 1 || cl100k.length !== 1 || blocked.has(text)) continue;
      candidates.push({ text, rank: (o200k[0] ?? 0) + (cl100k[0] ?? 0) });
    }
  }
}

// Tokens with a low rank are those that models have seen most often. The table itself is in alphabetical order.
candidates.sort((x, y) => x.rank - y.rank || (x.text < y.text ? -1 : 1));
if (candidates.length < size)
  throw new Error(`only ${candidates.length} trigrams are left, ${size} are needed`);
const words = candidates
  .slice(0, size)
  .map((candidate) => candidate.text)
  .sort();

let last = -1;
const gaps = words.map((word) => {
  const place = Array.from(word).reduce((sum, letter) => sum * 26 + letters.indexOf(letter), 0);
  const gap = place - last - 1;
  last = place;
  return "-".repeat(gap / 26) + letters[gap % 26];
});

const target = new URL("../shared/hashline/trigrams.ts", import.meta.url);
const before = readFileSync(target, "utf8");
const source = before.replace(/(?<=^const gaps =\n {2}")[^"]*/m, gaps.join(""));

if (process.argv.includes("--check")) {
  const same = before === source;
  console.log(
    same ? "the table is the one that this script makes" : "the table differs from what this script makes",
  );
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(target, source);
  console.log(`wrote ${size} of ${candidates.length} trigrams`);
}
