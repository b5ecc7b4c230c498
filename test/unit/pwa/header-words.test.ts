import { describe, expect, test } from "vitest";
import {
  type Connection,
  clockInWords,
  isAway,
  isStill,
  refusedInWords,
  runningInWords,
  summaryOver,
} from "../../../pwa/turn/connection.ts";
import { headerWords, withoutBranch } from "../../../pwa/words/header-words.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { numbered, planningTurn, started, user, workingTurn } from "../session/events.ts";

const live: Connection = { kind: "live" };
const offline: Connection = { kind: "offline" };
const reconnecting: Connection = { kind: "reconnecting", tries: 1 };

describe("while a turn runs", () => {
  const begun = { unattended: true, begun: true, atDesk: false };

  test("the phone may be locked only while connected to a server that continues alone", () => {
    expect(runningInWords(live, begun)).toBe("You can lock your phone now.");
    expect(runningInWords(live, { ...begun, atDesk: true })).toBe("You can close this page now.");
    expect(runningInWords(live, { ...begun, unattended: false })).toBe("It pauses soon after you leave.");
    expect(runningInWords(live, { ...begun, unattended: false, ownKey: true })).toBe(
      "It pauses soon after you leave: your own key stays on this device, so it waits for you.",
    );
    expect(runningInWords(live, { ...begun, unattended: undefined })).toBe("");
    expect(runningInWords({ kind: "sending" }, { ...begun, begun: false })).toBe("");
  });

  test.each([offline, reconnecting])(
    "nothing is shown as running without a connection: $kind",
    (connection) => {
      expect(isAway(connection)).toBe(true);
      expect(runningInWords(connection, begun)).toContain("Was running when the connection was lost");
      const since = new Date(2026, 10, 21, 22, 59).getTime();
      expect(runningInWords({ ...connection, since } as Connection, begun)).toBe(
        `Last seen running at ${clockInWords(since, Date.now())}. You will see the result when the server is back.`,
      );
      expect(runningInWords(connection, { ...begun, begun: false })).toBe("Not sent yet. Nothing is lost.");
    },
  );
});

describe("a turn that nobody runs", () => {
  const since = new Date(2026, 10, 21, 22, 59).getTime();
  const resuming: Connection = { kind: "resuming", since };

  test("is shown as paused since its last sign of life, in the list too, without a clock", () => {
    const clock = clockInWords(since, Date.now());
    expect(headerWords(emptySession(), resuming).text).toBe(`Paused since ${clock} · resuming`);
    const running = { text: "Working", mark: "running" as const };
    expect(summaryOver(resuming, running, false)).toEqual({
      text: `Paused since ${clock} · resuming`,
      mark: "hollow",
    });
    expect(isStill(resuming)).toBe(true);
  });

  test("is not shown as continuing where nothing answers", () => {
    const unanswered: Connection = { kind: "reconnecting", tries: 1, unanswered: true, since };
    expect(headerWords(emptySession(), unanswered)).toEqual({
      text: `Your server does not answer. Last heard ${clockInWords(since, Date.now())}.`,
      about: false,
    });
  });

  test("today's times are the clock alone, older ones name the day", () => {
    const short = clockInWords(since, since + 60_000);
    expect(short).toMatch(/59/);
    expect(clockInWords(since, since + 86_400_000 * 2)).toContain("Sat");
    expect(clockInWords(since, since + 86_400_000 * 30)).toContain("21");
  });
});

test("the server's own message is shown while it cannot continue", () => {
  const waits: Connection = { kind: "reconnecting", tries: 1, why: "The disk is full." };
  const facts = { unattended: true, begun: false, atDesk: false };
  expect(runningInWords(waits, facts)).toBe("Not sent yet. The disk is full. It is tried again.");
});

describe("the line under a session's title", () => {
  const permission = { toolCallId: "c", name: "run_command", arguments: '{"command":"git push"}', why: "" };
  const waits = planningTurn.reduce(reduce, emptySession());

  test("says what waits, like the session list", () => {
    expect(headerWords(waits, { kind: "idle" })).toEqual({
      text: "Waiting for you: plan of 2 steps",
      about: false,
    });
  });

  test("names no steps of a plan that the person has edited since", () => {
    expect(headerWords(waits, live, undefined, true).text).toBe("Waiting for you: your edited plan");
  });

  test("says first that there is no connection", () => {
    expect(headerWords(waits, offline).text).toBe("Offline");
  });

  test("announces what was caught up on before what waits, except for a call that may have run", () => {
    const caughtUp: Connection = { kind: "caught-up", commands: 2 };
    expect(headerWords(waits, caughtUp).text).toBe("Caught up · 2 commands finished");
    const unknown = {
      ...waits,
      head: { ...waits.head, permission: { ...permission, risk: "outcome_unknown" as const } },
    };
    expect(headerWords(unknown, caughtUp).text).toBe("Needs you: `git push` may have run");
  });

  test("says while a turn runs that a call needs approval, until it is decided", () => {
    const running = workingTurn.slice(0, 3).reduce(reduce, emptySession());
    const asks = { text: "Needs approval", about: true };
    expect(headerWords(running, { kind: "live" }, true)).toEqual(asks);
    expect(headerWords(running, { kind: "live" }, false)).toEqual({ text: "Live", about: true });
    const rests = {
      ...waits,
      head: { ...waits.head, permission: { ...permission, risk: "remote" as const } },
    };
    expect(headerWords(rests, live, true)).toEqual({ text: "Needs approval", about: false });
    expect(headerWords(running, offline, true).text).toBe("Offline");
  });

  test("leaves it to the notice that another tab writes", () => {
    expect(headerWords(emptySession(), { kind: "elsewhere" })).toEqual({ text: "", about: true });
  });
});

test("says that a session too large to be sent can be read, and how to continue", () => {
  const large = new HandrailError("too_large", "body: over 8 MB; send less, or the tail of a long history.");
  expect(refusedInWords(large)).toMatch(/larger than a request may be .* read and exported .* duplicate it/);
  expect(refusedInWords(new HandrailError("invalid_request", "Another turn runs."))).toBe(
    "Not sent: Another turn runs.",
  );
});

test("the header says why a turn failed in one clause: its row has the rest", () => {
  const failed = (message: string) => {
    const error = { code: "model_error" as const, message };
    const turn = numbered([started("t1"), user("u1", "Hi"), { event: "turn.failed", data: { error } }]);
    return headerWords(turn.reduce(reduce, emptySession()), { kind: "idle" }).text;
  };
  const limit = "The next request would exceed the spending limit";
  expect(failed(`${limit}, so it was not sent: it costs about $0.05, $0.02 are left.`)).toBe(
    `Needs you: ${limit}`,
  );
  expect(failed("gpt-5.1 does not answer. Try again.")).toBe("Needs you: gpt-5.1 does not answer");
});

test("a commit's branch is left out only where the header names the same one", () => {
  const text = "Paused after 1 of 6 steps · Committed 407e986 on feature/limits · 0 files since";
  expect(withoutBranch(text, "feature/limits")).toBe(
    "Paused after 1 of 6 steps · Committed 407e986 · 0 files since",
  );
  expect(withoutBranch(text, "main")).toBe(text);
});
