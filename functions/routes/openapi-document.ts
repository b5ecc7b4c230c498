// The edge's API as an OpenAPI document, generated from the schemas with which the routes parse requests. The build
// writes it to a file next to the page, so no bundle contains the generator or its output.
import * as z from "zod/mini";
import {
  Changes,
  Config,
  CreateSandboxRequest,
  Health,
  MetricsReport,
  PlanFile,
  SandboxAnswer,
  SavedPlanFile,
  Tree,
} from "../../shared/api.ts";
import {
  CommitRequest,
  Committed,
  GitState,
  Pushed,
  PushPreview,
  PushRequest,
} from "../../shared/delivery.ts";
import { SaidNotes } from "../../shared/device-notes.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { SessionHistory, SessionList } from "../../shared/history.ts";
import { HooksState } from "../../shared/hooks.ts";
import { ModelDraft, ModelDraftRequest } from "../../shared/model-draft.ts";
import { AllowedHosts, AllowHost, Opened, OpenNetwork } from "../../shared/network.ts";
import { ProjectCommands } from "../../shared/project-command.ts";
import { NotifyOption, PushTest } from "../../shared/push.ts";
import { SecondOpinion, SecondOpinionRequest } from "../../shared/second-opinion.ts";
import { RestoreArgs, RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import { TakenOutList } from "../../shared/taken-out.ts";
import { ResumeRequest, SteerRequest, TurnRequest } from "../../shared/turn.ts";
import { version } from "../../shared/version.ts";
import { BringBack, BroughtBack, GiveWorktree, WorktreeState } from "../../shared/worktree.ts";
import { type DescribedRoutes, forgeRoutes, type RouteDescription } from "./openapi-forge.ts";

const routes: DescribedRoutes = {
  "/api/health": { get: { summary: "Whether the edge is up. Needs no token.", answer: Health } },
  "/api/config": { get: { summary: "Models, the sandbox's isolation, limits.", answer: Config } },
  "/api/metrics": { get: { summary: "What this process has counted: numbers only.", answer: MetricsReport } },
  "/api/push/test": {
    post: {
      summary: "Sends one notification to a subscription.",
      body: PushTest,
      answer: z.object({ ok: z.literal(true) }),
    },
  },
  "/api/draft": {
    post: {
      summary: "Has the model write a session's name or the message of a commit.",
      body: ModelDraftRequest,
      answer: ModelDraft,
    },
  },
  "/api/second-opinion": {
    post: {
      summary: "Has a model review a plan that another one made.",
      body: SecondOpinionRequest,
      answer: SecondOpinion,
    },
  },
  "/api/turn": {
    post: {
      summary: "Runs one agent turn, or continues it.",
      body: TurnRequest,
      answer: "text/event-stream",
    },
  },
  "/api/turns/{sandboxId}/{turnId}/resume": {
    post: {
      summary: "Continues a turn whose request the sandbox keeps: no history is uploaded.",
      body: ResumeRequest,
      answer: "text/event-stream",
    },
  },
  "/api/turns/{sandboxId}/{turnId}/events": {
    get: { summary: "Follows a turn; runs nothing.", query: ["after", "seen"], answer: "text/event-stream" },
  },
  "/api/turns/{sandboxId}/{turnId}/stop": {
    post: { summary: "Ends a turn.", status: 202, answer: z.object({}) },
  },
  "/api/turns/{sandboxId}/{turnId}/steer": {
    post: {
      summary: "Says something into a running turn: its model reads it after the call under way.",
      body: SteerRequest,
      status: 202,
      answer: z.object({}),
    },
  },
  "/api/turns/{sandboxId}/{turnId}/notify": {
    post: {
      summary: "Says whom a running turn calls when it ends.",
      body: NotifyOption,
      status: 202,
      answer: z.object({}),
    },
  },
  "/api/sandboxes": {
    get: {
      summary: "The sessions that this server has, the last change first.",
      query: ["after"],
      answer: SessionList,
    },
    post: { summary: "Makes a sandbox.", body: CreateSandboxRequest, status: 201, answer: SandboxAnswer },
  },
  "/api/sandboxes/{id}": {
    get: {
      summary: "State, sizes, newest proposal, what was allowed for the session, running commands.",
      answer: SandboxAnswer,
    },
    delete: { summary: "Removes a sandbox.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/history": {
    get: {
      summary: "A session as its journals have it, in the form of an export.",
      query: ["after", "waitMs", "client", "known"],
      answer: SessionHistory,
    },
  },
  "/api/sandboxes/{id}/notes": {
    post: { summary: "Tells the session's other devices.", body: SaidNotes, answer: z.object({}) },
  },
  "/api/sandboxes/{id}/hosts": {
    post: {
      summary: "Lets its commands reach one host more, where its network is `registries`.",
      body: AllowHost,
      answer: AllowedHosts,
    },
    delete: { summary: "Takes back all hosts that were allowed.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/network": {
    post: {
      summary: "Opens the network for commands, where its network is `none`.",
      body: OpenNetwork,
      answer: Opened,
    },
    delete: { summary: "Closes it again.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/grants": {
    delete: { summary: "Takes back everything allowed for the session.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/grants/{grant}": {
    delete: { summary: "Takes back one thing allowed for the session.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/background/{command}": {
    post: { summary: "Keeps a command in the background beyond the turn.", status: 204, answer: "" },
    delete: { summary: "Ends it.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/taken-out": {
    get: { summary: "What was taken out of the workspace after commands.", answer: TakenOutList },
  },
  "/api/sandboxes/{id}/taken-out/{entry}": {
    post: { summary: "Puts one of them back.", status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/worktree": {
    get: { summary: "What its worktree would bring back to the folder.", answer: WorktreeState },
    post: {
      summary: "Moves a sandbox that shares a folder into a git worktree of its own.",
      body: GiveWorktree,
      status: 201,
      answer: SandboxAnswer,
    },
  },
  "/api/sandboxes/{id}/bring-back": {
    post: {
      summary: "Brings the work of its worktree back to the folder, or says what is in the way.",
      body: BringBack,
      answer: BroughtBack,
    },
  },
  "/api/sandboxes/{id}/git": {
    get: { summary: "Branch, upstream, remote, and whether all is committed.", answer: GitState },
  },
  "/api/sandboxes/{id}/commit": {
    post: {
      summary: "Commits chosen files and hunks, or takes the newest commit back; once for each key.",
      body: CommitRequest,
      answer: Committed,
    },
  },
  "/api/sandboxes/{id}/bundle": {
    get: { summary: "Commits that no remote has, as a git bundle.", answer: "application/x-git-bundle" },
  },
  "/api/sandboxes/{id}/push": {
    get: { summary: "What a push of a branch would send.", query: ["branch"], answer: PushPreview },
    post: {
      summary: "Pushes a branch to its remote, with the token of the header X-Git-Token.",
      body: PushRequest,
      answer: Pushed,
    },
  },
  "/api/sandboxes/{id}/plan-file": {
    post: { summary: "Saves a plan as a new file of the repository.", body: PlanFile, answer: SavedPlanFile },
  },
  "/api/sandboxes/{id}/commands": {
    get: { summary: "Commands and skills of the repository.", answer: ProjectCommands },
  },
  "/api/sandboxes/{id}/hooks": {
    get: { summary: "Hooks of the repository, and whether the person has allowed them.", answer: HooksState },
  },
  ...forgeRoutes,
  "/api/sandboxes/{id}/tree": {
    get: { summary: "Files and folders.", query: ["path", "depth"], answer: Tree },
  },
  "/api/sandboxes/{id}/file": {
    get: { summary: "A file's bytes.", query: ["path"], answer: "application/octet-stream" },
  },
  "/api/sandboxes/{id}/diff": {
    get: {
      summary: "What this sandbox changed, as a unified diff; with all=1 all that is different.",
      query: ["since", "all"],
      answer: "text/x-diff",
    },
  },
  "/api/sandboxes/{id}/changes": {
    get: {
      summary: "What this sandbox changed and what others did, as two unified diffs.",
      query: ["since"],
      answer: Changes,
    },
  },
  "/api/sandboxes/{id}/archive": { get: { summary: "The workspace as tar.gz.", answer: "application/gzip" } },
  "/api/sandboxes/{id}/wake": {
    post: {
      summary: "Wakes a guest, or brings it back out of its copy; with image, in that image.",
      query: ["image"],
      status: 204,
      answer: "",
    },
  },
  "/api/sandboxes/{id}/snapshot": {
    post: { summary: "Keeps the workspace as it is, to be put back.", answer: SnapshotValue },
  },
  "/api/sandboxes/{id}/restore": {
    post: { summary: "Puts a snapshot back.", body: RestoreArgs, answer: RestoreValue },
  },
};

export const openapiDocument: object = {
  openapi: "3.1.0",
  info: { title: "Handrail", version },
  security: [{ bearer: [] }],
  components: {
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    responses: {
      Error: { description: "What was wrong, and what to do.", content: json(ErrorBody, "output") },
    },
  },
  paths: mapValues(routes, (methods, path) => mapValues(methods, (route) => operation(path, route))),
};

function operation(path: string, route: RouteDescription): object {
  const named = (where: string, names: readonly string[]) =>
    names.map((name) => ({ name, in: where, required: where === "path", schema: { type: "string" } }));
  return {
    summary: route.summary,
    ...(path === "/api/health" ? { security: [] } : {}),
    parameters: [
      ...named(
        "path",
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""),
      ),
      ...named("query", route.query ?? []),
    ],
    ...(route.body ? { requestBody: { content: json(route.body, "input") } } : {}),
    responses: {
      [route.status ?? 200]: {
        description: "Done.",
        ...(route.answer === "" ? {} : { content: answerContent(route.answer) }),
      },
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function answerContent(answer: z.core.$ZodType | string): object {
  return typeof answer === "string" ? { [answer]: { schema: { type: "string" } } } : json(answer, "output");
}

function json(schema: z.core.$ZodType, io: "input" | "output"): object {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { "application/json": { schema: shape } };
}

function mapValues<T>(from: Readonly<Record<string, T>>, to: (value: T, key: string) => object): object {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value, key)]));
}
