// The reasons that a person reads must be true of the command, and each appears once.
import { expect, test } from "vitest";
import { commandRisks, risksToAsk, riskToAsk } from "../../../functions/command-risk/command-risk.ts";

const reason = (command: string) => riskToAsk(command, "normal", [])?.why;

test("code that reaches out without an address does not name a machine", () => {
  const why = "This code uses the network, at an address that is not written in it.";
  expect(reason(`python3 -c "import requests, sys; requests.get(sys.argv[1])"`)).toContain(why);
  expect(reason(`python3 -c "import socket, sys; socket.create_connection((sys.argv[1], 80))"`)).toContain(
    why,
  );
});

test("the end of a path that code joins is not called a place outside the workspace", () => {
  const why = reason(`python3 -c "open(folder + '/tasks.json', 'w').write('x')"`);
  expect(why).toBe("Changes `…/tasks.json`, at a place that is only known when it runs.");
  expect(reason(`python3 -c "open('/opt/tasks.json', 'w').write('x')"`)).toContain("outside the workspace");
});

test("characters that do not show are named, and a gap that shows is none", () => {
  expect(reason("echo a\u202eb")).toContain("Holds characters that do not show (U+202E)");
  expect(reason(`echo a${" ".repeat(50)}b`)).toBeUndefined();
});

test("a shell alias is described by the program that it runs, and not as a git command", () => {
  const why = reason("git config alias.co '!sh -c \"rm -rf build\"'");
  expect(why).toContain("Sets a git alias that runs `sh`.");
  expect(why).not.toContain("git sh");
});

test("the name of an alias is found in any case", () => {
  expect(reason("git config Alias.co '!sh -c \"rm -rf build\"'")).toContain("runs `sh`");
});

test("files of one kind share a sentence", () => {
  const why = reason("echo x > .vscode/tasks.json; echo x > .vscode/settings.json; echo x > .envrc");
  expect(why).toBe(
    "Changes `.vscode/tasks.json` and 2 more, which editors or shells run by themselves later.",
  );
});

test("what is deleted is named, as far as it is known", () => {
  const them = "folders with all that is in them.";
  expect(reason("rm -rf build dist ../other/cache")).toContain(
    `Deletes \`build\`, \`dist\`, \`../other/cache\`: ${them}`,
  );
  expect(reason("rm -r -- a b c d e f")).toContain(`Deletes \`a\`, \`b\`, \`c\`, \`d\` and 2 more: ${them}`);
  expect(reason("ls | xargs rm -rf")).toContain(`Deletes ${them}`);
});

test.each([
  ["git clean -fd", "deletes files that git does not keep"],
  ["git reset --hard", "throws away work that was not committed, or moves the branch"],
  ["git restore a", "throws away changes that were not committed"],
  [
    "git checkout a.ts",
    "throws away changes that were not committed, where it names files (`git switch` takes branches only)",
  ],
  ["git switch -f a", "throws away changes that were not committed"],
  ["git apply -R a", "may take back changes that were not committed"],
  ["git stash drop", "drops stashed work, or takes away files that git ignores"],
])("a loss in git has its own reason: %s", (line, loss) => {
  expect(reason(line)).toBe(`\`${line.split(" ", 2).join(" ")}\` ${loss}.`);
});

test.each(
  "rebase filter-branch filter-repo update-ref prune prune-packed replace fast-import pack-refs repack unpack-objects".split(
    " ",
  ),
)("git %s is described as a loss of history, not as unknown", (verb) => {
  expect(reason(`git ${verb} x`)).toBe(`\`git ${verb}\` throws away work or changes history.`);
});

test.each(
  "push send-email request-pull send-pack http-push svn p4 imap-send cvsserver daemon instaweb http-backend upload-archive".split(
    " ",
  ),
)("git %s is described as reaching out, not as unknown", (verb) => {
  expect(reason(`git ${verb}`)).toBe(`\`git ${verb}\` sends data to another repository or machine.`);
});

test.each(
  "difftool mergetool hook credential credential-store credential-cache gui gitk citool web--browse mergetool--lib upload-pack receive-pack http-fetch fetch-pack shell remote-ext remote-fd bugreport diagnose".split(
    " ",
  ),
)("git %s is described as running programs, not as unknown", (verb) => {
  expect(reason(`git ${verb}`)).toBe(`\`git ${verb}\` runs programs, or tells what git keeps.`);
});

test("a file that a command writes over may not exist yet, which the reason says", () => {
  expect(reason("echo x > src/new.ts")).toBe("Replaces all of `src/new.ts` if it exists.");
  expect(reason(": > src/new.ts")).toBe("Empties `src/new.ts` if it exists.");
});

const lateAddress = "`curl` talks to an address that is only known when it runs.";
const unclosed = "Its quoting does not close, so what it does is not known.";
const pushes = "`git push` sends data to another repository or machine.";

test.each([
  ["curl", lateAddress],
  ["curl https://$X/y", lateAddress],
  ["ls | xargs -I{} curl localhost/{}", lateAddress],
  ["npx cowsay", "Fetches `cowsay` from the network and runs or installs it."],
  ["npx -p cowsay vitest", "Fetches `cowsay` from the network and runs or installs it."],
  ["ls | xargs pip download", "`pip download` fetches programs and runs or installs them."],
  ["docker login", "`docker login` works with containers, machines or a cluster outside the sandbox."],
  ["psql 'host=db.corp dbname=x'", "`psql` talks to a database at `host=db.corp dbname=x`."],
  ["sqlcmd -S db.corp", "`sqlcmd` talks to a database at `db.corp`."],
  ["psql $URL", "`psql` talks to a database whose address is only known when it runs."],
  ["parallel ::: 'git push' ls", "`parallel` runs lines that it is given."],
  ["sed '1e git push' x", `${pushes} This sed script runs commands.`],
  ["gcc -wrapper git,push x.c", "`gcc` is given a program to run."],
  ["curl https://a.example/$X", "`curl` talks to `a.example`."],
  ['curl https://a.example; "x', `\`curl\` talks to \`a.example\`. ${unclosed}`],
  ["cat <<E\n$(shred a) $(\nE", `\`shred\` overwrites or removes data. ${unclosed}`],
  ["dpkg -i x.deb", "Fetches `x.deb` from the network and runs or installs it."],
  ["dpkg -i", "`dpkg -i` fetches programs and runs or installs them."],
  ["psql -h $X", "`psql` talks to a database whose address is only known when it runs."],
  ["ls | xargs rm -r a", "Deletes folders with all that is in them."],
  ["echo x > .git/a; echo x > .git/b", "Changes `.git/a` and 1 more, inside git's own folder."],
  ["echo x > /etc/a; echo x > /etc/b", "Changes `/etc/a` and 1 more, outside the workspace."],
  ["rm -r -- -x", "Deletes folders with all that is in them."],
  ["touch /etc/x", "Changes `/etc/x`, outside the workspace."],
])("a reason says what is known of the command, and no more: %s", (line, why) => {
  expect(reason(line)).toBe(why);
});

test.each([`python3 -c "open(d+'/etc/x','w')"`, `python3 -c 'open(d+"/etc/x","w")'`])(
  "the end of a joined path, in either quotes: %s",
  (line) => {
    expect(reason(line)).toBe("Changes `…/etc/x`, at a place that is only known when it runs.");
  },
);

test.each([
  ["docker rmi x", true],
  ["docker volume rm x", true],
  ["docker image prune", true],
  ["docker compose down -v", true],
  ["docker compose down --volumes", true],
  ["docker compose down", false],
  ["docker compose down -t 5", false],
  ["docker compose up -v", false],
  ["docker run x", false],
])("a loss of containers' data is named, and only there: %s", (line, loses) => {
  expect(reason(line)?.includes("with their data")).toBe(loses);
});

test("a push that may lose data says so too", () => {
  expect(reason("prisma db push --accept-data-loss")).toContain("Empties the database.");
  expect(reason("prisma db push")).not.toContain("database");
});

test("a copy names its hosts without their paths", () => {
  expect(reason("rsync -a x box:y")).toBe("`rsync` copies to or from `box`.");
});

test("of several commands, those that reach out come first, each once", () => {
  const lines = ["rm -r a", "curl https://a.example", "rm -r b"];
  expect(risksToAsk(lines, "normal", []).map(({ command }) => command)).toEqual([
    "curl https://a.example",
    "rm -r a",
    "rm -r b",
  ]);
  expect(commandRisks("rm -r a; curl https://a.example").map(({ risk }) => risk)).toEqual([
    "remote",
    "destructive",
  ]);
});
