import { describe, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createKept } from "./kept.ts";
import type { Ask, FromThread, ToThread } from "./messages.ts";
import { createTextThread, type Port } from "./thread-client.ts";

interface FakePort extends Port {
  readonly asked: ToThread[];
  isEnded: boolean;
  readonly answer: (id: number, answer: FromThread["answer"]) => void;
}

function fakes(): { readonly ports: FakePort[]; readonly start: () => Port } {
  const ports: FakePort[] = [];
  const start = (): Port => {
    const port: FakePort = {
      asked: [],
      isEnded: false,
      onmessage: null,
      onerror: null,
      postMessage: (message) => port.asked.push(message),
      terminate: () => {
        port.isEnded = true;
      },
      answer: (id, answer) => port.onmessage?.({ data: { id, answer } }),
    };
    ports.push(port);
    return port;
  };
  return { ports, start };
}

const markdown = (text: string): Ask => ({ what: "markdown", text });
const live = (): AbortSignal => new AbortController().signal;

describe("the thread", () => {
  test("answers reach who asked, one text at a time", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start });
    const [first, second] = [thread.parse(markdown("a"), live()), thread.parse(markdown("b"), live())];
    const [port] = ports;
    expect(port?.asked.map(({ ask }) => ask.text)).toEqual(["a"]);
    port?.answer(1, [{ is: "rule" }]);
    expect(await first).toEqual([{ is: "rule" }]);
    expect(port?.asked.map(({ ask }) => ask.text)).toEqual(["a", "b"]);
    port?.answer(2, []);
    expect(await second).toEqual([]);
    expect(ports).toHaveLength(1);
  });

  test("a text that was parsed is known at once, and not sent again", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start });
    const first = thread.parse(markdown("a"), live());
    ports[0]?.answer(1, [{ is: "rule" }]);
    await first;
    expect(thread.known(markdown("a"))).toEqual([{ is: "rule" }]);
    expect(await thread.parse(markdown("a"), live())).toEqual([{ is: "rule" }]);
    expect(ports[0]?.asked).toHaveLength(1);
  });

  test("a text nobody waits for any more is not sent", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start });
    const stale = new AbortController();
    const first = thread.parse(markdown("a"), live());
    const second = thread.parse(markdown("ab"), stale.signal);
    const third = thread.parse(markdown("abc"), live());
    stale.abort();
    ports[0]?.answer(1, []);
    expect(await first).toEqual([]);
    expect(await second).toBeNull();
    expect(ports[0]?.asked.map(({ ask }) => ask.text)).toEqual(["a", "abc"]);
    ports[0]?.answer(2, []);
    expect(await third).toEqual([]);
  });

  proves("TX-5", "a thread that fails is replaced; the text it failed on stays plain", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start });
    const [bad, good] = [thread.parse(markdown("bad"), live()), thread.parse(markdown("good"), live())];
    ports[0]?.onerror?.();
    expect(await bad).toBeNull();
    expect(ports[0]?.isEnded).toBe(true);
    ports[1]?.answer(2, []);
    expect(await good).toEqual([]);
    expect(await thread.parse(markdown("bad"), live())).toBeNull();
    expect(ports[1]?.asked.map(({ ask }) => ask.text)).toEqual(["good"]);
  });

  proves("TX-5", "a text that takes too long is given up, and its thread ended", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start, timeoutMs: 1 });
    expect(await thread.parse(markdown("slow"), live())).toBeNull();
    expect(ports[0]?.isEnded).toBe(true);
  });

  test("a thread that fails again and again is given up: every text stays plain", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start });
    for (let at = 0; at < 10; at += 1) {
      const answer = thread.parse(markdown(`bad ${at}`), live());
      ports.at(-1)?.onerror?.();
      expect(await answer).toBeNull();
    }
    expect(ports).toHaveLength(4);
  });

  test("without workers, and where one may not start, every text stays plain", async () => {
    const none = createTextThread({ start: () => null });
    expect(await none.parse(markdown("a"), live())).toBeNull();
    const refused = createTextThread({
      start: () => {
        throw new Error("refused by the policy");
      },
    });
    expect(await refused.parse(markdown("a"), live())).toBeNull();
  });

  test("an answer that comes late is nobody's", async () => {
    const { ports, start } = fakes();
    const thread = createTextThread({ start });
    const first = thread.parse(markdown("a"), live());
    ports[0]?.answer(7, [{ is: "rule" }]);
    ports[0]?.answer(1, []);
    expect(await first).toEqual([]);
  });
});

describe("what is remembered", () => {
  test("what was not used for longest goes first", () => {
    const kept = createKept(100);
    for (const name of ["a", "b", "c"]) kept.keep(markdown(name.repeat(20)), []);
    kept.find(markdown("a".repeat(20)));
    kept.keep(markdown("d".repeat(20)), []);
    expect(["a", "b", "c", "d"].filter((name) => kept.find(markdown(name.repeat(20))) !== undefined)).toEqual([
      "a",
      "c",
      "d",
    ]);
  });

  test("a failure is remembered too, and one text in two languages is two", () => {
    const kept = createKept();
    kept.keep({ what: "code", text: "x", grammar: "bash" }, null);
    expect(kept.find({ what: "code", text: "x", grammar: "bash" })).toBeNull();
    expect(kept.find({ what: "code", text: "x", grammar: "python" })).toBeUndefined();
    expect(kept.find(markdown("x"))).toBeUndefined();
  });
});
