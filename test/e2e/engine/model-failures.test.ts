import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling, failing } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  newFolder,
  PATIENCE,
  prompt,
  show,
} from "../support/talk.ts";
import { call, expectValid, messagesOf, saidIn, textOf } from "./support/chat.ts";
import { begin, COMPLETED, openStage, play, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

const STEPS_MAX = 12;

let stage: Stage;
let nobodysPort = 0;
beforeAll(async () => {
  nobodysPort = await freePort();
  const nowhere = { api: "openai-chat", baseUrl: `http://127.0.0.1:${nobodysPort}/v1` };
  const keyless = { ...nowhere, api: "anthropic", key: { env: "NO_SUCH_KEY" } };
  stage = await openStage({ engine: { stepsMax: STEPS_MAX }, models: { providers: { nowhere, keyless } } });
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Nobody listens there any more. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

const OVERFLOW = failing(400, {
  error: {
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
});
const AUTH = failing(401, { error: { message: "Incorrect API key provided", type: "invalid_request_error" } });
const BILLING = failing(402, { error: { message: "Insufficient Balance", type: "unknown_error" } });
const UNKNOWN = failing(404, { error: { message: "The model `large` does not exist", code: "model_not_found" } });

proves.concurrent(
  "ENG-7",
  "case 14: a wrong key, an empty account and an unknown model: said at once, without a retry",
  async () => {
    for (const [behaviour, code, words] of [
      [AUTH, "model_auth", /Incorrect API key/],
      [BILLING, "model_billing", /Insufficient Balance/],
      [UNKNOWN, "model_failed", /does not exist/],
    ] as const) {
      const { model, queue, requests } = stage.scene();
      queue(behaviour, answer("Back again."));
      const { id } = await begin(stage.daemon(), model);
      const { outcome, error } = await play(stage.daemon(), id, "hello");
      expect({ outcome, code: error?.code }).toEqual({ outcome: "failed", code });
      expect(error?.message).toMatch(words);
      expect(requests().length).toBe(1);
      // Repaired, the session goes on.
      expect(await play(stage.daemon(), id, "again")).toMatchObject(COMPLETED);
      expect(saidIn(requests()[1])).not.toMatch(words);
      expectValid(requests()[1]);
    }
  },
);

proves.concurrent("ENG-7", "a key that is not in the environment: the turn fails and names the variable", async () => {
  const { id } = await begin(stage.daemon(), "keyless/claude");
  const { outcome, error } = await play(stage.daemon(), id, "hello");
  expect({ outcome, code: error?.code }).toEqual({ outcome: "failed", code: "model_auth" });
  expect(error?.message).toContain("NO_SUCH_KEY");
  expect((await show(stage.daemon(), id)).busy).toBe(false);
});

proves.concurrent(
  "ENG-7",
  "a model of no provider is refused before a session exists, with the names there are",
  async () => {
    const cwd = await newFolder();
    const body = { adapter: "nomos", cwd, model: "nowehre/gpt" };
    const { message } = expectRefusal(await stage.daemon().call("POST", "/sessions/agent", body), 400, "unknown_model");
    expect(message).toContain("nowhere");
    const none = expectRefusal(
      await stage.daemon().call("POST", "/sessions/agent", { ...body, model: "gpt-5" }),
      400,
      "unknown_model",
    );
    expect(none.message).toContain("demo/script");
  },
);

proves.concurrent(
  "ENG-7",
  "an endpoint where nobody listens: tried five times, then the turn fails and says where",
  async () => {
    const { id } = await begin(stage.daemon(), "nowhere/large");
    const { error } = await play(stage.daemon(), id, "hello");
    expect(error?.code).toBe("model_unreachable");
    expect(error?.message).toContain(`127.0.0.1:${nobodysPort}`);
    const steps = await eventsOf(stage.daemon(), id, "types=step.started");
    expect(steps.map(({ data }) => data["attempt"])).toEqual([1, 2, 3, 4, 5]);
  },
);

proves.concurrent(
  "ENG-7",
  "case 15: retries are used up: each error is in the log, and none is in a later request",
  async () => {
    const { model, queue, requests } = stage.scene();
    const limit = failing(429, { error: { message: "SLOW DOWN PLEASE", type: "rate_limit" } });
    queue(limit, limit, limit, limit, limit, answer("Here I am."));
    const { id } = await begin(stage.daemon(), model);
    expect(await play(stage.daemon(), id, "hello")).toMatchObject({
      outcome: "failed",
      error: { code: "quota_reached" },
    });
    expect(requests().length).toBe(5);
    const steps = await eventsOf(stage.daemon(), id, "types=step.ended");
    expect(steps.map(({ data }) => data["error"])).toMatchObject(
      Array.from({ length: 5 }, () => ({ class: "rate_limit", message: expect.stringContaining("SLOW DOWN") })),
    );
    expect(await play(stage.daemon(), id, "once more")).toMatchObject(COMPLETED);
    expect(saidIn(requests()[5])).not.toContain("SLOW DOWN");
    expect(saidIn(requests()[5])).toBe("hello\n[the earlier turn failed: quota_reached]\nonce more");
  },
);

proves.concurrent(
  "ENG-7",
  "half a stream, an error inside a stream, a proxy's page and rubbish: asked again, and nothing of the half stays",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(
      answer("HALF an answer that breaks", { breaks: { afterEvents: 4, by: "reset" } }),
      answer("HALF", { breaks: { afterEvents: 2, by: "error", error: { type: "overloaded_error", message: "busy" } } }),
      { do: "html", status: 502 },
      { do: "bytes", bytes: "data: {not json\n\n" },
      answer("A whole one."),
    );
    const { id } = await begin(stage.daemon(), model);
    expect(await play(stage.daemon(), id, "hello")).toMatchObject(COMPLETED);
    expect(requests().length).toBe(5);
    for (const request of requests()) expect(saidIn(request)).toBe("hello");
    const said = await eventsOf(stage.daemon(), id, "types=message.completed");
    expect(said.map(({ data }) => data["text"])).toEqual(["A whole one."]);
    const steps = await eventsOf(stage.daemon(), id, "types=step.ended");
    expect(steps.map(({ data }) => data["stop"])).toEqual(["error", "error", "error", "error", "stop"]);
  },
);

proves.concurrent(
  "ENG-8",
  "case 14: the context is too large: one compaction, one retry, then the turn stops with model_overflow",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("Read."), OVERFLOW, answer("A summary: CODEWORD=fir."), OVERFLOW);
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, `CODEWORD=fir ${"words ".repeat(2000)}`);
    expect(await play(stage.daemon(), id, "what was it?")).toMatchObject({
      outcome: "failed",
      error: { code: "model_overflow" },
    });
    expect(requests().length).toBe(4);
    expect(saidIn(requests()[3])).toContain("A summary: CODEWORD=fir.");
    expect(saidIn(requests()[3])).not.toContain("words words");
    const compactions = await eventsOf(stage.daemon(), id, "types=context.compacted");
    expect(compactions.map(({ data }) => data["reason"])).toEqual(["overflow"]);
    queue(answer("fir"));
    expect(await play(stage.daemon(), id, "and now?")).toMatchObject(COMPLETED);
    expectValid(requests().at(-1));
  },
);

proves.concurrent(
  "ENG-8",
  "the first prompt is larger than the window: compacted, asked again, and the end says so in one sentence",
  async () => {
    const { small, decide, requests } = stage.scene();
    // As an endpoint with this window answers.
    decide((request) => (request.bytes > 80_000 ? OVERFLOW : answer("A summary.")));
    const { id } = await begin(stage.daemon(), small);
    const { outcome, error } = await play(stage.daemon(), id, "long ".repeat(30_000));
    expect(outcome === "completed" || error?.code === "model_overflow").toBe(true);
    expect(requests().length).toBeLessThan(6);
    decide(() => answer("Fine."));
    expect(await play(stage.daemon(), id, "short")).toMatchObject(COMPLETED);
    expectValid(requests().at(-1));
  },
);

proves.concurrent("ENG-7", "a model that calls tools for ever is stopped after stepsMax steps", async () => {
  const { model, decide, requests } = stage.scene();
  decide((request) => calling(call("glob", { pattern: `*${messagesOf(request).length}` })));
  const { id } = await begin(stage.daemon(), model);
  const { error } = await play(stage.daemon(), id, "go");
  expect(error).toMatchObject({ code: "steps_exceeded", message: expect.stringContaining(String(STEPS_MAX)) });
  expect(requests().length).toBe(STEPS_MAX);
  decide(() => answer("I stop."));
  expect(await play(stage.daemon(), id, "stop it")).toMatchObject(COMPLETED);
  expectValid(requests().at(-1));
});

proves.concurrent("ENG-7", "a model that repeats one call is warned in the result, then stopped", async () => {
  const { model, decide, requests } = stage.scene();
  decide(() => calling(call("glob", { pattern: "*.never" })));
  const { id } = await begin(stage.daemon(), model);
  expect((await play(stage.daemon(), id, "go")).error?.code).toBe("steps_exceeded");
  expect(requests().length).toBe(6);
  const results = messagesOf(requests()[5])
    .filter(({ role }) => role === "tool")
    .map(textOf);
  expect(results[1]).not.toContain("same input");
  expect(results[2]).toContain("call 3 with the same input and the same result");
});

proves.concurrent(
  "ENG-7",
  "a refusal by the provider's filter ends the turn as such, and the session goes on",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("", { stop: "refused" }), answer("Gladly."));
    const { id } = await begin(stage.daemon(), model);
    expect((await play(stage.daemon(), id, "something bad")).error?.code).toBe("model_refused");
    expect(await play(stage.daemon(), id, "something good")).toMatchObject(COMPLETED);
    expectValid(requests()[1]);
  },
);

proves.concurrent(
  "ENG-7",
  "a usage limit of an hour: the turn waits without a process, and an interrupt ends it",
  async () => {
    const { model, queue, requests } = stage.scene();
    const limit = failing(429, { error: { message: "usage limit reached" } }, { "retry-after": "3600" });
    queue(limit);
    const { id } = await begin(stage.daemon(), model);
    const { turnId } = await prompt(stage.daemon(), id, "hello");
    const waiting = await eventually("it waits", async () => {
      const session = await show(stage.daemon(), id);
      return session.waitingFor === "quota" && session;
    });
    expect(waiting).toMatchObject({ busy: true });
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/interrupt`, {}));
    expect(await ended(stage.daemon(), id, turnId)).toMatchObject({ outcome: "interrupted" });
    expect(requests().length).toBe(1);
    queue(answer("Back."));
    expect(await play(stage.daemon(), id, "again")).toMatchObject(COMPLETED);
    expectValid(requests().at(-1));
  },
);
