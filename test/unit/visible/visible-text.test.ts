// How a text with hidden characters is shown: every character leaves a mark, and no two texts look alike.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hiddenIn, visibleText } from "../../../shared/visible-text.ts";
import { runs, spread } from "../../harness/runs.ts";

/** Recovers the text from `shown`, which proves that the marks are unambiguous. */
function meant(shown: string): string {
  return shown.replace(
    /\n⟨(\d+) line ends⟩\n|⟨U\+([0-9A-F]{4,6})⟩|⟨(\d+) (space|tab)s?⟩/g,
    (_, lineEnds, code, count, name) =>
      lineEnds !== undefined
        ? "\n".repeat(Number(lineEnds))
        : code !== undefined
          ? String.fromCodePoint(Number.parseInt(code, 16))
          : (name === "space" ? " " : "\t").repeat(Number(count)),
  );
}

const every = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
/** Not a literal, because the flag is newer than the language version that we compile to. */
const patternOf = (source: string, flags: string) => new RegExp(source, flags);
const markOf = (char: string) => `⟨U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Texts of hidden characters, of what looks like a mark, and of plain words. */
const odd = fc.constantFrom(
  ..."\u202e\u2066\u200b\u200d\u200c\ufe0f\u034f\u00ad\u3164\u2800\u00a0\u2028\u0000\u001b\u007f\u0301\u0335\u20e3",
  ..."⟨⟩〈〉U+2E0 \t\na1;\u037eé\u0301\ud83d\udc68❤😀\u094d\u0915ب",
  ..."⟨U+202E⟩ ⟨400 spaces⟩ \u{e0041} \u{1f3f4} line ends".split(" "),
  " ".repeat(41),
  "\t".repeat(50),
  "\n".repeat(7),
  "👨‍👩‍👧‍👦",
);
const texts = fc.oneof(
  fc.array(odd, { maxLength: 24 }).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

describe("invisible characters", () => {
  test("every control, format, private, unassigned and surrogate code point of this Unicode is marked", {
    tags: "random",
  }, () => {
    const marked = every.filter((char) => /\p{C}/u.test(char) && char !== "\n" && char !== "\t");
    const vast = /[\p{Co}\p{Cn}\p{Cs}]/u;
    const looked = [
      ...marked.filter((char) => !vast.test(char)),
      ...spread(
        marked.filter((char) => vast.test(char)),
        30_000,
      ),
    ];
    const wrong = looked.filter((char) => visibleText(`a${char}b`) !== `a${markOf(char)}b`);
    expect(wrong.map(markOf)).toEqual([]);
  });

  test("a variation selector is shown where Unicode has such an emoji, and nowhere else", () => {
    const known = patternOf(String.raw`^\p{Basic_Emoji}$`, "v");
    const wrong = every
      .filter((char) => /\p{Extended_Pictographic}/u.test(char) && !/\p{Cn}/u.test(char))
      .map((char) => `${char}\ufe0f`)
      .filter((pair) => (visibleText(pair) === pair) !== known.test(pair));
    expect(wrong).toEqual([]);
  });

  test("every space but the plain one, every separator and everything that Unicode draws as nothing is marked", () => {
    const wrong = every.filter(
      (char) =>
        /[\p{Z}\p{DI}]/u.test(char) && char !== " " && visibleText(`a${char}b`) !== `a${markOf(char)}b`,
    );
    expect(wrong.map(markOf)).toEqual([]);
  });

  test("every other visible character is left alone, unless Unicode treats it as another one", () => {
    const wrong = every.filter((char) => {
      if (/[\p{C}\p{Z}\p{DI}\p{Mn}\p{Me}\u2800\ufffc\u{1d159}]/u.test(char)) return false;
      const same = char.normalize("NFC");
      const twin = same !== char && [...same].length === 1;
      return (visibleText(`a${char}b`) === `a${char}b`) === twin;
    });
    expect(wrong.map(markOf)).toEqual([]);
  });

  test.each([
    ["a direction override", "rm -rf build \u202e# x", "rm -rf build ⟨U+202E⟩# x"],
    ["isolates", "a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"],
    ["a word of tag characters", "ok\u{e0072}\u{e006d}", "ok⟨U+E0072⟩⟨U+E006D⟩"],
    ["fillers", "a\u115f\u1160\u3164\uffa0\u2800b", "a⟨U+115F⟩⟨U+1160⟩⟨U+3164⟩⟨U+FFA0⟩⟨U+2800⟩b"],
    ["what fonts draw empty", "a\ufffcb\u{1d159}c", "a⟨U+FFFC⟩b⟨U+1D159⟩c"],
    ["the Mongolian vowel separator", "a\u180eb", "a⟨U+180E⟩b"],
    ["a soft hyphen", "pass\u00adword", "pass⟨U+00AD⟩word"],
    ["terminal controls", "\u001b[2Jx\u009b", "⟨U+001B⟩[2Jx⟨U+009B⟩"],
    ["a return that overwrites its line", "harm\rnice", "harm⟨U+000D⟩nice"],
    ["half a character", "a\ud83db", "a⟨U+D83D⟩b"],
    ["a private character", "\ue0b0", "⟨U+E0B0⟩"],
    ["bytes in variation selectors", "a\ufe01\u{e0101}", "a⟨U+FE01⟩⟨U+E0101⟩"],
    ["a Greek question mark that is drawn as a semicolon", "a\u037e b", "a⟨U+037E⟩ b"],
    ["a Kelvin sign that is drawn as K", "\u212aeys", "⟨U+212A⟩eys"],
    ["a character that looks like a backtick", "\u1fefid\u1fef", "⟨U+1FEF⟩id⟨U+1FEF⟩"],
    ["a combining mark with nothing below it", "\u0336x", "⟨U+0336⟩x"],
    [
      "marks that paint over their neighbours",
      `a${"\u0335".repeat(6)}`,
      `a${"\u0335".repeat(4)}⟨U+0335⟩⟨U+0335⟩`,
    ],
    ["a combining mark after a space", "a \u0336x", "a ⟨U+0336⟩x"],
    ["a combining mark after what is not drawn", "a\u200b\u0336x", "a⟨U+200B⟩⟨U+0336⟩x"],
    ["a joiner after a filler that counts as a letter", "\u3164\u094d\u200dx", "⟨U+3164⟩⟨U+094D⟩⟨U+200D⟩x"],
    ["circles that enclose one another", `a${"\u20dd".repeat(5)}`, `a${"\u20dd".repeat(4)}⟨U+20DD⟩`],
  ])("shows %s", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(hiddenIn(text)).not.toEqual([]);
  });
});

describe("what pushes text out of sight", () => {
  test.each([
    ["400 spaces", `ls${" ".repeat(400)}; rm x`, "ls⟨400 spaces⟩; rm x"],
    ["spaces and tabs", `ls${" ".repeat(40)}${"\t".repeat(2)}x`, "ls⟨40 spaces⟩⟨2 tabs⟩x"],
    ["one space too many", `a${" ".repeat(41)}b`, "a⟨41 spaces⟩b"],
    ["one line end too many", `a${"\n".repeat(6)}b`, "a\n⟨6 line ends⟩\nb"],
    ["line ends", `ls${"\n".repeat(60)}rm x`, "ls\n⟨60 line ends⟩\nrm x"],
    ["blank lines that are not empty", `ls${"\n ".repeat(6)}\nrm x`, `ls\n${"⟨1 space⟩\n".repeat(6)}rm x`],
  ])("counts %s", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(hiddenIn(text)).not.toEqual([]);
  });

  test.each(["a        b", "if x:\n\t\treturn\n\n\n\ndone", "a\n\n\n\n\nb", `a${" ".repeat(40)}b`])(
    "leaves %j alone",
    (text) => {
      expect(visibleText(text)).toBe(text);
      expect(hiddenIn(text)).toEqual([]);
    },
  );

  test("counts tabs, line ends and spaces at the edges of a name too", () => {
    expect(visibleText(" a\tb\n c  ", "line")).toBe("⟨1 space⟩a⟨U+0009⟩b⟨U+000A⟩ c⟨2 spaces⟩");
    expect(visibleText("a b.ts", "line")).toBe("a b.ts");
    expect(visibleText("a\u037e", "line")).toBe("a⟨U+037E⟩");
  });
});

describe("ordinary text", () => {
  test.each([
    "a family 👨‍👩‍👧‍👦, a flag 🏳️‍🌈, England 🏴󠁧󠁢󠁥󠁮󠁧󠁿, a key 1️⃣, a heart ❤️, 👩🏽‍💻 at work",
    "می‌شود، کتاب‌ها",
    "क्‍ष, ड़, क्षत्रिय",
    "שָׁלוֹם, ğ, e\u0301, ạ̄",
    "⟨a, b⟩ and 〈书名〉",
  ])("stays unchanged: %s", (text) => {
    expect(visibleText(text)).toBe(text);
    expect(hiddenIn(text)).toEqual([]);
  });

  test("joiners after every virama of the scripts that have them stay unchanged", () => {
    const scripts = "क्ब ক্ব ਕ੍ਬ ક્બ କ୍ବ க்ஷ క్బ ಕ್ಬ ക്ബ ක්බ က္ဗ".split(" ");
    const texts = scripts.flatMap((text) =>
      [..."\u200c\u200d"].map((joiner) => text.slice(0, 2) + joiner + text[2]),
    );
    expect(texts).toHaveLength(22);
    expect(texts.filter((text) => visibleText(text) !== text)).toEqual([]);
  });

  test("a non-joiner after each letter of Arabic that would join the next one stays unchanged", () => {
    const texts = [..."ئبتثجحخسشصضطظعغػؼؽؾؿفقكلمنهىيپچکگھی"].map((letter) => `${letter}\u200cا`);
    expect(texts.filter((text) => visibleText(text) !== text)).toEqual([]);
    expect(visibleText("ب\u200ca")).toBe("ب⟨U+200C⟩a");
  });

  test.each([
    ["😀\u200d😀", "😀⟨U+200D⟩😀"],
    ["😀\ufe0f", "😀⟨U+FE0F⟩"],
    [
      "🏴\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e0021}\u{e007f}",
      "🏴⟨U+E0065⟩⟨U+E0076⟩⟨U+E0069⟩⟨U+E006C⟩⟨U+E0021⟩⟨U+E007F⟩",
    ],
    [
      "🏴\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e0078}\u{e007f}",
      "🏴⟨U+E0065⟩⟨U+E0076⟩⟨U+E0069⟩⟨U+E006C⟩⟨U+E0078⟩⟨U+E007F⟩",
    ],
    ["a\u200db", "a⟨U+200D⟩b"],
    ["ا\u200cب", "ا⟨U+200C⟩ب"],
    ["1\ufe0f", "1⟨U+FE0F⟩"],
  ])("has joiners that change nothing marked: %j", (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});

describe("marks", () => {
  test("in the text itself are distinguished from real ones", () => {
    expect(visibleText("⟨U+202E⟩")).toBe("⟨U+27E8⟩U+202E⟩");
    expect(visibleText("⟨400 spaces⟩")).toBe("⟨U+27E8⟩400 spaces⟩");
    expect(visibleText("\u2329U+202E⟩")).toBe("⟨U+2329⟩U+202E⟩");
    expect(visibleText("\u3008U+202E⟩")).toBe("⟨U+3008⟩U+202E⟩");
    expect(hiddenIn("⟨U+202E⟩")).toEqual([]);
  });

  test.each(["⟨", "⟨U", "⟨U+", "⟨4", "⟨40 "])(
    "cannot be formed across markup by a text that ends like a mark's beginning: %s",
    (text) => {
      expect(visibleText(text)).toMatch(/^⟨U\+27E8⟩/);
    },
  );

  test("keep any two texts distinguishable", { tags: "random" }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(meant(visibleText(text))).toBe(text);
      }),
      { numRuns: runs(5_000, 500) },
    );
  });

  test("hide nothing themselves, and a text without hidden parts is shown unchanged", {
    tags: "random",
  }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = visibleText(text);
        expect(hiddenIn(shown)).toEqual([]);
        if (hiddenIn(text).length === 0 && !/[⟨〈〈]/.test(text)) expect(shown).toBe(text);
      }),
      { numRuns: runs(5_000, 500) },
    );
  });

  test("keep any two names distinguishable, on one line", { tags: "random" }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = visibleText(text, "line");
        expect(shown).not.toMatch(/[\n\t]|^ | $/);
        expect(meant(shown)).toBe(text);
      }),
      { numRuns: runs(5_000, 500) },
    );
  });

  test("are named once each, for messages about them", () => {
    expect(hiddenIn(`\u202ea\u202eb${" ".repeat(400)}\u200b`)).toEqual(["U+202E", "400 spaces", "U+200B"]);
  });
});
