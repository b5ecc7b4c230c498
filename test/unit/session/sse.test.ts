import fc from "fast-check";
import { expect, test } from "vitest";
import { SseParser } from "../../../shared/sse.ts";

function parse(text: string, cuts: readonly number[] = []) {
  const parser = new SseParser();
  const at = [0, ...[...cuts].sort((a, b) => a - b), text.length];
  return at.slice(1).flatMap((end, index) => parser.push(text.slice(at[index], end)));
}

test("an event has its name, its data and its own id", () => {
  expect(parse("id: 7\nevent: message\ndata: {}\n\n")).toEqual([{ id: "7", event: "message", data: "{}" }]);
});

test("an id does not carry over to the next event", () => {
  expect(parse("id: 1\ndata: a\n\ndata: b\n\n")[1]).toEqual({ event: "message", data: "b" });
});

test("comments and unknown fields are skipped", () => {
  expect(parse(": ping\n\nretry: 5\ndata: a\n\n")).toEqual([{ event: "message", data: "a" }]);
});

test("several data lines are joined", () => {
  expect(parse("data: a\ndata:b\ndata\n\n")).toEqual([{ event: "message", data: "a\nb\n" }]);
});

test("an event that no blank line ends is not reported", () => {
  expect(parse("data: a\n\ndata: b\n")).toHaveLength(1);
});

test("a byte order mark before the first field is not part of it", () => {
  expect(parse("\uFEFFdata: a\n\n")).toEqual([{ event: "message", data: "a" }]);
});

test("cut anywhere, with any line ends, the events are the same", () => {
  const event = fc.record({
    event: fc.constantFrom("message", "text.delta", "turn.done"),
    data: fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
    id: fc.option(fc.nat().map(String), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 6 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.nat({ max: 2000 }), { maxLength: 12 }),
      (events, end, cuts) => {
        const text = events
          .map(({ id, event, data }) =>
            [
              ...(id === undefined ? [] : [`id: ${id}`]),
              `event: ${event}`,
              ": ping",
              `data: ${data}`,
              "",
              "",
            ].join(end),
          )
          .join("");
        const inside = cuts.map((cut) => Math.min(cut, text.length));
        const wanted = events.map(({ id, event, data }) => ({
          event,
          data,
          ...(id === undefined ? {} : { id }),
        }));
        expect(parse(text, inside)).toEqual(wanted);
      },
    ),
  );
});
