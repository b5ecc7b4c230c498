// OpenAI's Responses: https://platform.openai.com/docs/api-reference/responses (read 2026-11).
import { responsesBody } from "./responses-body.ts";
import { responsesReader } from "./responses-events.ts";
import type { WireForm } from "./wire-request.ts";

export const responses: WireForm = { body: responsesBody, reader: responsesReader };
