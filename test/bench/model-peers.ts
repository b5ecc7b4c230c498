// What the edge is measured beside, on the same runtime: the provider's bytes passed on, and the `openai` package.
import OpenAI from "openai";

/** `/pass` hands on bytes; `/openai` parses with the package and writes one event a token. `?upstream=` is the provider. */
export async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const upstream = searchParams.get("upstream") ?? "";
  const model = searchParams.get("model") ?? "";
  const body = { model, stream: true as const, messages: [{ role: "user" as const, content: "Talk." }] };
  const headers = { "content-type": "text/event-stream" };
  if (pathname === "/pass") {
    const response = await fetch(`${upstream}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return new Response(response.body, { headers });
  }
  const client = new OpenAI({ apiKey: "none", baseURL: upstream, maxRetries: 0 });
  const chunks = await client.chat.completions.create(body);
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  const events = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) return controller.close();
      const delta = value.choices[0]?.delta.content ?? "";
      controller.enqueue(
        encoder.encode(`event: text.delta\ndata: ${JSON.stringify({ messageId: "m", delta })}\n\n`),
      );
    },
  });
  return new Response(events, { headers });
}
