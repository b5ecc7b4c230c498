// The first message of a TLS connection, byte by byte: its name is read, and malformed messages are refused.
import { describe, expect, test } from "vitest";
import { readHello } from "../../sandbox/network/client-hello.ts";

const number = (value: number, size: number) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};
const part = (size: number, ...inside: Buffer[]) => {
  const all = Buffer.concat(inside);
  return Buffer.concat([number(all.length, size), all]);
};
const named = (name: string, kind = 0) => Buffer.concat([number(kind, 1), part(2, Buffer.from(name))]);
const names = (...all: Buffer[]) => part(2, ...all);
const extension = (type: number, body = Buffer.alloc(0)) => Buffer.concat([number(type, 2), part(2, body)]);

/** A hello with these extensions; `undefined` = without a list of extensions. */
function message(extensions: Buffer[] | undefined, type = 1): Buffer {
  const body = [Buffer.alloc(2 + 32), part(1), part(2, number(0x1301, 2)), part(1, number(0, 1))];
  if (extensions) body.push(part(2, ...extensions));
  return Buffer.concat([number(type, 1), part(3, ...body)]);
}
const record = (bytes: Buffer, type = 22, major = 3) =>
  Buffer.concat([Buffer.from([type, major, 1]), part(2, bytes)]);

const plain = message([extension(10), extension(0, names(named("a.example")))]);

describe("a TLS ClientHello", () => {
  test("names its host", () => {
    expect(readHello(record(plain))).toEqual({ state: "hello", name: "a.example", hidden: false });
  });

  test("may be split into several records, and may be followed by something else", () => {
    const pieces = [plain.subarray(0, 3), plain.subarray(3, 50), plain.subarray(50)];
    const spread = Buffer.concat([...pieces.map((piece) => record(piece)), record(Buffer.from([1]), 20)]);
    expect(readHello(spread)).toMatchObject({ state: "hello", name: "a.example" });
  });

  test("is incomplete until its last byte has arrived", () => {
    const spread = Buffer.concat([record(plain.subarray(0, 2)), record(plain.subarray(2))]);
    for (let length = 0; length < spread.length; length++)
      expect(readHello(spread.subarray(0, length)), String(length)).toEqual({ state: "part" });
    expect(readHello(spread)).toMatchObject({ state: "hello" });
  });

  test.each([
    ["without extensions", message(undefined)],
    ["with an empty list of them", message([])],
    ["with an empty list of names", message([extension(0, names())])],
  ])("%s names nothing", (_, bytes) => {
    expect(readHello(record(bytes))).toEqual({ state: "hello", name: undefined, hidden: false });
  });

  test.each([0xfe0d, 0xffce])("with extension %i has a hidden inner hello", (type) => {
    const both = message([extension(0, names(named("a.example"))), extension(type)]);
    expect(readHello(record(both))).toEqual({ state: "hello", name: "a.example", hidden: true });
  });
});

const name = extension(0, names(named("a.example")));
const long = Buffer.concat([Buffer.from([1]), number(20_000, 3), Buffer.alloc(10)]);

test.each<[string, Buffer]>([
  ["a request", Buffer.from("GET / HTTP/1.1\r\n")],
  ["its first byte", Buffer.from("G")],
  ["an alert", record(Buffer.from([2, 40]), 21)],
  ["a record of another version", record(plain, 22, 2)],
  ["the beginning of such a record", Buffer.from([22, 5])],
  ["a server's hello", record(message([name], 2))],
  ["the beginning of one", Buffer.from([22, 3, 1, 0, 50, 2])],
  ["a message that is too long", record(long)],
  ["a record that is too long", Buffer.concat([Buffer.from([22, 3, 1]), number(16_385, 2), plain])],
  ["an empty record", Buffer.concat([record(Buffer.alloc(0)), record(plain)])],
  ["an empty record in the middle", Buffer.concat([record(plain.subarray(0, 9)), record(Buffer.alloc(0))])],
  ["another record in the middle", Buffer.concat([record(plain.subarray(0, 9)), record(plain, 23)])],
  ["another record before its length", Buffer.concat([record(plain.subarray(0, 2)), record(plain, 23)])],
  ["two names", record(message([extension(0, names(named("a.example"), named("b.example")))]))],
  ["a name of another kind", record(message([extension(0, names(named("a.example", 1)))]))],
  ["the same extension twice", record(message([name, name]))],
  ["an extension twice that is no name", record(message([name, extension(10), extension(10)]))],
  ["a list that is longer than what is there", record(message([extension(0, number(500, 2))]))],
  ["a hello that ends in its head", record(Buffer.concat([Buffer.from([1]), part(3, Buffer.alloc(20))]))],
])("%s is not a hello", (_, bytes) => expect(readHello(bytes)).toEqual({ state: "other" }));
