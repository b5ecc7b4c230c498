// The names by which the model calls tools of servers. Every provider accepts them, and none of our tools has one.

export const findToolName = "find_tool";
export const callToolName = "call_tool";

/** Providers accept 64 characters of A-Z a-z 0-9 _ -. */
const maxChars = 64;

/** `mcp__SERVER__TOOL`; other characters are replaced, and if two names become equal, the later one gets a number. */
export function callNames(tools: readonly { server: string; tool: string }[]): string[] {
  const taken = new Set<string>();
  return tools.map(({ server, tool }) => {
    const whole = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
    let name = whole.slice(0, maxChars);
    for (let number = 2; taken.has(name); number += 1) name = `${whole.slice(0, maxChars - 4)}_${number}`;
    taken.add(name);
    return name;
  });
}
