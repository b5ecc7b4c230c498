// Routes with which a person allows hosts or the network for the commands of one sandbox, and revokes this.
import { HandrailError } from "../../shared/errors.ts";
import { type AllowedHosts, AllowHost, OpenNetwork } from "../../shared/network.ts";
import type { ServerContext } from "../context.ts";
import { allowHost, forgetHosts } from "../network/allowed-hosts.ts";
import { closeNetwork, openNetwork } from "../network/opened.ts";
import { readBody } from "./answers.ts";
import { noContent, type Router } from "./router.ts";

export function hostRoutes(app: Router, server: ServerContext): void {
  app.post("/v1/sandboxes/:id/hosts", async (c) => {
    const sandbox = await server.registry.get(c.param("id"));
    const request = await readBody(c, AllowHost);
    const { network: set, opened } = sandbox.record;
    if (!server.jail || (set !== "registries" && !(set === "none" && opened?.session))) {
      const why = server.jail ? `has the network "${sandbox.record.network}"` : "has no jail around it";
      throw new HandrailError(
        "unsupported",
        `This sandbox ${why}: hosts are allowed only where its network is "registries".`,
      );
    }
    const answer: AllowedHosts = { hosts: await allowHost(sandbox, request) };
    return Response.json(answer);
  });

  app.post("/v1/sandboxes/:id/network", async (c) => {
    const sandbox = await server.registry.get(c.param("id"));
    const request = await readBody(c, OpenNetwork);
    if (!server.jail || sandbox.record.network !== "none")
      throw new HandrailError(
        "unsupported",
        server.jail
          ? `This sandbox has the network "${sandbox.record.network}" already.`
          : "This sandbox has no jail around it: its commands have the machine's network.",
      );
    return Response.json(await openNetwork(sandbox, request));
  });

  app.delete("/v1/sandboxes/:id/network", async (c) => {
    await closeNetwork(await server.registry.get(c.param("id")));
    return noContent();
  });

  app.delete("/v1/sandboxes/:id/hosts", async (c) => {
    await forgetHosts(await server.registry.get(c.param("id")));
    return noContent();
  });
}
