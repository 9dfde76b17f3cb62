import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type Answer, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { startWithAgents } from "./support/fake-agents.ts";
import {
  type Approval,
  ended,
  expectOk,
  expectRefusal,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  type Session,
  show,
  start,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

type As = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;
const holder = async (body: object): Promise<As> => {
  const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", body), 201);
  return (method, path, given) => daemon.call(method, path, given, { authorization: `Bearer ${secret}` });
};
const at = (given: string) => `/sessions/${encodeURIComponent(given)}`;

proves("SF-4", "a session is found by the beginning of its name, and by its title in any case", async () => {
  const one = await start(daemon, { title: "Fix the build" });
  const { sessions } = expectOk(await daemon.call<{ sessions: Session[] }>("GET", "/sessions"));
  const beginnings = [...one.name].map((_, end) => one.name.slice(0, end + 1));
  const only = beginnings.find((text) => sessions.filter(({ name }) => name.startsWith(text)).length === 1);
  expect((await show(daemon, only ?? "")).id).toBe(one.id);
  expect(expectOk(await daemon.call<Session>("GET", at("fix the BUILD"))).id).toBe(one.id);
  // A part of a title is no name.
  expectRefusal(await daemon.call("GET", at("fix")), 404, "session_not_found");
  const [turn] = [await prompt(daemon, at("Fix the build").slice("/sessions/".length), "say x")];
  expect(await ended(daemon, one.id, turn.turnId)).toMatchObject({ outcome: "completed" });
});

proves("SF-4", "what can mean several is refused with their names and ids; an exact name wins", async () => {
  const one = await start(daemon, { title: "twice" });
  const two = await start(daemon, { title: "Twice" });
  const refused = await daemon.call<{ error: { message: string; details: { candidates: unknown[] } } }>(
    "GET",
    at("twice"),
  );
  expectRefusal(refused, 409, "ambiguous_id");
  for (const { name } of [one, two]) expect(refused.body.error.message).toContain(name);
  const candidates = [one, two].map(({ id, name, title }) => ({ id, name, title }));
  expect(refused.body.error.details.candidates).toHaveLength(2);
  expect(refused.body.error.details.candidates).toEqual(expect.arrayContaining(candidates));
  // A title that is another session's name does not hide that session.
  await start(daemon, { title: one.name });
  expect((await show(daemon, one.name)).id).toBe(one.id);
  expectRefusal(await daemon.call("GET", at("0")), 409, "ambiguous_id");
});

proves(
  "SF-5",
  "a question is found by the beginning of its id, and by its session when that has just one",
  async () => {
    const { id, name } = await start(daemon, { title: "asks a question" });
    const none = await daemon.call<{ error: { message: string } }>("POST", `/api/approvals/${name}/approve`, {});
    expectRefusal(none, 404, "approval_not_found");
    expect(none.body.error.message).toBe(`${name} has no open question.`);
    const first = await prompt(daemon, id, "ask One?");
    const one = await pendingOf(daemon, id);
    const shown = async (given: string) =>
      expectOk(await daemon.call<Approval>("GET", `/api/approvals/${encodeURIComponent(given)}`)).id;
    expect([await shown(name), await shown("Asks a question"), await shown(one.id.slice(0, -4))]).toEqual([
      one.id,
      one.id,
      one.id,
    ]);
    expect(await shown(id)).toBe(one.id);
    const listed = await daemon.call<{ approvals: Approval[] }>("GET", `/api/approvals?sessionId=${name}`);
    expect(expectOk(listed).approvals.map((approval) => approval.id)).toEqual([one.id]);
    expectOk(await daemon.call("POST", `/api/approvals/${name}/approve`, {}));
    await ended(daemon, id, first.turnId);
    const nobody = await daemon.call<{ error: { message: string } }>("POST", "/api/approvals/nobody/reject", {});
    expectRefusal(nobody, 404, "approval_not_found");
    expect(nobody.body.error.message).toBe("There is no question and no session `nobody`.");
  },
);

proves("SF-5", "a worktree goes by its session's name, an agent by the beginning of its own", async () => {
  const cwd = await newFolder();
  execFileSync("git", ["init", "-q", cwd]);
  const { id, name } = await start(daemon, { cwd, worktree: true });
  expect(expectOk(await daemon.call("GET", `/api/worktrees/${name}`))).toMatchObject({ id });
  expectRefusal(await daemon.call("GET", "/api/worktrees/nobody"), 404, "worktree_not_found");
  for (const slug of ["alpha-one", "alpha-two"])
    expectOk(await daemon.call("POST", "/api/agents", { slug, driver: "demo" }), 201);
  expect(expectOk(await daemon.call("GET", "/api/agents/alpha-o"))).toMatchObject({ slug: "alpha-one" });
  expectRefusal(await daemon.call("GET", "/api/agents/alpha"), 409, "ambiguous_id");
  expectRefusal(await daemon.call("GET", "/api/agents/beta"), 404, "agent_not_found");
  expect((await start(daemon, { agent: "alpha-t" })).agent).toBe("alpha-two");
});

proves("SF-6", "a session's own token learns no name of another session, whatever it guesses", async () => {
  const secret = await start(daemon, { title: "a secret plan" });
  await start(daemon, { title: "a secret plan" });
  const own = await start(daemon, { title: "my own" });
  const as = await holder({ capabilities: ["session.*", "approval.*", "worktree.*", "agent.*"], sessionId: own.id });
  for (const mine of [own.id, own.name, "My own", "self"])
    expect(expectOk(await as<Session>("GET", at(mine))).id).toBe(own.id);
  const guesses = [
    secret.id,
    secret.name,
    secret.name.slice(0, 5),
    "a secret plan",
    secret.id.slice(0, -1),
    "nobody-00",
  ];
  const answers = await Promise.all(guesses.map((guess) => as("GET", at(guess))));
  for (const answer of answers) expectRefusal(answer, 403, "denied");
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  for (const path of [`/api/approvals/${secret.name}`, `/api/worktrees/${secret.name}`, "/api/agents/de"]) {
    const answer = await as("GET", path);
    expectRefusal(answer, 403, "denied");
    expect(answer.text).not.toContain(secret.id);
  }
});

proves("SF-6", "a token finds by title only what it may read, and is shown only that as a candidate", async () => {
  const hidden = await start(daemon, { title: "shared words" });
  const open = await start(daemon, { title: "shared words" });
  const rule = { id: "hidden", effect: "deny", verb: "session.read", resource: `session/${hidden.id}` };
  expectOk(await daemon.call("PUT", "/api/config", { config: { policy: { rules: [rule] } } }));
  const as = await holder({ capabilities: ["session.read"] });
  expect(expectOk(await as<Session>("GET", at("shared words"))).id).toBe(open.id);
  expectRefusal(await as("GET", at(hidden.id)), 403, "denied");
  const answering = await holder({ capabilities: ["approval.answer"] });
  const answer = await answering("POST", `/api/approvals/${open.name}/approve`, {});
  expect(answer.text).toContain(`There is no question and no session \`${open.name}\`.`);
  expectOk(await daemon.call("PUT", "/api/config", { config: { policy: { rules: [] } } }));
});

proves("SF-8", "the default agent is a real one where one is installed, unless a person chose another", async () => {
  await using own = await startWithAgents({ claude: [], codex: [] });
  const chosen = async () => {
    const { agents } = expectOk(await own.call<{ agents: { slug: string; default: boolean }[] }>("GET", "/api/agents"));
    return agents.filter((one) => one.default).map(({ slug }) => slug);
  };
  expect(await chosen()).toEqual(["claude"]);
  expectOk(await own.call("POST", "/api/agents/demo/default", {}));
  expect(await chosen()).toEqual(["demo"]);
});
