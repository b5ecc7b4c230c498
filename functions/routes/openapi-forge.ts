// The part of the OpenAPI document about pull requests, forges and MCP servers.
import type * as z from "zod/mini";
import {
  AnswerArgs,
  ChangePullRequestArgs,
  CheckLog,
  DeleteBranchArgs,
  DeviceCode,
  DeviceToken,
  DeviceTokenArgs,
  ForgeBranches,
  ForgeIssue,
  ForgeIssues,
  ForgeList,
  ForgeRepositories,
  ForgeUser,
  MergeArgs,
  PullMade,
  PullRequest,
  PullRequestArgs,
  ResolveArgs,
} from "../../shared/forge.ts";
import { McpKnown, McpToolList, McpToolsRequest } from "../../shared/mcp.ts";

export interface RouteDescription {
  summary: string;
  query?: readonly string[];
  body?: z.core.$ZodType;
  status?: number;
  answer: z.core.$ZodType | string;
}

/** By path and method. */
export type DescribedRoutes = Readonly<Record<string, Readonly<Record<string, RouteDescription>>>>;

export const forgeRoutes: DescribedRoutes = {
  "/api/sandboxes/{id}/pull-request": {
    get: {
      summary: "The branch's pull request: state, checks, reviews, comments.",
      query: ["branch"],
      answer: PullRequest,
    },
    post: {
      summary: "Opens a pull request of the branch, with the token of the header X-Git-Token; once.",
      body: PullRequestArgs,
      answer: PullMade,
    },
  },
  "/api/sandboxes/{id}/pull-request/merge": {
    post: { summary: "Merges it as it was seen.", body: MergeArgs, answer: PullMade },
  },
  "/api/sandboxes/{id}/pull-request/delete-branch": {
    post: { summary: "Deletes its branch at the forge.", body: DeleteBranchArgs, status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/pull-request/resolve": {
    post: { summary: "Resolves a thread of comments.", body: ResolveArgs, status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/pull-request/answer": {
    post: { summary: "Answers a comment, or all of it.", body: AnswerArgs, status: 204, answer: "" },
  },
  "/api/sandboxes/{id}/pull-request/change": {
    post: {
      summary: "Changes its title or text, or marks a draft as ready.",
      body: ChangePullRequestArgs,
      answer: PullMade,
    },
  },
  "/api/sandboxes/{id}/pull-request/log": {
    get: { summary: "The end of a check's output.", query: ["number", "check"], answer: CheckLog },
  },
  "/api/mcp": { get: { summary: "MCP servers that this server was started with.", answer: McpKnown } },
  "/api/mcp/tools": {
    post: { summary: "The tools of an MCP server.", body: McpToolsRequest, answer: McpToolList },
  },
  "/api/forges": { get: { summary: "Forges that this server knows.", answer: ForgeList } },
  "/api/forges/{host}/user": { get: { summary: "Whose token it is.", answer: ForgeUser } },
  "/api/forges/{host}/repositories": {
    get: {
      summary: "Repositories: those that changed last, or a search.",
      query: ["text", "page"],
      answer: ForgeRepositories,
    },
  },
  "/api/forges/{host}/branches": {
    get: { summary: "Branches.", query: ["repository", "text", "page"], answer: ForgeBranches },
  },
  "/api/forges/{host}/issues": {
    get: { summary: "Open issues.", query: ["repository", "text", "page"], answer: ForgeIssues },
  },
  "/api/forges/{host}/issue": {
    get: { summary: "One issue.", query: ["repository", "number"], answer: ForgeIssue },
  },
  "/api/forges/{host}/device": {
    post: { summary: "Begins signing in by a code.", answer: DeviceCode },
  },
  "/api/forges/{host}/device-token": {
    post: { summary: "Whether it was granted there.", body: DeviceTokenArgs, answer: DeviceToken },
  },
};
