// The hosts of a repository's own remotes, which its commands may reach: read once, when the sandbox is made, and only where
// no command can have written them.
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "../../shared/sandbox.ts";
import { isInside } from "../paths/inside.ts";
import { isRunning, type Sandbox } from "../sandbox.ts";
import type { MadeRepositories } from "../workspace/made-repositories.ts";
import type { Repository } from "../workspace/repository.ts";
import { authorityOf, shownHost } from "./host-name.ts";

/** A configuration is a few kilobytes; anything larger is none. */
const configBytes = 1024 * 1024;

export interface RemoteWriters {
  made: MadeRepositories;
  /** The sandboxes in use. */
  others(): Promise<Sandbox[]>;
}

/**
 * In the form of a rule, each once. Of a clone its source, of a folder what its configuration names as `url`, unless a
 * command made that repository or may be making it.
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
  // In this order: what runs no more has been noted.
  const busy = (await others()).filter(({ folder }) => isInside(folder.root, repository.commonDir));
  return busy.some(isRunning) || (await made.has(repository)) ? [] : hosts;
}

/** https://git-scm.com/docs/git-config#_syntax: the plain form, which git itself writes. */
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
    // The proxy carries the web only; a repository over ssh opens its host for the web too.
    const host = url?.protocol.startsWith("http")
      ? url.host
      : (url?.hostname ?? /^[^/@:]*@?([^/@:]+):/.exec(text)?.[1]);
    const authority = authorityOf(host ?? "");
    return authority ? [shownHost({ host: authority.host, port: authority.port ?? 443 })] : [];
  });
  return [...new Set(found)];
}
