// The branch of a commit: the checked-out one, or a new one for the session.
import { branchNameOf } from "../../shared/branch-name.ts";
import type { GitState } from "../../shared/delivery.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { oneLineOf } from "../components/shown-text.ts";

/** Before the person chooses, this is the checked-out branch. */
export function branchFor({ branch }: GitState): string {
  return branch ?? "";
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
        <span class="muted">{isNew ? "New branch from the current commit" : "Branch"}</span>
        <input
          class="answer-text"
          value={value}
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </label>
      {visibleText(value, "line") !== value && (
        <p class="problem">
          Written out: <code>{oneLineOf(value)}</code>
        </p>
      )}
      {!isNew && [git.defaultBranch, "main", "master"].includes(git.branch) && (
        <button type="button" class="text-button" onClick={() => onInput(branchNameOf(title))}>
          On a branch of its own instead
        </button>
      )}
    </div>
  );
}
