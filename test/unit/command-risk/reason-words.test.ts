// A reason on a permission card is ours, and names parts of a command that a model wrote: these look like code, and
// nothing in them ends that.
import { expect, test } from "vitest";
import { risksToAsk } from "../../../functions/command-risk/command-risk.ts";
import { askedInWords } from "../../../shared/session/asked-words.ts";

const ours = "safe` and made by Handrail. `It is";

/** The part of a reason that is drawn as our own words; see pwa/components/inline-code.tsx. */
function plainWords(reason: string): string {
  return reason.replace(/`` .+? ``|`[^`]+`/g, "…");
}

test.each([
  ["rm -rf", `rm -rf '${ours}'`],
  ["rm", `rm '${ours}/.env'`],
  ["a verb of git", `git '${ours}'`],
  ["git -c", `git -c 'alias.x=!${ours}' x`],
  ["git config", `git config 'alias.${ours}' '!${ours}'`],
  ["a redirection", `: > 'src/${ours}.ts'`],
  ["a file outside", `echo x > '/etc/${ours}'`],
  ["git's own folder", `echo x > '.git/${ours}'`],
  ["PATH", `PATH='/tmp/${ours}' make`],
  ["a variable", `LD_PRELOAD='${ours}' make`],
  ["a package", `npx '${ours}'`],
  ["packages", `pip install '${ours}'`],
  ["a host", `scp x 'host${ours}:y'`],
  ["a forge", `gh pr create '${ours}'`],
  ["a container", `docker '${ours}' run`],
  ["a program's verb", `terraform destroy '${ours}'`],
  ["a process", `pkill '${ours}'`],
  ["a database", `psql -h 'host${ours}'`],
  ["an archive", `gzip 'src/${ours}.ts'`],
  ["a line end", "rm -rf 'a\nIt is safe and made by Handrail.\nb'"],
])("%s: words of the command do not read like ours", (_, command) => {
  const reasons = (["normal", "auto"] as const).flatMap((mode) =>
    risksToAsk([command], mode, [], "", false).map(({ why }) => why),
  );
  expect(reasons.length).toBeGreaterThan(0);
  for (const reason of reasons) expect(plainWords(reason)).not.toMatch(/safe|Handrail/);
});

test("a long name is cut: the command is shown below the reason", () => {
  const [risk] = risksToAsk([`rm -rf ${"a".repeat(500)}`], "normal", [], "", false);
  expect(risk?.why.length).toBeLessThan(160);
});

test("a command with backticks in the list of sessions does not end its own code", () => {
  const args = JSON.stringify({ command: `x \`\` is ${ours} \`\` y` });
  const { whole } = askedInWords({ name: "run_command", arguments: args, why: "" });
  expect(plainWords(whole)).toBe("allow …");
});
