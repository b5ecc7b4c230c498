// The permissions of the session, as the sandbox keeps them; each can be taken back.
import { useEffect, useState } from "preact/hooks";
import type { KeptGrant } from "../../shared/grant.ts";
import type { Opened } from "../../shared/network.ts";
import { api, inWords } from "../app/app-state.ts";
import { momentInWords } from "../components/elapsed.tsx";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { grantInWords } from "../transcript/grant-in-words.ts";
import { refreshAllowed } from "../transcript/refused-hosts.tsx";
import { TakenOut } from "./taken-out.tsx";

export function AllowedSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { sandboxId } = session.record.value;
  const [grants, setGrants] = useState<readonly KeptGrant[] | null>(sandboxId === "" ? [] : null);
  const [hosts, setHosts] = useState<readonly string[]>([]);
  const [opened, setOpened] = useState<Opened>();
  const [isolation, setIsolation] = useState<string>();
  const [problem, setProblem] = useState<string | null>(null);
  const [revoked, setRevoked] = useState(false);
  const load = () =>
    api.sandbox(sandboxId).then(
      (sandbox) => {
        setGrants(sandbox.grants ?? []);
        setOpened(sandbox.opened);
        setIsolation(sandbox.guest?.isolation);
        setHosts((sandbox.hosts ?? []).map(({ host }) => host));
      },
      (error: unknown) => setProblem(inWords(error).message),
    );
  useEffect(() => {
    if (sandboxId !== "") void load();
  }, [sandboxId]);
  const revoke = async (taken: Promise<void>) => {
    setProblem(null);
    await taken.then(
      () => setRevoked(true),
      (error: unknown) => setProblem(inWords(error).message),
    );
    await Promise.all([load(), refreshAllowed(session)]);
  };
  return (
    <Sheet
      title="Allowed and taken out"
      subtitle="Kept by your server, for this session alone"
      onClose={onClose}
    >
      <div class="choices">
        <Problem words={problem} />
        {isolation !== undefined && (
          <p class="muted">
            {isolation === "none"
              ? "Commands of this session run beside the server in its sandbox, because no jail works there."
              : "Commands of this session run in a jail inside its sandbox."}
          </p>
        )}
        {grants?.length === 0 && hosts.length === 0 && !opened && (
          <p class="muted">Nothing: every command that needs approval asks for it.</p>
        )}
        {grants?.map((grant) => (
          <div key={grant.id} class="place">
            <p>
              <b>{grantInWords(grant)}</b>
              <br />
              <span class="muted">
                {grant.risk === "remote" || grant.risk === "network"
                  ? "uses the network"
                  : "may destroy something"}{" "}
                · allowed {momentInWords(grant.at, Date.now())}
              </span>
            </p>
            <button
              type="button"
              class="button soft bad"
              aria-label={`Revoke ${grantInWords(grant)}`}
              onClick={() => void revoke(api.revokeGrants(sandboxId, grant.id))}
            >
              Revoke
            </button>
          </div>
        ))}
        {opened && (opened.session || opened.never) && (
          <div class="place">
            <p>
              <b>{opened.session ? "The network, for every command" : "No network, without asking"}</b>
            </p>
            <button
              type="button"
              class="button soft bad"
              aria-label="Revoke what was decided on the network"
              onClick={() => void revoke(api.closeNetwork(sandboxId))}
            >
              Revoke
            </button>
          </div>
        )}
        {hosts.length > 0 && (
          <div class="place">
            <p>
              <b>{hosts.join(", ")}</b>
              <br />
              <span class="muted">hosts that commands may reach</span>
            </p>
            <button
              type="button"
              class="button soft bad"
              aria-label={`Revoke ${hosts.join(", ")}`}
              onClick={() => void revoke(api.forgetHosts(sandboxId))}
            >
              Revoke
            </button>
          </div>
        )}
        {sandboxId !== "" && <TakenOut sandboxId={sandboxId} />}
        <p class="quiet" role="status">
          {revoked
            ? "Revoked. A running turn keeps it until it ends; from the next turn on you are asked again."
            : "From the next turn on you are asked again about what you revoke."}
        </p>
      </div>
    </Sheet>
  );
}
