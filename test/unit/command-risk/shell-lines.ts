// Generates command lines from a grammar of bash, for the oracles. The lines end, write only below the folder
// in which they run, and name only programs that do not exist (p1 to p9).
import fc from "fast-check";

const pick = (...texts: string[]) => fc.constantFrom(...texts);

/** One word, quoted in any of the shell's ways. */
function word(script: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const plain = pick("a", "b1", "-rf", "--x=y", "x.ts", "src/a", "1", "a-b", "=", "+x", "%", "é");
  const inner = fc.string({
    unit: fc.constantFrom(..."ab #;&|<>()*?~!\\".split(""), "$", "'"),
    maxLength: 5,
  });
  const quoted = fc.oneof(
    inner.map((text) => `'${text.replaceAll("'", "")}'`),
    inner.map((text) => `"${text.replaceAll(/[$`"\\!]/g, "").replaceAll("'", "")}"`),
    pick(
      "\\ ",
      "\\;",
      "\\'",
      '\\"',
      "\\#",
      "\\&",
      "\\$",
      "$'a\\tb'",
      "$'\\x41'",
      "$'it\\'s'",
      '$"a"',
      '"\\$x"',
      '"\\`"',
      '"a\\b"',
      "''",
      '""',
    ),
  );
  const made = fc.oneof(
    pick(
      "$x",
      '"$x"',
      "$" + "{x}",
      "$" + "{x:-d}",
      '"$' + '{x:-d e}"',
      "$1",
      '"$@"',
      "$#",
      "$((1+2))",
      "$((1<<2))",
      "{a,b}",
      "a{1..2}",
      "$" + "{#x}",
      "$" + "{x%y}",
    ),
    script.map((text) => `$( ${text}\n)`),
    script.map((text) => `"$( ${text}\n)"`),
    script.map((text) => `$(${text.startsWith("(") ? " " : ""}${text})`),
  );
  return fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: plain },
        { weight: 3, arbitrary: quoted },
        { weight: 1, arbitrary: made },
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((parts) => parts.join(""));
}

const program = pick("p1", "p2", "p3", "p4", "\\p5", "'p6'", '"p7"', "p''8", "p\\9", "$'p1'", 'p"2"');
const redirect = pick(
  "> f1",
  ">f2",
  "2> f3",
  "2>&1",
  ">> f1",
  "< /dev/null",
  "&> f4",
  ">| f5",
  "1>&2",
  "3> f1",
  "<<< a",
  "<<<'a b'",
);
const blank = pick(" ", "  ", "\t", " \\\n");

/** A whole line: lists, pipes, groups, conditions, loops, functions, here-documents, substitutions. */
export function shellLine(): fc.Arbitrary<string> {
  const { line } = fc.letrec<{ line: string; command: string; simple: string; script: string }>((tie) => ({
    script: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("simple"), tie("line")),
    simple: fc
      .tuple(
        pick("", "", "", "x=1 ", "x='a b' y=2 ", "> f1 "),
        program,
        fc.array(
          fc.tuple(
            blank,
            fc.oneof({ weight: 4, arbitrary: word(tie("script")) }, { weight: 1, arbitrary: redirect }),
          ),
          { maxLength: 3 },
        ),
      )
      .map(([front, name, rest]) => `${front}${name}${rest.map((pair) => pair.join("")).join("")}`),
    command: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      { weight: 6, arbitrary: tie("simple") },
      tie("line").map((text) => `( ${text}\n)`),
      tie("line").map((text) => `{ ${text}\n}`),
      fc
        .tuple(tie("simple"), tie("line"), tie("line"))
        .map(([a, b, c]) => `if ${a}; then ${b}\nelse ${c}\nfi`),
      fc
        .tuple(pick("a b", "'x y'", "1"), tie("line"))
        .map(([list, body]) => `for x in ${list}; do ${body}\ndone`),
      tie("line").map((body) => `for ((i=0;i<1;i++)); do ${body}\ndone`),
      fc.tuple(tie("simple"), tie("line")).map(([a, body]) => `while ${a}; do ${body}\nbreak\ndone`),
      fc
        .tuple(pick("a", "$x", "'a b'"), pick("a", "a|b", "(b)", "'a b'", "?"), tie("line"), tie("line"))
        .map(([subject, pattern, a, b]) => `case ${subject} in ${pattern}) ${a}\n;; *) ${b}\n;; esac`),
      tie("line").map((body) => `f() { ${body}\n}; f`),
      tie("line").map((body) => `function g { ${body}\n}; g`),
      fc.tuple(program, tie("simple")).map(([name, inner]) => `${name} <<E\ntext $( ${inner}\n) 'it\nE\n:`),
      program.map((name) => `${name} <<'E'\n$( p9\n) it's (\nE\n:`),
      fc.tuple(tie("simple"), pick("&&", "||")).map(([a, mark]) => `{ ! ${a} ${mark} p1; }`),
      tie("simple").map((text) => `eval ${JSON.stringify(text.replaceAll(/[\\"$`!\n]/g, ""))}`),
      tie("simple").map((text) => `trap ':' EXIT; ${text}`),
      tie("simple").map((text) => `p2 <( ${text}\n)`),
      tie("simple").map((text) => `[[ -n a && a == a ]] && ${text}`),
      tie("simple").map((text) => `# it's a "note $(p9\n${text}`),
    ),
    line: fc
      .array(fc.tuple(tie("command"), pick(" ; ", " && ", " || ", " | ", "\n", ";", " |& ", " & ")), {
        minLength: 1,
        maxLength: 3,
      })
      .map((list) =>
        list.map(([text, mark], at) => (at === list.length - 1 ? text : `${text}${mark}`)).join(""),
      ),
  }));
  return line;
}
