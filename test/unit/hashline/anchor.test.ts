import { createHash } from "node:crypto";
import fc from "fast-check";
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { anchorOf, isAnchorWord } from "../../../shared/hashline/anchor.ts";
import { trigrams } from "../../../shared/hashline/trigrams.ts";
import { anyUnit } from "./text-of.ts";

/** PROTOCOL 5's definition, implemented with the platform's UTF-8 and big integers. */
function anchorByDefinition(line: string): string {
  const mask = 0xffffffffn;
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from(line.replace(/[ \t\r]+$/, ""), "utf8")) {
    hash = ((hash ^ BigInt(byte)) * 0x01000193n) & mask;
  }
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask;
  hash ^= hash >> 16n;
  return trigrams[Number(hash & 2047n)] ?? "";
}

test("the table has 2,048 distinct words of three lower-case letters", () => {
  expect(trigrams).toHaveLength(2_048);
  expect(new Set(trigrams).size).toBe(2_048);
  expect(trigrams.filter((word) => !/^[a-z]{3}$/.test(word))).toEqual([]);
  expect(isAnchorWord("foo")).toBe(true);
  expect(isAnchorWord("xqz")).toBe(false);
});

test("every word is a single token in both vocabularies", () => {
  expect(
    trigrams.filter((word) => encodeO200k(word).length !== 1 || encodeCl100k(word).length !== 1),
  ).toEqual([]);
});

test("no word is a keyword of a common language, or an insult", () => {
  const barred =
    "abs add all and any asm def del dim div dyn end for fun get int let map max min mod mut new nil not nop out pub " +
    "ref rem ret row set shl shr sql str sub sum sys try use val var xor yes zip ass cum die fag fuk jew kkk nig sex tit";
  expect(barred.split(" ").filter((word) => isAnchorWord(word))).toEqual([]);
});

test("the table is the frozen one", () => {
  expect(createHash("sha256").update(trigrams.join("")).digest("hex")).toMatchInlineSnapshot(
    `"3e7cef6017d44f72a0b6fcfae7e9af4818a95c0307971a2279617785e390eb13"`,
  );
  expect(["", "}", "  return x", "const a = 1;", "é", "漢字", "😀"].map(anchorOf)).toMatchInlineSnapshot(`
    [
      "kre",
      "edo",
      "ldb",
      "fid",
      "uct",
      "cea",
      "abh",
    ]
  `);
});

test("anchors follow the definition, for every string", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyUnit, maxLength: 40 }), (line) => {
      expect(anchorOf(line)).toBe(anchorByDefinition(line));
    }),
    { numRuns: 200 },
  );
});

test("anchors follow the definition where the length of a character changes", () => {
  for (const code of [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff]) {
    const line = `a${String.fromCodePoint(code)}b`;
    expect(anchorOf(line)).toBe(anchorByDefinition(line));
  }
});

test("a lone surrogate counts as U+FFFD, wherever it is", () => {
  const lone = ["\ud800", "a\udc00b", "\ud83d", "x\udbff\ud83d\ude00", "\udc00\ud800 ", "a\udfff"];
  for (const line of lone) expect(anchorOf(line)).toBe(anchorOf(line.replace(/\p{Surrogate}/gu, "\ufffd")));
});

test("trailing spaces, tabs and CR do not count; leading white space does", () => {
  expect(anchorOf("  a = 1 \t \r")).toBe(anchorOf("  a = 1"));
  expect(anchorOf(" \t\r")).toBe(anchorOf(""));
  expect(anchorOf(" a = 1")).not.toBe(anchorOf("  a = 1"));
  expect(anchorOf("a\u00a0")).not.toBe(anchorOf("a"));
});
