// Branches of a forge that can list but not search them: a limited number of pages is read.
import * as z from "zod/mini";
import type { Page } from "./forge.ts";
import { orElse } from "./forge-error.ts";
import type { ForgeHttp } from "./forge-http.ts";

const BranchAnswer = z.object({ name: z.string() });
const Branch = z.object({ commit: z.object({ id: z.string() }) });

/** `text`: part of a name; "" = one page of all. */
export async function branchesOf(
  http: ForgeHttp,
  path: string,
  query: Readonly<Record<string, number>>,
  text: string,
  page: number,
): Promise<Page<string>> {
  if (text === "") return http.some(BranchAnswer, path, { ...query, page }, ({ name }) => name);
  const { items } = await http.list(BranchAnswer, path, query);
  const names = items.map(({ name }) => name);
  return { items: names.filter((name) => name.toLowerCase().includes(text.toLowerCase())), next: null };
}

/** The commit of the branch that GitLab or Gitea has at `path`; null if there is none. */
export function branchAt(http: ForgeHttp, path: string): Promise<string | null> {
  return orElse(
    http.json(Branch, path).then(({ commit }) => commit.id),
    ["missing"],
    () => null,
  );
}
