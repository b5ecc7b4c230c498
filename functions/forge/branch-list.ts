// Branches of a forge that lists them and cannot search: so many pages of them are looked through.
import type * as z from "zod/mini";
import type { Page } from "./forge.ts";
import type { ForgeHttp } from "./forge-http.ts";

/** `text`: part of a name; "" = one page of all. */
export async function branchesOf<T extends z.core.$ZodType<{ name: string }[]>>(
  http: ForgeHttp,
  schema: T,
  path: string,
  query: Readonly<Record<string, number>>,
  text: string,
  page: number,
): Promise<Page<string>> {
  const names = (value: z.output<T>) => value.map(({ name }) => name);
  if (text === "") {
    const { value, next } = await http.page(schema, path, { ...query, page });
    return { items: names(value), next };
  }
  const { items } = await http.all(schema, path, query, names);
  return { items: items.filter((name) => name.toLowerCase().includes(text.toLowerCase())), next: null };
}
