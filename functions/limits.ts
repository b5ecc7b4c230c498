// Every budget of the edge in one place, each with its reason. Sizes in bytes, durations in milliseconds.
import type { EdgeHost } from "./host.ts";

/** A history with attached images fits; a Worker has 128 MB for parsing it. */
export const maxBodyBytes = 8 * 1024 * 1024;
/** How much of a body above the cap is read and discarded, so that the sender sees the answer. */
export const maxDrainedBytes = 32 * 1024 * 1024;
/**
 * Nesting depth of JSON from clients, models and the sandbox: schemas recurse. A plan in a history has twelve levels;
 * the sandbox takes 200, and what is posted here goes there a few levels further in.
 */
export const jsonDepth = 100;
/** PROTOCOL 3.1: a posted history that passes 1 MB gets a marker. */
export const longHistoryBytes = 1_000_000;
/**
 * A history that has grown this long since its last marker gets another one. Code in rows compresses to a third, so a
 * long session uploads less than 300 KB, with what one more turn adds.
 */
export const longTailBytes = 750_000;
/** PROTOCOL 3.1: a tool message's content. */
export const maxToolContentBytes = 16 * 1024;
/** Text and arguments of one answer: what is longer could not be posted again with the history. */
export const maxAnswerChars = 1_000_000;
/** What an answer is taken to have at the least where its price is estimated before it is asked for. */
export const shortAnswerTokens = 100;
/** A diff on a card travels with every later request; the Changes screen has the whole. */
export const maxFactDiffBytes = 6 * 1024;
/** SPEC: the context scan costs at most 1,500 tokens; paths and sizes have about 2.5 bytes a token. */
export const scanBytes = 3_600;
/** Parts of it for the file tree and for git; the rest is for manifests, which tell how tests run. */
export const scanTreeBytes = 1_600;
export const scanGitBytes = 500;
/** Files that are looked at for changes of others at the beginning of a turn: what a model works with, hashed in some ms. */
export const lookedAtFiles = 100;
/** Project instructions: about 1,500 tokens of prose at the start, half of it for a folder's own. */
export const instructionBytes = 6_000;
export const nestedInstructionBytes = 3_000;
/** Folders of a monorepo with instructions of their own that are named at the start. */
export const nestedInstructions = 40;
/** Commands and skills of a project that are looked at, and the room that their names have at the start: 600 tokens. */
export const projectCommands = 60;
export const commandNamesBytes = 2_500;
/** Text of one skill that is called: about the size of the longest published ones. */
export const commandBytes = 14_000;
/** Questions asked in five rounds and a plan drafted and patched fit with room to read. */
export const planningRounds = 12;
/** Comment lines on every stream, 10 s apart at most; proxies cut silent connections at about 100 s. */
export const heartbeatMs = 9_000;
/** The same on workerd, where only writing finds out that a reader has detached, and the turn must pause soon after. */
export const probingHeartbeatMs = 2_500;
/** Pieces of text that come faster than this many in that time are written together: a write costs more than parsing. */
export const coalesceMs = 25;
export const burstWrites = 4;
/** Live text and output that wait for one slow reader: twice the longest answer, so that only floods are cut. */
export const queuedChars = 2_000_000;
/** With this many streams at once, each writes once in this time: the CPU matters more than a few ms of delay. */
export const crowdedStreams = 8;
export const crowdedCoalesceMs = 50;
/** On workerd, where each read costs much, each of so many answers is read at this pace. */
export const crowdedReadMs = 75;
/** A follower whose journal has not grown for this long closes without a last event. */
export const followIdleMs = 90_000;
/**
 * The same where the sandbox would say that nobody runs the turn: an answer may take minutes, and taking the turn over pays
 * for it again. Longer than a model may be silent (10 min), since a connection can be dead without either end knowing.
 */
export const followAttendedMs = 11 * 60_000;
/** One long poll of the journal; the sandbox allows 25 s. */
export const followPollMs = 20_000;
/** Pauses between the looks for turns that a dead process left, after a start: its connections may end late. */
export const laterLooksMs = [1_000, 5_000, 20_000, 60_000];
/** A turn that something broke is tried again after this long, then after twice that, up to the longest pause. */
export const brokenMs = 1_000;
export const longestPauseMs = 5 * 60_000;
/** A day of such tries: then the turn waits for its client. */
export const brokenTries = 300;
/** When it is first looked whether a turn's worker lives, and how far apart later looks are at most: each costs a request. */
export const firstLookMs = 5_000;
export const lastLookMs = 60_000;
/** So often it is looked again for a turn that the sandbox does not know, over 75 s: a clone keeps a claim for 20. */
export const unknownLooks = 4;
/** A Durable Object that runs a turn and dies is followed by another one after this long. */
export const aliveMs = 10_000;
/** An alarm may take 15 minutes: the round under way is waited for, then the next alarm continues. */
export const alarmMs = 11 * 60_000;
export const alarmGraceMs = 3 * 60_000;
/** How long a push service or a webhook may take. */
export const pushMs = 10_000;
/** How long a push service keeps a message for a phone that is off: a day later nobody waits for it. */
export const pushKeptSeconds = 24 * 60 * 60;
/** The longest delay of a push service that is passed on: some name days. */
export const pushLaterSeconds = 60 * 60;
/** How long a stop waits for the runner to write the ending itself. */
export const stopGraceMs = 1_000;
/**
 * How long an unwatched turn continues, on a host that must end soon: a reload or a change of tabs interrupts nothing.
 */
export const detachAfterMs = 20_000;
/** Interval of a runner's heartbeat where requests are not counted: a frozen runner is noticed within 4 s. */
export const beatMs = 1_000;
/** Before a runner attends again after its stream broke; the sandbox waits a second. */
export const attendAgainMs = 250;
/** A phone with several sessions makes a few a second, a busy program about ten, a runaway loop more. Turns: a tenth. */
export const requestsPerMinute = 6_000;
/** A few wrong tokens are mistakes, more are guesses. */
export const strangersPerMinute = 300;
/**
 * Kept back for one more round before a turn on a counted host ends itself: the model and two retries, a form
 * that it refuses, the calls in two requests, a baseline, a rollback, and the ending.
 */
export const roundSubrequests = 9;
/** A failed check on the unchanged files: a person waits, so longer ones are left to the model to run where it matters. */
export const baselineMs = 20_000;
/** Beside twice what the failed run took: its first run fills caches, and a loaded machine takes seconds to start `npx`. */
export const baselineSpareMs = 10_000;
/** Different commands tried so in one turn: a plan has 2 to 7 steps. */
export const baselines = 6;
/** Length of the last line of their output, cut to the width of a check's lines. */
export const baselineLastChars = 400;
/** The sandbox pings at least every 10 s: a connection that is silent for longer is gone, whatever the socket says. */
export const sandboxSilenceMs = 25_000;
/** How often in a turn a model is told of calls that could not be read, before the turn ends with those words. */
export const unreadAnswers = 2;
/**
 * Answers with nothing but malformed or refused calls, or with nothing at all, that have the same fault, after which a
 * turn ends in words. A small model that is told of one fault after the other gets on.
 */
export const maxBadRounds = 6;

/** What a turn may have used, since its beginning, before it ends while nobody watches it. */
export interface UnattendedBudget {
  rounds: number;
  minutes: number;
  /** US dollars; absent = as with somebody who watches. */
  spendLimit?: number;
}

/** A plan of many steps while its person sleeps or is in a meeting, and no night of a loop that is paid for. */
export const unattendedDefaults: UnattendedBudget = { rounds: 100, minutes: 60 };

export interface HostBudget {
  rounds: number;
  /** The retry budget: requests to the model beyond one a round, after a failure or to leave out what was refused. */
  retries: number;
  wallMs: number;
  /** Subrequests that one request of a client may make, retries included. */
  subrequests: number;
  /** Characters of durable events: the journal gives all of them to each claim, followers hold them in memory. */
  outputChars: number;
}

/**
 * What one turn may use of its host before it ends itself with `continue`.
 * Workers: 50 subrequests on the free plan, 2 a round, the rest for claim, scan, retries and the ending; 128 MB
 * for all requests of an isolate.
 * Node and Deno: bounded so that an unattended turn cannot run for ever; nobody counts their requests. What a turn
 * adds to the history has to fit into the body of the next one, twice over. A host that hands turns over has these
 * subrequests for each process that runs the turn.
 */
export function hostBudget(host: EdgeHost): HostBudget {
  return host.runtime === "workerd"
    ? {
        rounds: host.handsOver ? 100 : 20,
        retries: 5,
        wallMs: 15 * 60_000,
        subrequests: 50,
        outputChars: 2_000_000,
      }
    : { rounds: 100, retries: 100, wallMs: 60 * 60_000, subrequests: Infinity, outputChars: 4_000_000 };
}
