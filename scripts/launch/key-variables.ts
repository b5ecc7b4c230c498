// The variables with the keys of listed providers: the list names the variables and never contains a key
// (functions/model/read-providers.ts).

/** Variables of other programs. Even if a list names one of them as a key's variable, it is not passed on. */
const others = /^(PATH|HOME|SHELL|NODE_\w+|LD_\w+|DYLD_\w+|npm_\w+|HANDRAIL_\w+|SANDBOX_\w+)$/;

/** `providers`: the text of HANDRAIL_PROVIDERS, which need not be valid JSON. */
export function keyVariables(providers = ""): string[] {
  const names = [...providers.matchAll(/"keyVariable"\s*:\s*"(\w+)"/g)].map(([, name]) => name ?? "");
  return names.filter((name) => !others.test(name));
}
