import { expect, test } from "vitest";
import { type Client, createClient, type Session, type StreamItem } from "../../src/client/index.ts";
import { createBoard } from "./board.ts";
import type { ToTab } from "./messages.ts";

const row = (id: string, state = "idle"): Session =>
  ({ id, name: id, state, busy: state === "busy", startedAt: "2026-11-16T00:00:00Z" }) as Session;

/** A daemon whose lists are what the test says, answered when the test says. */
function daemon(answers: { readonly sessions: readonly Session[]; readonly approvals?: readonly object[] }): {
  readonly client: Client;
  readonly answer: () => void;
} {
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const client = createClient({
    url: "http://test",
    token: "t",
    fetch: async (url) => {
      await asked;
      const body = url.includes("/api/approvals")
        ? { approvals: answers.approvals ?? [] }
        : { sessions: answers.sessions, next: null };
      return { status: 200, text: async () => JSON.stringify(body), body: null };
    },
  });
  return { client, answer };
}

const changed = (session: Session): StreamItem => ({ event: "session", data: session });
const lastRows = (sent: readonly ToTab[]) =>
  sent
    .flatMap((message) => (message.kind === "rows" ? [message.rows.map(({ id, state }) => `${id} ${state}`)] : []))
    .at(-1);

test("what is heard while the lists are read is newer than the lists", async () => {
  const sent: ToTab[] = [];
  const board = createBoard((message) => sent.push(message));
  const { client, answer } = daemon({ sessions: [row("a"), row("b"), row("c")] });
  const loading = board.load(client, new AbortController().signal);
  board.hear(changed(row("a", "busy")));
  board.hear({ event: "gone", data: { id: "b" } });
  answer();
  await loading;
  expect(lastRows(sent)).toEqual(["a busy", "c idle"]);
});

test("a row that is not in a later list is gone", async () => {
  const sent: ToTab[] = [];
  const board = createBoard((message) => sent.push(message));
  const first = daemon({ sessions: [row("a"), row("b")] });
  first.answer();
  await board.load(first.client, new AbortController().signal);
  const second = daemon({ sessions: [row("b", "busy")] });
  second.answer();
  await board.load(second.client, new AbortController().signal);
  expect(lastRows(sent)).toEqual(["b busy"]);
});

test("of two readings at once the later one counts", async () => {
  const sent: ToTab[] = [];
  const board = createBoard((message) => sent.push(message));
  const { signal } = new AbortController();
  const [early, late] = [daemon({ sessions: [row("old")] }), daemon({ sessions: [row("new")] })];
  const both = [board.load(early.client, signal), board.load(late.client, signal)];
  late.answer();
  await both[1];
  early.answer();
  await Promise.all(both);
  expect(lastRows(sent)).toEqual(["new idle"]);
});

test("when few questions are left, those that the first list was too long for are read", async () => {
  const sent: ToTab[] = [];
  const board = createBoard((message) => sent.push(message));
  const approval = (id: string) => ({
    id,
    sessionId: "s",
    question: id,
    options: [],
    createdAt: id,
    status: "pending",
  });
  const shown = Array.from({ length: 21 }, (_none, at) => approval(`q${String(at).padStart(2, "0")}`));
  const approvals: object[] = [...shown];
  const { client, answer } = daemon({ sessions: [], approvals });
  answer();
  await board.load(client, new AbortController().signal);
  approvals.splice(0, 1, approval("q99"));
  const data = { approvalId: "q00" };
  const event = {
    seq: 1,
    id: "e",
    stream: "session/s",
    version: 1,
    type: "approval.answered@1",
    at: "",
    actor: "",
    cause: null,
    data,
    hash: "",
    prev: "",
  };
  board.hear({ event: "event", id: "1", data: event });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const last = sent
    .flatMap((message) => (message.kind === "questions" ? [message.questions.map(({ id }) => id)] : []))
    .at(-1);
  expect(last).toHaveLength(21);
  expect(last).toContain("q99");
  expect(last).not.toContain("q00");
});
