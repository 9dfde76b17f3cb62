import { connect as connectPlain } from "node:net";
import { connect as connectTls } from "node:tls";
import { eventually, expect, member, pause } from "../expect.ts";
import type { Case } from "./case.ts";

/** Together more than the operating system buffers for a connection that nobody reads. */
const LOUD_TURNS = 24;
const LOUD_CHARS = 400_000;

/** Server-sent events. */
export const streamCases: readonly Case[] = [
  {
    number: 22,
    title: "a stream begins at once and brings `event: line` with line and stream",
    run: async ({ spawn, status, stream, turn, bench, unique }) => {
      const { id } = await spawn();
      await status(id, "running");
      const reader = await stream(id);
      expect(reader.status === 200, `answered with ${reader.status}`);
      expect(reader.contentType.startsWith("text/event-stream"), `content-type is ${reader.contentType}`);
      const word = unique("line");
      await turn(id, bench.prompts.say(word), word);
      await reader.until(
        "the line",
        ({ event, data }) => event === "line" && String(member(data, "line")).includes(word),
      );
      for (const { event, data } of reader.items.filter((item) => item.event === "line"))
        expect(
          typeof member(data, "line") === "string" && ["stdout", "stderr"].includes(String(member(data, "stream"))),
          `an ${event} is ${JSON.stringify(data)}`,
        );
    },
  },
  {
    number: 23,
    title: "what was said on stderr is stderr, live and when it is replayed",
    run: async ({ spawn, status, stream, turn, bench, unique }) => {
      const { id } = await spawn();
      await status(id, "running");
      const live = await stream(id);
      const word = unique("complaint");
      await turn(id, bench.prompts.complain(word), word);
      const isIt = (line: string): boolean => line.endsWith(word) && !line.includes("[tool]");
      await live.until("the complaint", ({ data }) => isIt(String(member(data, "line"))));
      const replayed = await stream(id);
      await replayed.until("the complaint, again", ({ data }) => isIt(String(member(data, "line"))));
      for (const reader of [live, replayed])
        for (const { line, stream: of } of reader.lines())
          expect(!isIt(line) || of === "stderr", `the complaint came as ${of}`);
    },
  },
  {
    number: 24,
    title: "a quiet stream gets a comment at least every 30 seconds",
    run: async ({ spawn, status, stream, bench }) => {
      const { id } = await spawn();
      await status(id, "running");
      const reader = await stream(id);
      for (const untilMs = Date.now() + bench.keepAliveMaxMs; reader.comments() === 0; await pause(50))
        expect(Date.now() < untilMs, `no comment within ${bench.keepAliveMaxMs} ms`);
    },
  },
  {
    number: 25,
    title: "a reader that never reads holds up nobody",
    run: async ({ spawn, status, stream, turn, bench, unique }) => {
      const { id } = await spawn();
      await status(id, "running");
      const deaf = await openDeaf(bench.url, id, bench.bearer);
      try {
        const reader = await stream(id);
        for (let at = 0; at < LOUD_TURNS; at += 1) {
          const word = unique("loud");
          await turn(id, bench.prompts.say(`${"x".repeat(LOUD_CHARS)}${word}`), word);
          await reader.until("what was said", ({ data }) => String(member(data, "line")).endsWith(word));
        }
      } finally {
        deaf.close();
      }
    },
  },
  {
    number: 26,
    title: "`Last-Event-ID` resumes without a gap and without a repetition (beyond the text)",
    run: async ({ spawn, status, stream, turn, bench, unique }) => {
      const { id } = await spawn();
      await status(id, "running");
      const words = [1, 2, 3, 4].map(() => unique("resume"));
      for (const word of words) await turn(id, bench.prompts.say(word), word);
      const whole = await stream(id);
      const last = words.at(-1) ?? "";
      const isLast = (data: unknown): boolean => String(member(data, "line")).includes(last);
      await whole.until("everything", ({ data }) => isLast(data));
      await whole.until("the last turn's end", ({ data }) => /turn-end/.test(String(member(data, "line"))));
      await pause(100);
      const items = whole.items.filter(({ event, id: cursor }) => event === "line" || cursor !== null);
      const cursors = items.flatMap(({ id: cursor }, at) => (cursor === null ? [] : [{ cursor, at }]));
      expect(cursors.length > 0, "nothing on the stream has an id");
      const linesIn = (some: typeof items) =>
        some.filter(({ event }) => event === "line").map(({ data }) => String(member(data, "line")));
      for (const { cursor, at } of cursors.filter((_one, index) => index % 3 === 0)) {
        const wanted = linesIn(items.slice(at + 1));
        const again = await stream(id, { "last-event-id": cursor });
        await eventually(`the rest after ${cursor}`, async () => again.lines().length >= wanted.length);
        await pause(100);
        const got = again.lines().map(({ line }) => line);
        expect(
          JSON.stringify(got.slice(0, wanted.length)) === JSON.stringify(wanted) && got.length === wanted.length,
          `after ${cursor}: ${got.length} lines instead of ${wanted.length}`,
        );
        again.close();
      }
    },
  },
];

/** A connection that sends its request and never reads the answer. */
async function openDeaf(url: string, id: string, token: string): Promise<{ readonly close: () => void }> {
  const { protocol, hostname, host, port, pathname } = new URL(url);
  const isTls = protocol === "https:";
  const at = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (isTls ? 443 : 80)) };
  const socket = isTls ? connectTls({ ...at, servername: hostname }) : connectPlain(at);
  await new Promise<void>((resolve, reject) => {
    socket.once(isTls ? "secureConnect" : "connect", resolve);
    socket.once("error", reject);
  });
  socket.pause();
  socket.on("error", () => undefined);
  const base = pathname.replace(/\/+$/, "");
  const head = [`GET ${base}/sessions/${id}/stream HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return { close: () => socket.destroy() };
}
