// All budgets of the edge, each with its reason. Sizes in bytes, durations in milliseconds.
import type { EdgeHost } from "./host.ts";

/** This is enough for a history with attached images; a Worker has 128 MB to parse it. */
export const maxBodyBytes = 8 * 1024 * 1024;
/** How much of a body above the limit is read and discarded, so that the sender sees the response. */
export const maxDrainedBytes = 32 * 1024 * 1024;
/**
 * Nesting depth of JSON from clients, models and the sandbox, because schemas recurse. A plan in a history has twelve
 * levels. The sandbox accepts 200, and posted values reach it a few levels deeper.
 */
export const jsonDepth = 100;
/** PROTOCOL 3.1: a posted history longer than 1 MB gets a marker. */
export const longHistoryBytes = 1_000_000;
/**
 * A history that has grown by this much since its last marker gets another one. Code in rows compresses to a third, so
 * a long session uploads less than 300 KB, including what one more turn adds.
 */
export const longTailBytes = 750_000;
/** PROTOCOL 3.1: a tool message's content. */
export const maxToolContentBytes = 16 * 1024;
/** Text and arguments of one answer. A longer answer could not be posted again with the history. */
export const maxAnswerChars = 1_000_000;
/** The assumed minimum length of an answer, for estimating its price before it is requested. */
export const shortAnswerTokens = 100;
/** A diff on a card is sent with every later request; the Changes screen shows all of it. */
export const maxFactDiffBytes = 6 * 1024;
/** The context scan may cost at most 1,500 tokens; paths and sizes have about 2.5 bytes per token. */
export const scanBytes = 3_600;
/** The shares of the file tree and of git; the rest is for manifests, which say how tests are run. */
export const scanTreeBytes = 1_600;
export const scanGitBytes = 500;
/**
 * How many files to check for changes by others at the beginning of a turn: the files a model works with, hashed in a
 * few ms.
 */
export const lookedAtFiles = 100;
/** Project instructions: about 1,500 tokens of prose at the start, half of that for a folder's own. */
export const instructionBytes = 6_000;
export const nestedInstructionBytes = 3_000;
/** How many folders of a monorepo with their own instructions are named at the start. */
export const nestedInstructions = 40;
/** How many commands and skills of a project are read, and the size of their names at the start: 600 tokens. */
export const projectCommands = 60;
export const commandNamesBytes = 2_500;
/** The text of one skill that is called: about as long as the longest published ones. */
export const commandBytes = 14_000;
/** Enough for five rounds of questions, and for drafting and updating a plan with some reading. */
export const planningRounds = 12;
/** Comment lines on every stream, at most 10 s apart; proxies cut silent connections at about 100 s. */
export const heartbeatMs = 9_000;
/** The same on workerd, where only a write reveals that a reader has detached, and the turn must pause soon after. */
export const probingHeartbeatMs = 2_500;
/**
 * If more than `burstWrites` pieces of text arrive within `coalesceMs`, they are written together, because a write costs
 * more than parsing.
 */
export const coalesceMs = 25;
export const burstWrites = 4;
/** The most live text and output to queue for a slow reader: twice the longest answer, so that only floods are cut. */
export const queuedChars = 2_000_000;
/**
 * From `crowdedStreams` streams on, each writes only once in `crowdedCoalesceMs`, because CPU then matters more than a
 * few ms of delay.
 */
export const crowdedStreams = 8;
export const crowdedCoalesceMs = 50;
/** From `crowdedStreams` answers on, each is read only at this interval on workerd, where a read is expensive. */
export const crowdedReadMs = 75;
/** A follower closes without a last event if its journal has not grown for this long. */
export const followIdleMs = 90_000;
/**
 * The same if the sandbox reports when no process runs the turn: an answer may take minutes, and taking over the turn
 * would pay for it again. Longer than a model may be silent (10 min), because a connection can be dead without either
 * end knowing.
 */
export const followAttendedMs = 11 * 60_000;
/** One long poll of the journal; the sandbox allows 25 s. */
export const followPollMs = 20_000;
/** Pauses between checks, after a start, for turns that a dead process left: its connections may end late. */
export const laterLooksMs = [1_000, 5_000, 20_000, 60_000];
/** A turn that an error interrupted is tried again after this long, then after twice that, up to the longest pause. */
export const brokenMs = 1_000;
export const longestPauseMs = 5 * 60_000;
/** About a day of such tries; after that the turn waits for its client. */
export const brokenTries = 300;
/**
 * When to check first whether a turn's worker is alive, and the longest interval of later checks: each costs a request.
 */
export const firstLookMs = 5_000;
export const lastLookMs = 60_000;
/**
 * How often to check again for a turn that the sandbox does not know, over 75 s in total: a clone delays a claim for
 * 20.
 */
export const unknownLooks = 4;
/** If a Durable Object that runs a turn dies, another one takes over after this long. */
export const aliveMs = 10_000;
/** An alarm may take 15 minutes: the current round is completed, and the next alarm continues. */
export const alarmMs = 11 * 60_000;
export const alarmGraceMs = 3 * 60_000;
/** How long a push service or a webhook may take. */
export const pushMs = 10_000;
/** How long a push service keeps a message for a phone that is off: after a day it is no longer useful. */
export const pushKeptSeconds = 24 * 60 * 60;
/** The longest delay requested by a push service that is passed on; some request days. */
export const pushLaterSeconds = 60 * 60;
/** How long a stop waits for the runner to write the ending itself. */
export const stopGraceMs = 1_000;
/**
 * How long a turn continues without a client on a host that must end soon, so that a reload or a change of tabs does
 * not interrupt it.
 */
export const detachAfterMs = 20_000;
/** Interval of a runner's heartbeat on hosts that do not count requests: a frozen runner is noticed within 4 s. */
export const beatMs = 1_000;
/** The pause before a runner attends again after its stream broke; the sandbox waits a second. */
export const attendAgainMs = 250;
/**
 * A phone with several sessions makes a few requests a second, a busy program about ten, a runaway loop more. Turns: a
 * tenth.
 */
export const requestsPerMinute = 6_000;
/** A few wrong tokens are mistakes; more are attempts to guess. */
export const strangersPerMinute = 300;
/**
 * Requests reserved for one more round before a turn on a host that counts requests ends itself: the model and two
 * retries, a form that it refuses, the calls in two requests, a baseline, a rollback, and the ending.
 */
export const roundSubrequests = 9;
/**
 * For a failed check on the unchanged files. A person is waiting, so longer checks are left to the model, which can run
 * them when it matters.
 */
export const baselineMs = 20_000;
/**
 * Added to twice the time of the failed run: the first run fills caches, and a loaded machine takes seconds to start
 * `npx`.
 */
export const baselineSpareMs = 10_000;
/** How many different commands are tried this way in one turn; a plan has 2 to 7 steps. */
export const baselines = 6;
/** The length of the last line of their output, which is cut to the width of a check's lines. */
export const baselineLastChars = 400;
/**
 * The sandbox pings at least every 10 s, so a connection that is silent for longer is dead, whatever the socket says.
 */
export const sandboxSilenceMs = 25_000;
/** How often in a turn the model is told of calls that could not be read, before the turn ends with that message. */
export const unreadAnswers = 2;
/**
 * The number of consecutive answers with the same fault (only malformed or refused calls, or nothing at all) after
 * which a turn ends with a message. A small model makes progress if it is told of one fault after the other.
 */
export const maxBadRounds = 6;

/** The limits of a turn while no one watches it, counted from its beginning. */
export interface UnattendedBudget {
  rounds: number;
  minutes: number;
  /** US dollars; absent = the same limit as when it is watched. */
  spendLimit?: number;
}

/**
 * Enough for a plan of many steps while its person sleeps or is in a meeting, but not for a loop that runs all night.
 */
export const unattendedDefaults: UnattendedBudget = { rounds: 100, minutes: 60 };

export interface HostBudget {
  rounds: number;
  /**
   * The retry budget: requests to the model beyond one per round, after a failure or to leave out a refused feature.
   */
  retries: number;
  wallMs: number;
  /** Subrequests of one client request, including retries. */
  subrequests: number;
  /** Characters of durable events: each claim gets all of them from the journal, and followers hold them in memory. */
  outputChars: number;
}

/**
 * What one turn may use of its host before it ends itself with `continue`.
 * - Workers: 50 subrequests on the free plan: 2 per round, the rest for the claim, the scan, retries and the ending;
 *   128 MB for all requests of an isolate. A host that hands over turns has these subrequests for each process that
 *   runs the turn.
 * - Node and Deno: limited only so that an unattended turn cannot run for ever; their requests are not counted.
 * - What a turn adds to the history must fit twice into the body of the next request.
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
