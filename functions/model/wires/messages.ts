// Anthropic's Messages: https://docs.anthropic.com/en/api/messages (read 2026-11).
import { messagesBody } from "./messages-body.ts";
import { messagesReader } from "./messages-events.ts";
import type { WireForm } from "./wire-request.ts";

export const messages: WireForm = { body: messagesBody, reader: messagesReader };
