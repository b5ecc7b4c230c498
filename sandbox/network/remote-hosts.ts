// The hosts of a repository's own remotes, which its commands may reach. They are read once, when the sandbox
// is made, and only if no command can have written them.
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "../../shared/sandbox.ts";
import { isInside } from "../paths/inside.ts";
import { isRunning, type Sandbox } from "../sandbox.ts";
import type { MadeRepositories } from "../workspace/made-repositories.ts";
import type { Repository } from "../workspace/repository.ts";
import { authorityOf, shownHost } from "./host-name.ts";

/** A configuration has a few kilobytes. A larger file is ignored. */
const configBytes = 1024 * 1024;

export interface RemoteWriters {
  made: MadeRepositories;
  /** The sandboxes that are open. */
  others(): Promise<Sandbox[]>;
}

/**
 * The hosts as rules, each once: for a clone its source; for a folder the hosts that its configuration names
 * as `url`, unless a command made that repository or may be making it right now.
 */
export async function remoteHosts(
  source: Source | null,
  repository: Repository | undefined,
  { made, others }: RemoteWriters,
): Promise<string[]> {
  if (source && "git" in source) return hostsOf([source.git]);
  if (!repository) return [];
  const path = join(repository.commonDir, "config");
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > configBytes) return [];
  const hosts = hostsOf(remoteUrls(await readFile(path, "utf8").catch(() => "")));
  // Running commands are checked first: when a command has ended, the repositories that it made are already
  // recorded.
  const busy = (await others()).filter(({ folder }) => isInside(folder.root, repository.commonDir));
  return busy.some(isRunning) || (await made.has(repository)) ? [] : hosts;
}

/** https://git-scm.com/docs/git-config#_syntax: parses the plain form that git itself writes. */
function remoteUrls(config: string): string[] {
  let inRemote = false;
  return config.split("\n").flatMap((line) => {
    const section = /^\s*\[\s*([A-Za-z0-9.-]+)/.exec(line)?.[1];
    if (section !== undefined) inRemote = section.toLowerCase() === "remote";
    const url = /^\s*url\s*=\s*"?([^"\s#;]+)/i.exec(line)?.[1];
    return inRemote && url !== undefined ? [url] : [];
  });
}

function hostsOf(urls: readonly string[]): string[] {
  const found = urls.flatMap((text) => {
    const url = /^(https?|ssh|git):\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    // The proxy passes only web traffic. A repository over ssh opens its host for the web too.
    const host = url?.protocol.startsWith("http")
      ? url.host
      : (url?.hostname ?? /^[^/@:]*@?([^/@:]+):/.exec(text)?.[1]);
    const authority = authorityOf(host ?? "");
    return authority ? [shownHost({ host: authority.host, port: authority.port ?? 443 })] : [];
  });
  return [...new Set(found)];
}
