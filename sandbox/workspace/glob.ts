// Globs with ripgrep's rules: without a slash they match a name at any depth; with one they match the path
// from the workspace.

const maxGlobChars = 300;

/**
 * A test for paths relative to the workspace. A leading `!` negates it. Throws for a glob that cannot be
 * parsed.
 */
export function globTest(glob: string): (path: string) => boolean {
  if (glob.length > maxGlobChars) throw new SyntaxError("longer than 300 characters");
  const negated = glob.startsWith("!");
  const bare = (negated ? glob.slice(1) : glob).replace(/^\.\//, "");
  const anchored = bare.replace(/\/$/, "").includes("/");
  const body = translate(bare.replace(/^\//, "").replace(/\/$/, "/**"));
  const test = new RegExp(`^${anchored || bare.startsWith("/") ? "" : "(?:.*/)?"}${body}$`, "s");
  return (path) => test.test(path) !== negated;
}

function translate(glob: string): string {
  let out = "";
  let depth = 0;
  for (let index = 0; index < glob.length; index++) {
    const char = glob[index] ?? "";
    if (char === "*") {
      let stars = 1;
      while (glob[index + 1] === "*") {
        index += 1;
        stars += 1;
      }
      const atStart = index - stars < 0 || glob[index - stars] === "/";
      if (stars >= 2 && atStart && glob[index + 1] === "/") {
        index += 1;
        out += "(?:[^/]+/)*";
      } else {
        out += stars >= 2 && atStart && index === glob.length - 1 ? ".*" : "[^/]*";
      }
    } else if (char === "?") {
      out += "[^/]";
    } else if (char === "[") {
      const end = glob.indexOf("]", index + 2);
      if (end < 0) throw new SyntaxError("a [ that is not closed");
      const set = glob
        .slice(index + 1, end)
        .replace(/\\/g, "\\\\")
        .replace(/^[!^]/, "^")
        .replace(/\[/g, "\\[");
      out += `(?!/)[${set}]`;
      index = end;
    } else if (char === "{") {
      depth += 1;
      out += "(?:";
    } else if (char === "}" && depth > 0) {
      depth -= 1;
      out += ")";
    } else if (char === "," && depth > 0) {
      out += "|";
    } else {
      const literal = char === "\\" ? (glob[++index] ?? "\\") : char;
      out += literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
  }
  if (depth > 0) throw new SyntaxError("a { that is not closed");
  return out;
}
