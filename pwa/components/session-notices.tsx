// Notices that a person should read first: a refusal, another tab, storage problems, unreadable parts. They use words,
// never colours alone.

import { type Waiting, waitingFor } from "../../shared/session/waiting.ts";
import { config } from "../app/app-state.ts";
import { go } from "../browser/route.ts";
import { isWide } from "../browser/screen.ts";
import { isUntouched } from "../session/count-changes.ts";
import type { OpenSession } from "../session/open-session.ts";
import { isUnkept } from "../storage/storage-error.ts";
import { isAway, refusedInWords } from "../turn/connection.ts";
import { lazy } from "./lazy.tsx";
import { ServerNotice } from "./server-notice.tsx";

const PullNotice = lazy(() => import("./pull-notice.tsx").then((module) => module.PullNotice), "nothing");
const UpdateNotice = lazy(() => import("./app-notices.tsx").then((module) => module.UpdateNotice), "nothing");

const GuestNotice = lazy(() => import("./guest-notice.tsx").then((module) => module.GuestNotice), "nothing");
const BranchOffer = lazy(() => import("./branch-offer.tsx").then((module) => module.BranchOffer), "nothing");

/** While one of these asks for a decision, the space belongs to it: the offer of a branch waits. */
const urgent: ReadonlySet<Waiting["kind"]> = new Set(["failure", "permission", "open"]);

/** Returns whether the session has written nothing yet and works in a shared folder, probably on its default branch. */
function isUnwritten({ record, settled, types, outbox, connection }: OpenSession): boolean {
  const { branch, git, worktree } = record.value;
  const shared = git === undefined && worktree === undefined && config.value?.workspace?.kind === "folder";
  const rests = types.value && outbox.value.turn === null && connection.value.kind !== "refused";
  if (urgent.has(waitingFor(settled.value).kind)) return false;
  return shared && rests && /^(main|master|trunk)$/.test(branch ?? "") && isUntouched(settled.value);
}

export function SessionNotices({ session, onTakeOver }: { session: OpenSession; onTakeOver(): void }) {
  const connection = session.connection.value;
  const unsent = connection.kind === "refused" && isUnkept(connection.error);
  return (
    <>
      {/* In wide windows, the list beside it says this. */}
      {!isWide.value && <UpdateNotice />}
      {!isWide.value && !isAway(connection) && <ServerNotice />}
      {config.value?.sandbox.engines && <GuestNotice session={session} />}
      {isUnwritten(session) && <BranchOffer session={session} />}
      {connection.kind === "elsewhere" && (
        <p class="notice">
          <span>This session is open in another tab. Here you can only read along.</span>
          <button type="button" class="text-button" onClick={onTakeOver}>
            Use it here
          </button>
        </p>
      )}
      {(session.readsAlong.value || session.writes.value !== session.types.value) && (
        <p class="notice">
          <span>
            {session.readsAlong.value
              ? "Another device is running this. You can read along here."
              : "Another device writes here. You can read along and answer."}
          </span>
          <button type="button" class="text-button" onClick={() => session.useHere()}>
            Use it here
          </button>
        </p>
      )}
      {session.gone.value && (
        <p class="notice">
          <span>
            This session was deleted on another device: the server has neither its files nor its history any
            more. What was said is still here, to be read and exported, until you delete it here too.
          </span>
        </p>
      )}
      {session.record.value.incomplete === true && (
        <p class="notice">
          <span>
            Parts of what was said early in this session were not kept on the server and are missing here.
          </span>
        </p>
      )}
      {session.record.value.noWorktree !== undefined && (
        <p class="notice">
          <span>
            No worktree could be made for this session, so it works in the folder itself.{" "}
            {session.record.value.noWorktree}
          </span>
          <button
            type="button"
            class="text-button"
            onClick={() => void session.choose({ noWorktree: undefined })}
          >
            Dismiss
          </button>
        </p>
      )}
      {session.record.value.pull && <PullNotice session={session} />}
      {connection.kind === "unpaired" && (
        <p class="notice">
          <span>Nothing is lost, but this device is not paired any more.</span>
          <button type="button" class="text-button" onClick={() => go({ page: "sessions" })}>
            Pair again
          </button>
        </p>
      )}
      {unsent && (
        <p class="notice bad stacked" role="alert">
          <span>{refusedInWords(connection.error)}</span>
          <span class="notice-actions">
            <button type="button" class="text-button" onClick={() => go({ page: "settings" })}>
              Make room
            </button>
            <button type="button" class="text-button" onClick={() => session.sendAnyway()}>
              Send anyway
            </button>
          </span>
        </p>
      )}
      {connection.kind === "refused" && !unsent && (
        <p class="notice bad" role="alert">
          <span>{refusedInWords(connection.error)}</span>
          <button
            type="button"
            class="text-button"
            onClick={() => {
              session.connection.value = { kind: "idle" };
            }}
          >
            Dismiss
          </button>
        </p>
      )}
      {session.storageError.value !== null && !unsent && (
        <p class="notice bad" role="alert">
          <span>{session.storageError.value}</span>
          <button type="button" class="text-button" onClick={() => go({ page: "settings" })}>
            Make room
          </button>
        </p>
      )}
      {session.record.value.lost === true && session.settled.value.head.entryCount === 0 && (
        <p class="notice">
          <span>
            This browser deleted what was said in this session. The server still has its files and what was
            changed; you can continue from there.
          </span>
        </p>
      )}
      {session.unreadable.value > 0 && (
        <p class="notice">
          <span>Part of this session could not be read from storage. It was set aside, not deleted.</span>
        </p>
      )}
    </>
  );
}
