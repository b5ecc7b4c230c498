// Names of files and folders that make editors, agents or shells run programs as soon as a folder is opened. Names are
// compared as case-insensitive disks do: ignoring case, trailing dots, and invisible characters.

/**
 * Folders whose contents can make editors and agents start programs: tasks, settings that name a program, containers,
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
  // https://build-server-protocol.github.io/docs/overview/server-discovery: a program that Metals and IntelliJ start.
  ...[".bsp", ".qwen", ".crush", ".factory", ".kilocode", ".externaltoolbuilders"],
]);

/**
 * Files that editors, debuggers and shells execute on entering a folder, or that interpreters and Mercurial execute
 * when they start in one.
 */
const editorFiles = new Set([
  ...[".exrc", ".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".local.vimrc", ".vimspector.json"],
  ...[".dir-locals.el", ".dir-locals-2.el", ".devcontainer.json", ".mcp.json", ".claude.json"],
  ...[".envrc", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".rtx.toml"],
  ...[".gdbinit", ".lldbinit", ".autoenv", ".autoenv.zsh", ".pdbrc", ".rdbgrc", ".byebugrc"],
  ...[".irbrc", ".pryrc", ".rprofile", ".ghci", ".ocamlinit", ".iex.exs", ".erlang", ".octaverc"],
  // R reads both at its start, and runs `.First` of the second: https://stat.ethz.ch/R-manual/R-patched/library/base/html/Startup.html
  ...[".renviron", ".rdata", ".perldb", ".psysh.php", ".rdbgrc.rb"],
  ...["opencode.json", "opencode.jsonc", "crush.json", ".crush.json", ".aider.conf.yml"],
  ...["hgrc", "hgrc-not-shared"],
]);
/** Jupyter's settings, which it runs from the folder that it starts in, and mise's for one environment. */
const editorPattern = /^(jupyter(_\w+)?_config\.(py|json)|\.?mise\.[\w-]+\.toml)$/;
/**
 * Settings of Jujutsu and Sapling, whose names alone say nothing: tools, hooks and aliases that they start. Mercurial's
 * have names of their own. An id says which settings in the home folder Jujutsu uses for a repository.
 * https://docs.rs/crate/jj-cli/0.41.0/source/docs/design/secure-config.md
 */
const editorPaths = /(^|\/)(\.(git\/)?sl\/config|\.jj\/(repo\/config|workspace-config)(\.toml|-id))$/;
const editorEndings = [".code-workspace", ".sublime-project", ".sublime-workspace"];

/**
 * Files that shells and git read at their start. These count only at the top of the workspace, which may be a person's
 * home folder.
 */
const homeFiles = new Set([
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".kshrc", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".gitconfig", ".hgrc", ".ripgreprc"],
]);

// Zero-width characters and direction marks, which HFS+ ignores in names.
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The form of `name` under which a disk that ignores such differences finds it. */
export function folded(name: string): string {
  const plain = name
    .replace(unseen, "")
    .toLowerCase()
    .replace(/[. ]+$/, "");
  // NTFS's short name for `.git`.
  return plain === "git~1" ? ".git" : plain;
}

/**
 * Whether an editor, a shell or another such tool may execute the contents of a file or folder with this name.
 * `folder`: in which it is, relative to the workspace; "" = at its top.
 */
export function isEditorName(name: string, folder: string): boolean {
  const plain = folded(name);
  return (
    editorFolders.has(plain) ||
    editorFiles.has(plain) ||
    editorPattern.test(plain) ||
    editorPaths.test([...folder.split("/").map(folded), plain].join("/")) ||
    editorEndings.some((ending) => plain.endsWith(ending)) ||
    (folder === "" && homeFiles.has(plain))
  );
}

/**
 * Whether any part of `path`, relative to the workspace, is such a name. Paths inside installed packages do not count:
 * they contain such names, but people do not open those folders.
 */
export function namesEditorSettings(path: string): boolean {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("node_modules")) return false;
  return names.some((name, index) => isEditorName(name, names.slice(0, index).join("/")));
}
