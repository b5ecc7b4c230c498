// The project's commands, as the fake edge lists them.
export const listedCommands = {
  commands: [
    {
      ...{ name: "review", path: ".claude/commands/review.md", kind: "command" },
      ...{ description: "Reviews a file", arguments: "[file]" },
    },
    {
      ...{ name: "git:tidy", path: ".handrail/commands/git/tidy.md", kind: "command" },
      description: "Squashes what belongs together and writes the messages anew",
    },
  ],
};
