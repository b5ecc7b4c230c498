// Fills a folder with the sample project: a real git repository with one commit.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sampleFiles } from "../sample/sample-project.ts";
import { gitProgram, runGit } from "../workspace/git-process.ts";
import { GitRunner } from "../workspace/git-runner.ts";
import type { CloneOptions } from "./clone.ts";

const author = {
  GIT_AUTHOR_NAME: "Handrail",
  GIT_AUTHOR_EMAIL: "handrail@localhost",
  GIT_COMMITTER_NAME: "Handrail",
  GIT_COMMITTER_EMAIL: "handrail@localhost",
};

export async function sampleInto(root: string, { jail }: Pick<CloneOptions, "jail">): Promise<void> {
  for (const [path, content] of Object.entries(sampleFiles)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  if (!gitProgram()) return;
  await runGit(["init", "--quiet", "--template=", "--initial-branch=main"], { cwd: root });
  const message = "--message=The sample project as it begins";
  await new GitRunner({ root, jail }).all(
    [
      { args: ["add", "--all"], env: {} },
      { args: ["commit", "--quiet", message], env: author },
    ],
    { writable: true },
  );
}
