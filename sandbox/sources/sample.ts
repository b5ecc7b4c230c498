// Fills a folder with the sample project: a real git repository with one commit.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sampleFiles } from "../sample/sample-project.ts";
import { gitProgram, runGit } from "../workspace/git-process.ts";

const author = {
  GIT_AUTHOR_NAME: "Handrail",
  GIT_AUTHOR_EMAIL: "handrail@localhost",
  GIT_COMMITTER_NAME: "Handrail",
  GIT_COMMITTER_EMAIL: "handrail@localhost",
};

export async function sampleInto(root: string): Promise<void> {
  for (const [path, content] of Object.entries(sampleFiles)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  if (!gitProgram()) return;
  await runGit(["init", "--quiet", "--template=", "--initial-branch=main"], { cwd: root });
  await runGit(["add", "--all"], { cwd: root });
  await runGit(["commit", "--quiet", "--message=The sample project as it begins"], {
    cwd: root,
    env: author,
  });
}
