// Estimates the size of a prompt in tokens: 3.5 characters for each token, as is usual without a tokenizer. Pictures
// count by their pixels, which are read from the first bytes of PNG, JPEG, GIF and WebP files.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import type { PromptMessage, ToolDefinition } from "../model/prompt.ts";

export const charsPerToken = 3.5;
/** Role and separators of one message on the wire. */
const tokensPerMessage = 4;
/** For an image whose size cannot be read: about as many as for one that fills a screen. */
const tokensPerImage = 1_100;
/**
 * Pictures cost one token for 750 pixels, after a large one is scaled down to 1,568 on its longer side. The minimum is
 * what OpenAI charges for a small one. https://docs.claude.com/en/docs/build-with-claude/vision and
 * https://platform.openai.com/docs/guides/images-vision
 */
const pixelsPerToken = 750;
const maxSide = 1_568;
const maxImageTokens = 1_600;
const minImageTokens = 85;

export function estimateText(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

export function estimateMessage(message: PromptMessage | Exclude<Message, AssistantMessage>): number {
  let tokens = tokensPerMessage + estimateText(message.content);
  if (message.role === "assistant") {
    for (const { name, arguments: args, extra } of message.toolCalls ?? []) {
      tokens += estimateText(name) + estimateText(args) + tokensPerMessage;
      if (extra) tokens += estimateText(JSON.stringify(extra));
    }
    const { text = "", details } = message.thought ?? {};
    tokens += estimateText(details ? JSON.stringify(details) : text);
  }
  if (message.role === "user") {
    for (const attachment of message.attachments ?? []) {
      tokens += attachment.kind === "image" ? estimateImage(attachment.data) : estimateText(attachment.data);
    }
  }
  return tokens;
}

function estimateImage(base64: string): number {
  const pixels = pixelsOf(base64);
  if (!pixels) return tokensPerImage;
  const { width, height } = pixels;
  const scale = Math.min(1, maxSide / Math.max(width, height));
  const tokens = Math.ceil((width * scale * height * scale) / pixelsPerToken);
  return Math.max(minImageTokens, Math.min(tokens, maxImageTokens));
}

export function estimatePrompt(messages: readonly PromptMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

export function estimateTools(tools: readonly ToolDefinition[]): number {
  return estimateText(JSON.stringify(tools));
}

/** The tokens of a model's window that a prompt may use; the rest is for the answer and for errors of the estimate. */
export function promptBudget(contextWindow: number): number {
  return Math.floor(contextWindow * 0.8);
}

interface Pixels {
  width: number;
  height: number;
}

/** How many segments of a JPEG to read before its size; a camera writes about ten. */
const maxSegments = 100;

/** Undefined if `base64` is in no known format, or is cut off before the size. */
export function pixelsOf(base64: string): Pixels | undefined {
  const head = bytesAt(base64, 0, 30);
  const text = String.fromCharCode(...head);
  if (text.startsWith("\x89PNG")) return sized(be(head, 16, 4), be(head, 20, 4));
  if (text.startsWith("GIF8")) return sized(le(head, 6, 2), le(head, 8, 2));
  if (text.startsWith("\xff\xd8")) return ofJpeg(base64);
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP"
    ? ofWebp(head, text.slice(12, 16))
    : undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container: lossy, lossless and extended files. */
function ofWebp(head: readonly number[], kind: string): Pixels | undefined {
  if (kind === "VP8 ") return sized(le(head, 26, 2) & 0x3fff, le(head, 28, 2) & 0x3fff);
  if (kind === "VP8X") return sized(le(head, 24, 3) + 1, le(head, 27, 3) + 1);
  if (kind !== "VP8L") return undefined;
  const bits = le(head, 21, 4);
  return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

/** The size is in the first frame header (ITU T.81, B.2.2); earlier segments are skipped by their length. */
function ofJpeg(base64: string): Pixels | undefined {
  let at = 2;
  for (let segment = 0; segment < maxSegments; segment += 1) {
    const bytes = bytesAt(base64, at, 9);
    const marker = bytes[1] ?? 0;
    if (bytes.length < 9 || bytes[0] !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized(be(bytes, 7, 2), be(bytes, 5, 2));
    at += 2 + be(bytes, 2, 2);
  }
  return undefined;
}

function sized(width: number, height: number): Pixels | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Decodes only these bytes, because a picture may have several megabytes. */
function bytesAt(base64: string, from: number, count: number): number[] {
  const first = Math.floor(from / 3);
  const part = base64.slice(first * 4, Math.ceil((from + count) / 3) * 4);
  const bytes = Array.from(atob(part), (char) => char.charCodeAt(0));
  return bytes.slice(from - first * 3, from - first * 3 + count);
}

function be(bytes: readonly number[], at: number, count: number): number {
  return bytes.slice(at, at + count).reduce((value, byte) => value * 256 + byte, 0);
}

function le(bytes: readonly number[], at: number, count: number): number {
  return be(bytes.slice(at, at + count).reverse(), 0, count);
}
