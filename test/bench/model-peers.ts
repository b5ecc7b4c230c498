// The edge's peers, on the same runtime: one passes the provider's bytes on, one only parses its chunks and
// writes them again, one uses the `openai` package, one the AI SDK.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import OpenAI from "openai";

/**
 * `/pass` passes bytes on. `/least` parses them and writes one event per read. `/openai` and `/ai` parse with
 * a package and write one event per token. `?upstream=` is the provider.
 */
export async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const upstream = searchParams.get("upstream") ?? "";
  const model = searchParams.get("model") ?? "";
  const body = { model, stream: true as const, messages: [{ role: "user" as const, content: "Talk." }] };
  const headers = { "content-type": "text/event-stream" };
  if (pathname === "/pass" || pathname === "/least") {
    const response = await fetch(`${upstream}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { body: bytes } = response;
    return new Response(pathname === "/least" && bytes ? leastOf(bytes) : bytes, { headers });
  }
  const texts = pathname === "/ai" ? textsOfAiSdk(upstream, model) : textsOfOpenai(upstream, body);
  const encoder = new TextEncoder();
  const events = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value: delta } = await texts.next();
      if (done) return controller.close();
      controller.enqueue(
        encoder.encode(`event: text.delta\ndata: ${JSON.stringify({ messageId: "m", delta })}\n\n`),
      );
    },
  });
  return new Response(events, { headers });
}

/** The least work of any edge that parses the stream. */
function leastOf(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      let delta = "";
      for (const line of lines)
        if (line.startsWith("data: {")) delta += JSON.parse(line.slice(6)).choices[0]?.delta.content ?? "";
      controller.enqueue(
        encoder.encode(`event: text.delta\ndata: ${JSON.stringify({ messageId: "m", delta })}\n\n`),
      );
    },
  });
}

async function* textsOfOpenai(
  upstream: string,
  body: OpenAI.ChatCompletionCreateParamsStreaming,
): AsyncGenerator<string, void> {
  const client = new OpenAI({ apiKey: "none", baseURL: upstream, maxRetries: 0 });
  for await (const chunk of await client.chat.completions.create(body))
    yield chunk.choices[0]?.delta.content ?? "";
}

async function* textsOfAiSdk(upstream: string, model: string): AsyncGenerator<string, void> {
  const provider = createOpenAICompatible({ name: "bench", baseURL: upstream });
  yield* streamText({ model: provider(model), prompt: "Talk.", maxRetries: 0 }).textStream;
}
