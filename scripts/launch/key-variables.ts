// The variables that hold the keys of listed providers: the list names them, never the keys (functions/model/read-providers.ts).

/** What other programs read: a list that names one of these as a key's variable does not make it ours. */
const others = /^(PATH|HOME|SHELL|NODE_\w+|LD_\w+|DYLD_\w+|npm_\w+|HANDRAIL_\w+|SANDBOX_\w+)$/;

/** `providers`: the text of HANDRAIL_PROVIDERS, which may be no JSON at all. */
export function keyVariables(providers = ""): string[] {
  const names = [...providers.matchAll(/"keyVariable"\s*:\s*"(\w+)"/g)].map(([, name]) => name ?? "");
  return names.filter((name) => !others.test(name));
}
