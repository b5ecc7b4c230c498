import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commandRisks, riskToAsk } from "../../../functions/command-risk/command-risk.ts";

const kinds = (command: string) => [...new Set(commandRisks(command).map(({ risk }) => risk))];

describe("everyday commands that do not ask", () => {
  test.each([
    "npm test",
    "npm install",
    "npm ci",
    "npm run build && npm test",
    "npx vitest run test/unit",
    "npx tsc --noEmit",
    "pip install -r requirements.txt",
    "cargo build --release",
    "cargo test",
    "go test ./...",
    "make -j4 all",
    "docker ps",
    "git status",
    "git diff HEAD~1",
    "git log --oneline -5",
    "git add -A",
    "git commit -m 'fix: rm -rf is gone; git push later'",
    "git checkout -b x",
    "git checkout main",
    "git switch -c x",
    "git branch",
    "git branch -d merged",
    "git fetch",
    "git pull",
    "git stash",
    "git stash pop",
    "git reset HEAD file.txt",
    "git restore --staged file.txt",
    "git rm --cached -r dist",
    "git tag v1",
    "git push --dry-run",
    "git clean -n",
    "git -C sub status",
    "git -c color.ui=false log",
    "git config user.name x",
    "git worktree list",
    "rm file.txt",
    "rm -f file.txt",
    "rm src/a.ts src/b.ts",
    "rm *.log",
    "rm /tmp/x.txt",
    'grep -r "rm -rf" .',
    "grep -rn 'git push' . | head",
    "rg 'curl https://' src",
    "echo 'git push'",
    "echo rm -rf x",
    'echo "don\'t rm -rf" # rm -rf /',
    "# rm -rf x",
    "cat <<'EOF' > notes.md\nrm -rf x\n$(git push)\nEOF",
    "printf '%s\\n' 'curl example.com' > notes.txt",
    "sed -i 's/a/b/' src/a.ts",
    "sed -n '1,20p' /etc/hosts",
    "awk '{ print $1 > \"out.txt\" }' data",
    "find . -name '*.ts'",
    "find . -type f -exec grep -l x {} +",
    "ls -la /etc",
    "cat /etc/hosts",
    "cat ~/.gitconfig",
    "ls > out.txt 2>&1",
    "ls > /dev/null 2>&1",
    "ls &> /dev/null",
    "ls 2>/dev/null",
    "npm test > /tmp/log.txt",
    "echo x > src/../out.txt",
    "mkdir -p src/new && touch src/new/a.ts",
    "cp a.ts b.ts",
    "cp /etc/hosts hosts.txt",
    "mv a.ts b.ts",
    "chmod +x run.sh",
    "bash run.sh",
    "sh ./scripts/setup.sh --fast",
    "source venv/bin/activate && pytest",
    "NODE_ENV=test node server.js",
    "PORT=3000 npm start & sleep 2; curl -s localhost:3000/health",
    "curl localhost",
    "curl http://localhost:8787/api/health",
    "curl -sS -X POST -H 'content-type: application/json' -d '{\"a\":1}' http://127.0.0.1:3000/x",
    "curl -i http://[::1]:3000/",
    "curl -s -o /dev/null -w '%{http_code}' localhost:3000",
    "wget -qO- http://localhost:3000",
    "nc -z localhost 5432",
    "node -e \"console.log(require('./package.json').version)\"",
    "node -e 'console.log(1 > 0)'",
    "node -p 'process.version'",
    "node -e \"fetch('http://localhost:3000').then(console.log)\"",
    "python3 -c 'print(open(\"a.txt\").read())'",
    "python -m pytest -q",
    "python3 - <<'EOF'\nimport json\nprint(json.load(open('a.json')))\nEOF",
    "perl -ne 'print if /x/' a.txt",
    "command -v rm",
    "which rm",
    "type git",
    "man rm",
    "time npm test",
    "timeout 60 npm test",
    "xargs grep -l rm < list",
    'for f in *.ts; do wc -l "$f"; done',
    "if [ -f a ]; then cat a; fi",
    "[[ -f a && b > c ]] && echo yes",
    "test -d x || mkdir x",
    "echo $((1 + 2))",
    "echo $HOME $(pwd) `date`",
    "export PATH=$PATH:./node_modules/.bin",
    'declare -a xs=(1 2); echo "$xs"',
    "declare -A m=([a]=1); echo $m",
    "VERSION=$(node -p 1) npm run build",
    "psql -c 'select * from users'",
    "sqlite3 app.db .tables",
    "gh pr view 12",
    "gh issue list",
    "rsync -a src/ dst/",
    "dd if=a bs=1 count=10",
    "dd if=/dev/zero of=/dev/null",
    "git commit -m \"$(cat <<'EOF'\nfix: don't rm -rf\n\nIn case it is in use (really\nEOF\n)\"",
    "cat > a.js <<'EOF'\nfoo((x) => it's)\nEOF",
    "echo $((1<<2)) && ls\nls",
    "for ((i=0;i<5;i++)); do echo $i; done",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell variables
    'echo "${x:-a}" "${y%.*}"',
    "cat <<-EOF\n\tx\n\tEOF\nls",
    "cd deploy && ls",
    "npm test login",
    "npx vitest deploy",
    "mkdir -p deploy upload",
    "curl -sSf localhost:3000/x",
    "tar czf a.tgz src",
    "node -e 'console.log(\"rm -rf x\")'",
    "awk -F: '{print $1}' f",
    "git reset HEAD file.txt",
    "git checkout -b x origin/main",
    "git log --exclude=x",
    "python manage.py migrate",
    "",
    "   ",
  ])("%s", (command) => {
    expect(commandRisks(command)).toEqual([]);
  });
});

describe("what needs permission", () => {
  test("normal mode asks for both kinds, auto for reaching out only, plan mode for nothing", () => {
    expect(riskToAsk("rm -rf x", "normal", [])?.risk).toBe("destructive");
    expect(riskToAsk("rm -rf x", "auto", [])).toBeUndefined();
    expect(riskToAsk("git push", "auto", [])?.risk).toBe("remote");
    expect(riskToAsk("git push && rm -rf x", "plan", [])).toBeUndefined();
  });

  test.each(["$CMD", 'bash -c "$(echo git push)"', "base64 -d x | sh", "git alias-of-push"])(
    "auto mode asks before unknown commands, which may reach out: %s",
    (command) => {
      expect(riskToAsk(command, "auto", [])).toBeDefined();
    },
  );

  test("of destructive commands auto mode asks before those that no snapshot can undo", () => {
    expect(riskToAsk("git reset --hard", "auto", [])?.risk).toBe("destructive");
    expect(riskToAsk("git restore .", "auto", [])).toBeUndefined();
  });

  test("all reasons are shown, the worst risk first", () => {
    const asked = riskToAsk("rm -rf x && git push", "normal", []);
    expect(asked).toMatchObject({ risk: "remote", program: "git", subcommand: "push" });
    expect(asked?.why).toContain("sends data");
    expect(asked?.why).toContain("Deletes `x`: folders with all that is in them.");
  });

  describe("a grant for a command that destroys files", () => {
    const [rm] = commandRisks("rm -rf build2");
    const granted = rm ? [rm] : [];

    test("covers the same text in the same folder", () => {
      expect(riskToAsk("rm -rf build2", "normal", granted)).toBeUndefined();
      expect(riskToAsk("rm -rf build2", "normal", granted, ".")).toBeUndefined();
      expect(riskToAsk("rm -rf build2", "normal", granted, "src")).toBeDefined();
    });

    test.each([
      "rm -rf .",
      "cd / && rm -rf src",
      "cd / && rm -rf build2",
      "rm -rf build2 src",
      "bash -c 'rm -rf build2'",
    ])("does not cover %s", (command) => expect(riskToAsk(command, "normal", granted)).toBeDefined());

    test("covers nothing in the form that earlier versions stored", () => {
      const old = { risk: "destructive", program: "rm", subcommand: "" };
      expect(riskToAsk("rm -rf build2", "normal", [old])).toBeDefined();
    });

    test.each([
      ["find . -delete", "cd / && find . -delete"],
      ["$A x", "A=rm; $A x"],
      ["echo x > /etc/x", "cd /; rm x; echo y > /etc/x"],
    ])("%s does not cover %s", (allowed, other) => {
      expect(riskToAsk(allowed, "normal", commandRisks(allowed))).toBeUndefined();
      expect(riskToAsk(other, "normal", commandRisks(allowed))).toBeDefined();
    });

    test("covers everything one line was shown to lose, and nothing that reaches out", () => {
      const line = "rm -rf a; git reset --hard";
      expect(riskToAsk(line, "normal", commandRisks(line).slice(0, 1))).toBeUndefined();
      const both = "rm -rf a; git push";
      const destroying = commandRisks(both).filter(({ risk }) => risk === "destructive");
      expect(riskToAsk(both, "normal", destroying)).toMatchObject({ program: "git" });
    });
  });

  test("a grant for an unknown command covers the same text only", () => {
    const [found] = commandRisks("$A x");
    expect(found).toBeDefined();
    expect(riskToAsk("$A x", "normal", found ? [found] : [])).toBeUndefined();
    expect(riskToAsk("$B x", "normal", found ? [found] : [])).toBeDefined();
  });
});

describe("any text", () => {
  const shellText = fc.string({
    unit: fc.constantFrom(..."'\"`$(){}<>|&;\\\n #!=~*-./", "rm", " -rf ", "git push", "sh -c ", "<<E", "$("),
    maxLength: 60,
  });

  test("is read to its end without an error", () => {
    fc.assert(
      fc.property(fc.oneof(shellText, fc.string()), (text) => {
        expect(Array.isArray(commandRisks(text))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a quoted command is data, and after a separator it is a command", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("'")),
        (text) => {
          expect(commandRisks(`echo '${text}'`)).toEqual([]);
          expect(kinds(`echo '${text}'; rm -rf x`)).toEqual(["destructive"]);
        },
      ),
    );
  });

  test("endless nesting is refused, not followed", () => {
    expect(kinds("$(".repeat(5_000))).toEqual(["destructive"]);
    expect(kinds(`${"$(".repeat(200)}ls${")".repeat(200)}`)).toEqual(["destructive"]);
  });
});
