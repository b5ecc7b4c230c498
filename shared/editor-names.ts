// Names of what editors, agents and shells of a machine run when they merely open a folder. Compared as a disk that folds
// names would: by case, trailing dots, and characters that show nothing.

/**
 * Folders that make editors, and agents that work in one, start programs: tasks, settings that name one, containers,
 * hooks. Includes the lists of Claude Code's sandbox runtime and of Codex.
 * https://code.visualstudio.com/docs/editor/workspace-trust, https://zed.dev/docs/tasks, https://containers.dev
 */
const editorFolders = new Set([
  ...[
    ".vscode",
    ".vs",
    ".idea",
    ".fleet",
    ".zed",
    ".nova",
    ".cursor",
    ".windsurf",
    ".kiro",
    ".trae",
    ".void",
  ],
  ...[".devcontainer", ".vim", ".nvim", ".helix", ".theia", ".run"],
  ...[".claude", ".codex", ".agents", ".gemini", ".opencode", ".continue", ".roo", ".amazonq", ".junie"],
  ...[".mise", ".direnv"],
]);

/**
 * Files that editors, debuggers and shells read and run on entering a folder, and interpreters and Mercurial when they
 * start in one.
 */
const editorFiles = new Set([
  ...[".exrc", ".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".local.vimrc", ".vimspector.json"],
  ...[".dir-locals.el", ".dir-locals-2.el", ".devcontainer.json", ".mcp.json", ".claude.json"],
  ...[".envrc", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".rtx.toml"],
  ...[".gdbinit", ".lldbinit", ".autoenv", ".autoenv.zsh", ".pdbrc", ".rdbgrc", ".byebugrc"],
  ...[".irbrc", ".pryrc", ".rprofile", ".ghci", ".ocamlinit", ".iex.exs", ".erlang", ".octaverc"],
  ...["hgrc", "hgrc-not-shared"],
]);
const editorEndings = [".code-workspace", ".sublime-project", ".sublime-workspace"];

/** In the workspace's own folder only, which may be somebody's home: what shells and git read at their start. */
const homeFiles = new Set([
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".kshrc", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".gitconfig", ".hgrc", ".ripgreprc"],
]);

// Zero-width and direction marks, which HFS+ leaves out of a name.
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** `name` as a disk that does not tell such spellings apart would find it. */
export function folded(name: string): string {
  const plain = name
    .replace(unseen, "")
    .toLowerCase()
    .replace(/[. ]+$/, "");
  // The short name that NTFS gives to `.git`.
  return plain === "git~1" ? ".git" : plain;
}

/** Whether an editor or a shell may run what an entry of this name says. `inRoot`: it is directly in the workspace. */
export function isEditorName(name: string, inRoot: boolean): boolean {
  const plain = folded(name);
  return (
    editorFolders.has(plain) ||
    editorFiles.has(plain) ||
    editorEndings.some((ending) => plain.endsWith(ending)) ||
    (inRoot && homeFiles.has(plain))
  );
}

/** Whether one of the names in `path`, relative to the workspace, is such a one. Packages bring some, which nobody opens. */
export function namesEditorSettings(path: string): boolean {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("node_modules")) return false;
  return names.some((name, index) => isEditorName(name, index === 0));
}
