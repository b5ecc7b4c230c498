// Attacks through settings of editors, agents and shells: see left-behind-attack.ts.
import type { Attack } from "./left-behind-attack.ts";

/** Entries that an editor, an agent or a shell would read when it opens a folder. */
export const editorAttacks: Attack[] = [
  [".vscode/tasks.json"],
  [".vscode/settings.json", "sub/.vscode/settings.json"],
  [".VSCode/tasks.json"],
  [".idea/workspace.xml"],
  [".zed/tasks.json"],
  [".fleet/run.json"],
  [".devcontainer/devcontainer.json"],
  [".devcontainer.json"],
  [".cursor/mcp.json"],
  [".claude/settings.json"],
  [".codex/config.toml"],
  [".agents/skills/x/SKILL.md"],
  [".mcp.json"],
  [".envrc"],
  ["mise.toml", ".mise.toml"],
  [".exrc", ".nvim.lua"],
  ["evil.code-workspace", "evil.sublime-project"],
  [".dir-locals.el"],
  [".bashrc", ".gitconfig"],
  [".hg/hgrc", ".hgrc", "sub/.hg/hgrc-not-shared"],
  [".sl/config", ".git/sl/config", "sub/.git/sl/config"],
  [".jj/repo/config.toml", "sub/.jj/workspace-config.toml", ".jj/repo/config-id", ".jj/workspace-config-id"],
  [".pdbrc", ".irbrc", ".pryrc", ".Rprofile", ".ghci", ".ocamlinit", ".iex.exs", ".erlang", ".octaverc"],
].map((paths) => ({
  name: paths.join(" and "),
  commands: [paths.map((path) => `mkdir -p "$(dirname ${path})" && echo x > ${path}`).join("; ")],
  gone: paths,
}));

export const editorMoves: Attack[] = [
  {
    name: "a folder that is given the name",
    commands: ["mkdir v; echo x > v/tasks.json; mv v .vscode"],
    gone: [".vscode"],
  },
  {
    name: "a link of that name",
    commands: ["mkdir v; echo x > v/tasks.json; ln -s v .vscode"],
    gone: [".vscode"],
  },
  {
    name: "one that packages bring, moved up",
    commands: [
      "mkdir -p node_modules/p/.idea; echo x > node_modules/p/.idea/x; mv node_modules/p/.idea .idea",
    ],
    gone: [".idea"],
  },
  {
    name: "one in a folder without rights",
    commands: ["mkdir -p s/.vscode; echo x > s/.vscode/tasks.json; chmod 555 s s/.vscode"],
    gone: ["s/.vscode"],
  },
  {
    name: "an archive that is unpacked",
    commands: ["mkdir -p t/.vscode; echo x > t/.vscode/t; tar -C t -cf t.tar .vscode; tar -xf t.tar"],
    gone: [".vscode", "t/.vscode"],
  },
];
