// Makes a new sandbox in a guest of its own: reserves a place, makes the guest, then the sandbox in it. If a
// step fails, nothing is left behind.
import * as z from "zod/mini";
import { CreateSandboxRequest } from "../../shared/api.ts";
import { HandrailError } from "../../shared/errors.ts";
import { SandboxInfo, type Source } from "../../shared/sandbox.ts";
import { type EngineName, engineNames } from "./engine.ts";
import { guestNameOf, personOf, sandboxIdOf } from "./guest-id.ts";
import { jailed } from "./jailed.ts";
import type { Guests } from "./shared-guests.ts";

const Wanted = z.strictObject({ ...CreateSandboxRequest.shape, person: z.optional(z.string()) });

/** Answers like the sandbox server. Throws HandrailError. */
export async function makeGuest(guests: Guests, url: URL, init: RequestInit): Promise<Response> {
  const { engine: chosen, key, person: who, ...wanted } = z.parse(Wanted, JSON.parse(String(init.body)));
  const name = chosenOf(guests.names, chosen);
  if (name === "here") return guests.options.fetch(url, { ...init, body: JSON.stringify(wanted) });
  const { options, access, capacity, secret } = guests;
  const engine = await guests.engine(name);
  const named = await guestNameOf(secret, key ?? options.newId());
  const person = who === undefined ? undefined : await personOf(secret, who);
  const held = await capacity.admit({ who: key, id: sandboxIdOf({ engine: name, guest: named }), person });
  try {
    const made = await engine.create({
      name: named,
      network: wanted.network ?? networkOf(options.env.HANDRAIL_NETWORK),
      workspace: workspaceOf(wanted.source),
      ...(person === undefined ? {} : { person }),
    });
    try {
      if (options.env.HANDRAIL_GUEST_JAIL !== "0") await jailed(options.fetch, made.endpoint);
    } catch (error) {
      // After other errors the guest may still answer another request. If none comes, the guest is removed as
      // a leftover.
      if (error instanceof HandrailError) await made.takeBack();
      throw error;
    }
    const place = { engine: name, guest: made.guest };
    access.know(place, made.endpoint);
    const { worktree: _, ...body } = wanted;
    const answer = await access.send(place, url, {
      ...init,
      body: JSON.stringify({ ...body, id: sandboxIdOf(place) }),
    });
    if (!answer.ok) {
      // The request was wrong, such as a repository that cannot be cloned, so there is nothing in the guest
      // to keep.
      if (answer.status < 500) await made.takeBack();
      return answer;
    }
    await engine.keep?.(made.guest);
    const info = z.parse(SandboxInfo, await answer.json());
    const { costPerHour } = engine;
    const guest = { engine: name, ...(costPerHour === undefined ? {} : { costPerHour }) };
    return Response.json({ ...info, guest }, { status: answer.status });
  } finally {
    await held.release();
  }
}

function chosenOf(names: readonly EngineName[], chosen: string | undefined): EngineName {
  const [first = "here"] = names;
  const name = chosen === undefined ? first : engineNames.find((known) => known === chosen);
  if (name && names.includes(name)) return name;
  throw new HandrailError(
    "invalid_request",
    `engine: this server has ${names.join(", ")}, and no ${JSON.stringify(chosen)}.`,
  );
}

function networkOf(text: string | undefined) {
  return text === "registries" || text === "full" ? text : "none";
}

/** A name for lists while the guest sleeps: the repository's name without its address. */
function workspaceOf(source: Source | undefined): string {
  if (!source || !("git" in source)) return "sample project";
  const last = source.git.replace(/\/+$/, "").split(/[/:]/).at(-1) ?? "";
  return last
    .replace(/\.git$/, "")
    .replace(/[^\w. -]/g, "")
    .slice(0, 60);
}
