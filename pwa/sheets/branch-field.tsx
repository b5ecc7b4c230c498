// The branch that a commit goes to: the one that is checked out, or a new one for the session.
import type { GitState } from "../../shared/delivery.ts";

/** Before anybody chose: the branch that is there. */
export function branchFor({ branch }: GitState): string {
  return branch ?? "";
}

/** `handrail/` and the title's words, as the server names branches of worktrees. */
function branchOf(title: string): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return `handrail/${words === "" ? "session" : words}`;
}

interface BranchFieldProps {
  git: GitState;
  title: string;
  value: string;
  onInput(branch: string): void;
}

export function BranchField({ git, title, value, onInput }: BranchFieldProps) {
  const isNew = value !== (git.branch ?? "");
  return (
    <div class="field">
      <label class="field">
        <span class="muted">{isNew ? "New branch, from where you are" : "Branch"}</span>
        <input
          class="answer-text"
          value={value}
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </label>
      {!isNew && [git.defaultBranch, "main", "master"].includes(git.branch) && (
        <button type="button" class="text-button" onClick={() => onInput(branchOf(title))}>
          On a branch of its own instead
        </button>
      )}
    </div>
  );
}
