// Each word of the lists that decide how far a grant reaches: a finding with `only` is granted for its exact line.
import { describe, expect, test } from "vitest";
import { commandRisks } from "../../../functions/command-risk/command-risk.ts";

/** Whether a grant for the last command of `line` also covers it on other lines. */
function isOpen(line: string, program: string): boolean {
  const found = commandRisks(line).find((one) => one.risk === "remote" && one.program === program);
  if (!found) throw new Error(`does not ask: ${line}`);
  return found.only === undefined;
}

const download = "curl https://a.example";
const words = (text: string) => text.split(" ");

describe("a grant is for the exact line", () => {
  test.each(
    words(
      "cd pushd popd chdir export declare typeset readonly local setenv alias unalias source . eval set shopt hash enable exec trap builtin command function for select let getopts read readarray mapfile printf unset env $X A=b A[1]=b A+=b",
    ),
  )("after %s, which may change what the line means", (word) => {
    expect(isOpen(`${word} x; ${download}`, "curl")).toBe(false);
  });

  test.each(words("if then else elif while until do ! { } time coproc"))(
    "where the keyword %s hides such a word",
    (word) => expect(isOpen(`${word} cd x\n${download}`, "curl")).toBe(false),
  );

  test.each([
    `f() { ls; }; ${download}`,
    `${download}; cat <<E\nx`,
    "find . -exec git push origin main \\;",
    "env A=b git push origin main",
    `X=y ${download}`,
    `time -p ${download}`,
    `ls | xargs ${download}`,
    `ls | ${download}`,
    `${download} <<< x`,
    `${download} < x`,
    `${download}/$X`,
    `${download}/*`,
    "curl https://me@a.example",
    "curl ftp://a.example",
    "curl 'https://a.example/{b}'",
    "curl https://a.example -d x",
    "wget --post-file=x https://a.example",
  ])("%s", (line) => {
    expect(commandRisks(line).filter(({ only }) => only === undefined)).toEqual([]);
  });
});

describe("a grant also covers other lines with the same hosts", () => {
  test.each([
    ...words("-s -S -f -L -i -I -v --silent --show-error --fail --location --include --head --verbose"),
    ...["-o x", "-m 5", "--output x", "--max-time 5", "--connect-timeout 5", "--retry 3", "--compressed"],
    "--url https://b.example",
  ])("curl %s", (option) => expect(isOpen(`curl ${option} https://a.example`, "curl")).toBe(true));

  test.each([
    ...["-q", "-O x", "-t 3", "-T 3", "--quiet", "--output-document x", "--tries 3", "--timeout 3"],
  ])("wget %s", (option) => expect(isOpen(`wget ${option} https://a.example`, "wget")).toBe(true));

  test.each(words("-u --set-upstream -q --quiet -v --verbose --progress"))("git push %s", (option) => {
    expect(isOpen(`git push ${option} origin main`, "git")).toBe(true);
  });
});

test("a grant for a download without encryption is another one", () => {
  const named = (line: string) => commandRisks(line)[0]?.subcommand;
  expect(named("curl http://a.example")).toBe("http://a.example");
  expect(named("curl a.example https://B.example b.example http://localhost")).toBe(
    "b.example, http://a.example, http://b.example",
  );
  expect(named("curl HTTPS://a.example")).toBe("a.example");
});
