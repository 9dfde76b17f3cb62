import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { makeTestHome, newId, SPEC } from "../../../test/support/store-home.ts";
import { refusalError } from "../../contract/index.ts";
import {
  compilePolicy,
  DEFAULT_RULES,
  type Rule,
  SYSTEM_STREAM,
  systemFact,
  type ToolPolicy,
} from "../../domains/index.ts";
import { systemClock, systemFiles } from "../../host/index.ts";
import {
  admitTurn,
  answerApproval,
  askApproval,
  isRefusal,
  openSession,
  outlivesDaemon,
  Session,
  type SessionState,
  sessionStream,
  startNextTurn,
  startSession,
} from "../../kernel/index.ts";
import { openSqliteStore, type Store } from "../../store/index.ts";
import type { TurnPort } from "../driver.ts";
import type { EffectOrder } from "../effects.ts";
import type { Recorder } from "../recorder.ts";
import { createApprovalWaiters } from "./approval-waiters.ts";
import { createTurnPort } from "./turn-port.ts";

const BY = { actor: "test" };

/** One running turn on a real store. Each `port()` is one run of it, as in successive daemons. */
async function makeTurn(policies: Readonly<Record<string, ToolPolicy>> = {}) {
  let rules: readonly Rule[] = DEFAULT_RULES;
  const home = await makeTestHome();
  const store = await openSqliteStore({
    home: home.path,
    onFatal: (thrown) => {
      throw thrown;
    },
  });
  const end = new AbortController();
  onTestFinished(async () => {
    end.abort();
    await store.close();
    await home[Symbol.asyncDispose]();
  });
  const leased = systemFact("lease.acquired@1", { resource: "home", holder: "test", fence: 1 });
  const event = { id: newId(), at: new Date().toISOString(), actor: "test", cause: null, fact: leased };
  await store.append([{ stream: SYSTEM_STREAM, expectedVersion: 0, events: [event] }], { fence: 1 });
  const recorder = createRecorder(store);
  const [sessionId, turnId] = [newId(), newId()];
  const prompt = { text: "x", blob: null, bytes: 1 };
  for (const decide of [
    (state: SessionState) => openSession(state, { spec: SPEC, label: null }),
    (state: SessionState) => startSession(state, "fresh"),
    (state: SessionState) => admitTurn(state, { turnId, prompt, queue: false }),
    startNextTurn,
  ])
    await recorder.session(sessionId, decide, BY);
  const waiters = createApprovalWaiters(store);
  const port = (isResumed: boolean, signal: AbortSignal = end.signal): Promise<TurnPort> =>
    createTurnPort({
      isResumed,
      commandVariables: async () => ({}),
      secretVariables: async () => ({}),
      isOnTicket: false,
      sessionId,
      turnId,
      spec: SPEC,
      prompt: "x",
      attachments: [],
      settings: { mode: null, model: null, options: {} },
      past: {
        nativeId: null,
        forkOf: null,
        isEmpty: true,
        digest: async () => "",
        history: async () => [],
        branch: async () => [],
        pathKey: "",
        costTold: async () => 0,
      },
      signal,
      store,
      committer: recorder,
      newId,
      clock: systemClock(),
      files: systemFiles(),
      policy: () => compilePolicy(["tool.*"], rules),
      ground: { cwd: SPEC.cwd, home: "/nowhere", sandbox: "off", scope: null, files: systemFiles() },
      toolPolicy: async (tool) => policies[tool] ?? "auto",
      permits: async () => ({ approved: false, reason: null }),
      refusedOutside: () => undefined,
      waiters,
      answerWithinMs: () => null,
      frame: () => undefined,
      spawn: () => {
        throw new Error("there are no processes here");
      },
      hostProcess: () => {
        throw new Error("there are no processes here");
      },
    });
  const state = () => recorder.sessionState(sessionId);
  const approve = async (question: string): Promise<void> => {
    const found = Object.values((await state()).approvals).find((one) => one.question.includes(question));
    const answer = { status: "approved", option: null } as const;
    await recorder.session(sessionId, (now) => answerApproval(now, found?.approvalId ?? "", answer), BY);
  };
  const asked = async (count: number): Promise<void> => {
    while (Object.keys((await state()).approvals).length < count) await new Promise((done) => setTimeout(done, 2));
  };
  const put = (question: string): Promise<unknown> => {
    const plain = { options: [], action: null, effectId: null, checkpoint: { step: 1 } };
    const asking = { approvalId: newId(), turnId, question, ...plain };
    return recorder.session(sessionId, (now) => askApproval(now, asking), BY);
  };
  const setRules = (more: readonly Rule[]): void => {
    rules = [...more, ...DEFAULT_RULES];
  };
  return { port, state, approve, asked, put, setRules };
}

function createRecorder(store: Store): Recorder {
  let line: Promise<unknown> = Promise.resolve();
  const redactor = newRedactor();
  const sessionState = (id: string): Promise<SessionState> => store.fold(Session, id);
  return {
    fence: 1,
    sessionState,
    redactor,
    keeper: () => ({
      redact: redactor.text,
      put: async (bytes) => ({ blob: await store.putBlob(bytes), bytes: bytes.length }),
      isTight: () => false,
    }),
    session: (id, decide, { actor }) => {
      const mine = line.then(async () => {
        const state = await sessionState(id);
        const decision = decide(state);
        if (isRefusal(decision)) throw refusalError(decision);
        const at = new Date().toISOString();
        const events = decision.map((one) => ({ id: newId(), at, actor, cause: null, fact: one }));
        const part = { stream: sessionStream(id), expectedVersion: state.version, events };
        return { events: await store.append([part], { fence: 1 }) };
      });
      line = mine.catch(() => undefined);
      return mine;
    },
  };
}

function order(kind: string, more: Partial<EffectOrder> = {}): EffectOrder {
  return { kind, detail: { what: kind }, resource: `thing/${kind}`, shown: kind, redo: "ask", ...more };
}

const printing = (output: string) => async () => ({ exitCode: 0, output, message: null });
const never = () => expect.unreachable("it is not done again");

/** A daemon that dies: its waiting calls never return. */
function abandon(...calls: readonly Promise<unknown>[]): void {
  for (const call of calls) call.catch(() => undefined);
}

proves("TU-3", "a resumed call finds its outcome by its key: settled, answered, allowed or still asked", async () => {
  const turn = await makeTurn({ send: "always_ask", pay: "always_ask" });
  const dying = new AbortController();
  const first = await turn.port(false, dying.signal);
  first.reach({ at: "begin" });
  const searched = await first.effect(order("search", { key: "search" }), printing("found ".repeat(10_000)));
  abandon(first.ask("Which one?", ["this", "that"], { key: "which", checkpoint: { at: "which" } }));
  await turn.asked(1);
  abandon(first.effect(order("send", { key: "send" }), never), first.effect(order("pay", { key: "pay" }), never));
  await turn.asked(3);
  dying.abort();
  await turn.approve("Which one?");
  await turn.approve("send");

  const second = await turn.port(true);
  expect(second.checkpoint).toEqual({ at: "begin" });
  expect(second.resumed.map(({ question, isAnswered }) => [question, isAnswered])).toEqual([
    ["May this session send: send?", true],
    ["May this session pay: pay?", false],
  ]);
  // In another order than before: the name decides, not the position.
  const paying = second.effect(order("pay", { key: "pay" }), printing("paid"));
  expect(await second.effect(order("send", { key: "send" }), printing("sent"))).toMatchObject({ output: "sent" });
  expect(await second.ask("Which one?", ["this", "that"], { key: "which" })).toEqual({
    approved: true,
    option: null,
  });
  expect(await second.effect(order("search", { key: "search" }), never)).toEqual(searched);
  await turn.approve("pay");
  expect(await paying).toMatchObject({ outcome: "done", output: "paid" });
  expect((await turn.state()).effects).toEqual({});
});

proves("TU-3", "a key is used once in a run, and names the same call in the next run", async () => {
  const turn = await makeTurn({ send: "always_ask" });
  const dying = new AbortController();
  const first = await turn.port(false, dying.signal);
  first.reach(1);
  abandon(first.effect(order("send", { key: "k" }), never));
  await expect(first.ask("Again?", [], { key: "k" })).rejects.toMatchObject({ code: "invalid_request" });
  await turn.asked(1);
  dying.abort();
  const second = await turn.port(true);
  const other = order("send", { key: "k", detail: { what: "something else" } });
  // An approval is for the action that was shown, and does not carry over to another.
  await expect(second.effect(other, never)).rejects.toMatchObject({ code: "invalid_request" });
  for (const key of ["", "k".repeat(201)])
    await expect(second.ask("?", [], { key })).rejects.toMatchObject({ code: "invalid_request" });
  expect(() => second.reach("x".repeat(20_000))).toThrow("checkpoint");
});

proves("TU-3", "calls without a key are found again by the driver checkpoint and their order since", async () => {
  const turn = await makeTurn({ send: "always_ask" });
  const dying = new AbortController();
  const first = await turn.port(false, dying.signal);
  first.reach({ step: 1 });
  await first.effect(order("search"), printing("one"));
  first.reach({ step: 2 });
  const found = await first.effect(order("search"), printing("two"));
  abandon(first.effect(order("send"), never));
  await turn.asked(1);
  abandon(first.ask("Go on?", []));
  await turn.asked(2);
  dying.abort();

  const second = await turn.port(true);
  expect(second.checkpoint).toEqual({ step: 2 });
  second.reach({ step: 2 });
  expect(await second.effect(order("search"), never)).toEqual(found);
  const sending = second.effect(order("send"), printing("sent"));
  const asking = second.ask("Go on?", []);
  await turn.approve("Go on?");
  expect(await asking).toMatchObject({ approved: true });
  await turn.approve("send");
  expect(await sending).toMatchObject({ outcome: "done" });
});

proves(
  "TU-3",
  "an effect that was allowed and has not begun keeps its turn alive; one that has begun does not",
  async () => {
    const turn = await makeTurn({ send: "always_ask" });
    const dying = new AbortController();
    const first = await turn.port(false, dying.signal);
    first.reach(1);
    abandon(first.effect(order("send", { key: "send" }), never));
    await turn.asked(1);
    dying.abort();
    await turn.approve("send");
    expect(outlivesDaemon(await turn.state())).toBe(true);
    const second = await turn.port(true);
    const going = Promise.withResolvers<void>();
    const sending = second.effect(order("send", { key: "send" }), async () => {
      await going.promise;
      return { exitCode: null, output: "", message: null };
    });
    while (Object.values((await turn.state()).effects).some(({ status }) => status === "intended"))
      await new Promise((done) => setTimeout(done, 2));
    expect(outlivesDaemon(await turn.state())).toBe(false);
    going.resolve();
    expect(await sending).toMatchObject({ outcome: "done" });
  },
);

proves(
  "TU-4",
  "an engine adds its own kinds of effect: the gate judges each, and an unknown kind is refused",
  async () => {
    const turn = await makeTurn({ launch: "never" });
    const port = await turn.port(false);
    expect(await port.effect(order("paint_3d"), printing("red"))).toMatchObject({ outcome: "done", output: "red" });
    expect(await port.effect(order("launch"), never)).toMatchObject({ outcome: "refused", effectId: "" });
    for (const kind of ["", "Paint", "a.b", "a/b", "*", "3d", "x".repeat(33)])
      await expect(port.effect(order(kind), never)).rejects.toMatchObject({ code: "invalid_request" });
    const failing = async () => Promise.reject(new Error("no paint"));
    expect(await port.effect(order("paint"), failing)).toMatchObject({ outcome: "failed", message: "no paint" });
  },
);

proves(
  "TU-2",
  "all output of an effect is read by pages, whatever its size and whatever events are in between",
  async () => {
    const turn = await makeTurn();
    const port = await turn.port(false);
    const texts = ["a", "b"].map((letter) =>
      Array.from({ length: 150 }, (_, n) => `${letter}${n} ${"é".repeat(n * 90)}\n`),
    );
    const results = await Promise.all(
      texts.map((pieces) =>
        port.effect(order("talk"), async ({ print }) => {
          for (const piece of pieces) await print("stdout", piece);
          return { exitCode: 0, output: "", message: null };
        }),
      ),
    );
    const large = "🙂".repeat(600_000);
    const whole = await port.effect(order("shout"), printing(large));
    expect(whole.output).toBe(large.slice(0, 16_384));
    for (const [at, { effectId, outputBytes }] of [...results, whole].entries()) {
      const expected = texts[at]?.join("") ?? large;
      expect(outputBytes).toBe(Buffer.byteLength(expected));
      for (const limit of [1, 7, undefined]) {
        let read = "";
        for (let after: number | null = 0; after !== null; ) {
          const { pieces, next } = await port.output(effectId, { after, limit });
          expect(pieces.length).toBeLessThanOrEqual(limit ?? 64);
          read += pieces.map(({ text }) => text).join("");
          after = next;
        }
        expect(read === expected).toBe(true);
      }
    }
    expect(await port.output("nobody")).toEqual({ pieces: [], next: null });
  },
);

proves("TU-3", "a question of an older version, with an id but no name, is found by what it asks", async () => {
  const turn = await makeTurn();
  await turn.put("Go on?");
  await turn.put("Sure?");
  const port = await turn.port(true);
  port.reach({ step: 1 });
  const replies = [port.ask("Sure?", []), port.ask("Go on?", [])];
  await turn.approve("Sure?");
  expect(await replies[0]).toMatchObject({ approved: true });
  await turn.approve("Go on?");
  expect(await replies[1]).toMatchObject({ approved: true });
});

proves("TU-3", "an effect allowed without a driver checkpoint does not keep its turn alive", async () => {
  const turn = await makeTurn({ send: "always_ask" });
  const dying = new AbortController();
  const port = await turn.port(false, dying.signal);
  abandon(port.effect(order("send"), never));
  await turn.asked(1);
  dying.abort();
  await turn.approve("send");
  expect(outlivesDaemon(await turn.state())).toBe(false);
});

proves(
  "GATE-5",
  "calls that ask the same at once wait for one question; a resumed call finds the one it joined",
  async () => {
    const turn = await makeTurn();
    const dying = new AbortController();
    const first = await turn.port(false, dying.signal);
    first.reach(1);
    const same = (port: TurnPort, key: string) => port.ask("Go on?", ["yes"], { key });
    abandon(same(first, "one"), same(first, "two"), first.ask("Sure?", ["yes"], { key: "three" }));
    await turn.asked(2);
    await first.event("asked", null);
    dying.abort();
    await turn.approve("Go on?");

    const second = await turn.port(true);
    expect(second.resumed.map(({ question }) => question)).toEqual(["Sure?"]);
    expect(await same(second, "two")).toMatchObject({ approved: true });
    expect(await same(second, "one")).toMatchObject({ approved: true });
    // Nobody waits for an answer any more: asked again it is a new question.
    const again = same(second, "four");
    await turn.asked(2);
    await turn.approve("Go on?");
    expect(await again).toMatchObject({ approved: true });
  },
);

proves("GATE-5", "effects that are alike are deeds of their own: each is asked about", async () => {
  const turn = await makeTurn({ send: "always_ask" });
  const port = await turn.port(false);
  const sent = [1, 2].map(() => port.effect(order("send"), printing("sent")));
  await turn.asked(2);
  await turn.approve("send");
  await turn.approve("send");
  for (const one of sent) expect(await one).toMatchObject({ outcome: "done" });
});

proves("GATE-4", "the gate goes by the policy of the moment, also when an answer comes after it changed", async () => {
  const turn = await makeTurn({ send: "always_ask" });
  const port = await turn.port(false);
  const sending = port.effect(order("send"), never);
  await turn.asked(1);
  turn.setRules([{ id: "no", effect: "deny", verb: "tool.send", resource: "session/*/thing/**" }]);
  await turn.approve("send");
  expect(await sending).toMatchObject({ outcome: "refused", message: "denied: no, tool_policy:always_ask" });
  expect(await port.effect(order("send"), never)).toMatchObject({ outcome: "refused", effectId: "" });
  turn.setRules([{ id: "quiet", effect: "deny", verb: "tool.ask", resource: "**" }]);
  expect(await port.ask("Go on?", [])).toEqual({ approved: false, reason: "denied: quiet" });
  expect(await port.effect(order("send"), never)).toMatchObject({ outcome: "refused" });
  turn.setRules([]);
  expect((await turn.state()).effects).toEqual({});
});
