import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { addAgent, startWithAgents } from "../support/fake-agents.ts";
import { processesWith } from "../support/processes.ts";
import {
  approvalsOf,
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  linesOf,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [], forks: ["--fork"], forgets: ["--forgets"], deaf: ["--no-load"] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const answer = (id: string, what: "approve" | "reject", body: object = {}) =>
  daemon.call("POST", `/api/approvals/${id}/${what}`, body);
const attachedOf = async (id: string) =>
  (await eventsOf(daemon, id)).filter(({ type }) => type === "driver.attached@1").map(({ data }) => data);

describe("permissions of a foreign agent", () => {
  const asked = async (how: "approve" | "reject", body: object) => {
    const { id } = await start(daemon, { adapter: "fake" });
    const { turnId } = await prompt(daemon, id, "ask rm -rf build");
    const approval = await pendingOf(daemon, id);
    expect(approval).toMatchObject({ options: ["once", "always"], action: { verb: "agent.execute" } });
    // The tool's name is beside the title, for agents whose title is only the tool's input.
    expect(approval.question).toContain("fake_shell: rm -rf build");
    expectOk(await answer(approval.id, how, body));
    await ended(daemon, id, turnId);
    expectRefusal(await answer(approval.id, "approve"), 409, "already_answered");
    return (await linesOf(daemon, id)).join("\n");
  };

  proves(
    "AG-14",
    "once, always and reject reach the agent as its own options; a second answer is refused",
    async () => {
      expect(await asked("approve", {})).toContain('{"outcome":"selected","optionId":"y"}');
      expect(await asked("approve", { option: "always" })).toContain('{"outcome":"selected","optionId":"a"}');
      expect(await asked("reject", { reason: "no" })).toContain('{"outcome":"selected","optionId":"n"}');
    },
  );

  proves(
    "A8",
    "the words of a no are the next thing that the agent reads, in the same turn; a no without words ends it",
    async () => {
      const { id } = await start(daemon, { adapter: "fake" });
      const { turnId } = await prompt(daemon, id, "ask rm -rf build\nask rm -rf dist\nstop cancelled");
      expectOk(await answer((await pendingOf(daemon, id)).id, "reject", { reason: "use git clean" }));
      const second = await eventually("the second question", async () => {
        const pending = await pendingOf(daemon, id);
        return pending.question.includes("dist") ? pending : null;
      });
      expectOk(await answer(second.id, "reject", {}));
      expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
      const lines = await linesOf(daemon, id);
      expect(lines).toContain("[rejected] use git clean");
      expect(lines.filter((line) => line.startsWith("I said no"))).toEqual([
        'I said no to "May the agent: fake_shell: rm -rf build?": use git clean',
      ]);
      await turn(daemon, id, "recall");
      expect((await linesOf(daemon, id)).join("\n")).toContain("| I said no to");
      const silent = await start(daemon, { adapter: "fake" });
      const quiet = await prompt(daemon, silent.id, "ask rm -rf build");
      expectOk(await answer((await pendingOf(daemon, silent.id)).id, "reject", {}));
      await ended(daemon, silent.id, quiet.turnId);
      expect((await linesOf(daemon, silent.id)).join("\n")).not.toContain("I said no");
    },
  );

  proves("A7", "the question about an agent's edit brings its path and its diff", async () => {
    const { id, cwd } = await start(daemon, { adapter: "fake" });
    const content = [{ type: "diff", path: join(cwd, "a.txt"), oldText: "one\n", newText: "two\n" }];
    await prompt(daemon, id, `permit ${JSON.stringify({ kind: "edit", content })}`);
    expect((await pendingOf(daemon, id)).detail).toEqual({
      path: "a.txt",
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n",
    });
    expectOk(await daemon.call("DELETE", `/sessions/${id}`));
  });

  proves("AG-14", "an interrupted turn's question is cancelled, for the agent too", async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    await prompt(daemon, id, "ask anything");
    const approval = await pendingOf(daemon, id);
    expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
    expect((await approvalsOf(daemon, id))[0]).toMatchObject({ id: approval.id, status: "cancelled" });
    expect(await turn(daemon, id, "say on")).toMatchObject({ outcome: "completed" });
  });

  proves(
    "AG-15",
    "without a person the policy answers, by kind of tool and driver, and never just the first option",
    async () => {
      const tools = { execute: "never", edit: "auto" };
      expectOk(await daemon.call("POST", "/api/agents", { slug: "strict-one", driver: "fake", tools }), 201);
      const { id } = await start(daemon, { adapter: "fake", agent: "strict-one" });
      await turn(daemon, id, "ask make");
      expect((await linesOf(daemon, id)).join("\n")).toContain('"optionId":"n"');
      expect((await eventsOf(daemon, id)).filter(({ type }) => type === "gate.denied@1")).toHaveLength(1);
      // Answers mask the arguments, and a mask is valid only for its own driver: the file has the real ones.
      const config = JSON.parse(await readFile(join(daemon.home, "config.json"), "utf8"));
      const drivers = { ...config.drivers, lenient: { ...config.drivers.fake, permissions: "allow" } };
      expectOk(await daemon.call("PUT", "/api/config", { config: { drivers } }));
      const other = await start(daemon, { adapter: "lenient" });
      await turn(daemon, other.id, "ask make");
      expect((await linesOf(daemon, other.id)).join("\n")).toContain('"optionId":"y"');
      expect(await approvalsOf(daemon, other.id)).toEqual([]);
    },
  );

  proves(
    "AG-15",
    "a question without an answer in time is denied, and an agent that asks for ever is ended",
    async () => {
      await using quick = await startWithAgents({ fake: [] }, { approvalWaitMs: 1000 });
      const { id } = await start(quick, { adapter: "fake" });
      expect(await turn(quick, id, "ask slow")).toMatchObject({ outcome: "completed" });
      expect((await linesOf(quick, id)).join("\n")).toContain('"optionId":"n"');
      expect(await approvalsOf(quick, id)).toMatchObject([{ status: "rejected" }]);
      const slug = { slug: "no-one", driver: "fake", tools: { execute: "never" } };
      expectOk(await quick.call("POST", "/api/agents", slug), 201);
      const nag = await start(quick, { adapter: "fake", agent: "no-one" });
      expect(await turn(quick, nag.id, "nag")).toMatchObject({ outcome: "failed" });
      expect((await linesOf(quick, nag.id)).join("\n")).toContain("asks for permission for ever");
    },
  );

  proves("AG-14", "a question with a form is answered in free text", async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    const { turnId } = await prompt(daemon, id, "elicit What is your name?");
    const approval = await pendingOf(daemon, id);
    expect(approval).toMatchObject({ options: [] });
    expectOk(await answer(approval.id, "approve", { option: "Ada" }));
    await ended(daemon, id, turnId);
    expect((await linesOf(daemon, id)).join("\n")).toContain('{"action":"accept","content":{"name":"Ada"}}');
  });
});

describe("our tools in a foreign agent", () => {
  proves("AG-16", "an agent sees its siblings, leaves a note and asks the person, with its own token", async () => {
    const cwd = await newFolder();
    const [one, two] = [await start(daemon, { adapter: "fake", cwd }), await start(daemon, { adapter: "fake", cwd })];
    await turn(daemon, one.id, 'mcp session_note {"id":"self","text":"I do the tests"}');
    await turn(daemon, two.id, 'mcp session_siblings {"id":"self"}');
    const seen = (await linesOf(daemon, two.id)).join("\n");
    expect(seen).toContain(one.id);
    expect(seen).toContain("I do the tests");
    const { turnId } = await prompt(
      daemon,
      two.id,
      'mcp session_ask {"id":"self","question":"Which one?","options":["a","b"]}',
    );
    const approval = await pendingOf(daemon, two.id);
    expect(approval).toMatchObject({ question: "Which one?", options: ["a", "b"] });
    expectOk(await answer(approval.id, "approve", { option: "b" }));
    await ended(daemon, two.id, turnId);
    expect((await linesOf(daemon, two.id)).join("\n")).toMatch(/answer[^a-z]*b/);
  });

  proves("AG-17", "an agent starts others only by delegation, and cannot choose their mode", async () => {
    expectOk(await daemon.call("POST", "/api/agents", { slug: "helper", driver: "fake" }), 201);
    const lead = { slug: "lead", driver: "fake", delegatesTo: ["helper"] };
    expectOk(await daemon.call("POST", "/api/agents", lead), 201);
    const { id } = await start(daemon, { adapter: "fake", agent: "lead" });
    const wish = async (input: object) => {
      await turn(daemon, id, `mcp session_start ${JSON.stringify({ adapter: "fake", ...input })}`);
      const lines = await linesOf(daemon, id);
      return lines.slice(lines.findLastIndex((line) => line.startsWith("mcp: "))).join("\n");
    };
    expect(await wish({ agent: "lead" })).toContain("delegation_denied");
    expect(await wish({})).toContain("delegation_denied");
    expect(await wish({ agent: "helper", mode: "bold" })).toContain("invalid_request");
    await wish({ agent: "helper", prompt: "say from below" });
    const born = (await eventsOf(daemon, id)).filter(({ type }) => type === "session.delegated@1");
    expect(born).toHaveLength(1);
    const child = String(born[0]?.data["childId"]);
    expect(await show(daemon, child)).toMatchObject({ parentSessionId: id, depth: 1 });
    await eventually("its child's words", async () => (await linesOf(daemon, child)).includes("from below"));
  });

  proves("AG-17", "an agent's token opens only its own session, and ends with its process", async () => {
    const [one, two] = [await start(daemon, { adapter: "fake" }), await start(daemon, { adapter: "fake" })];
    await turn(daemon, one.id, "token\nenv NOMOS_TOKEN");
    await turn(daemon, two.id, "say up");
    const spelled = /nekot ([0-9a-f]{48}_tsn reraeB)/.exec((await linesOf(daemon, one.id)).join("\n"))?.[1] ?? "";
    const token = [...spelled].reverse().join("");
    expect(token).not.toBe("");
    const as = (path: string) => daemon.call("GET", path, undefined, { authorization: token });
    expect((await as(`/sessions/${one.id}`)).status).toBe(200);
    const listed = expectOk(await as("/sessions")) as { sessions: { id: string }[] };
    expect(listed.sessions.map(({ id }) => id)).toEqual([one.id]);
    for (const path of [`/sessions/${two.id}`, "/api/config", "/api/approvals", "/api/tokens"])
      expect([path, (await as(path)).status]).toEqual([path, 403]);
    const begin = await daemon.call("POST", "/sessions/agent", { adapter: "demo" }, { authorization: token });
    expect(begin.status).toBe(403);
    expectOk(await daemon.call("POST", `/sessions/${one.id}/hibernate`));
    expect((await as(`/sessions/${one.id}`)).status).toBe(401);
    await turn(daemon, two.id, "env NOMOS_TOKEN");
    expect(await linesOf(daemon, two.id)).toContain("env NOMOS_TOKEN=");
  });
});

describe("memory of a foreign agent", () => {
  proves("AG-18", "hibernation ends the process; the next prompt restores the memory natively", async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "the word is plum");
    expect((await processesWith(id)).length).toBeGreaterThan(0);
    expectOk(await daemon.call("POST", `/sessions/${id}/hibernate`));
    expect(await processesWith(id)).toEqual([]);
    await turn(daemon, id, "recall");
    expect((await linesOf(daemon, id)).join("\n")).toContain("I heard: the word is plum");
    expect(await attachedOf(id)).toMatchObject([{ continuity: "fresh" }, { continuity: "native" }]);
  });

  for (const slug of ["forgets", "deaf"])
    proves("AG-18", `an agent that cannot resume (${slug}) gets a digest of the log, and the log says so`, async () => {
      const { id } = await start(daemon, { adapter: slug });
      await turn(daemon, id, "the word is plum");
      expectOk(await daemon.call("POST", `/sessions/${id}/hibernate`));
      expect(await turn(daemon, id, "say now")).toMatchObject({ outcome: "completed" });
      const attached = await attachedOf(id);
      expect(attached).toMatchObject([{ continuity: "fresh" }, { continuity: "digest" }]);
      expect(attached[1]?.["reason"]).not.toBeNull();
      expect((await linesOf(daemon, id)).join("\n")).toContain("[person] the word is plum");
    });

  proves("AG-19", "after a rewind the agent does not remember what was taken back", async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "the word is plum");
    const { head } = await show(daemon, id);
    await turn(daemon, id, "the secret is quince");
    expectOk(await daemon.call("POST", `/sessions/${id}/rewind`, { to: head }));
    await turn(daemon, id, "recall");
    const last = (await linesOf(daemon, id)).findLast((line) => line.startsWith("I heard"));
    expect(last).not.toContain("quince");
    expect((await attachedOf(id)).at(-1)).toMatchObject({ continuity: "digest" });
  });

  proves(
    "AG-19",
    "a fork continues with its parent's memory: natively where the agent can, else by a digest",
    async () => {
      for (const [adapter, continuity] of [
        ["forks", "native"],
        ["fake", "digest"],
      ] as const) {
        const { id } = await start(daemon, { adapter });
        await turn(daemon, id, "the word is plum");
        const born = expectOk(await daemon.call<{ id: string }>("POST", `/sessions/${id}/fork`), 201);
        await turn(daemon, born.id, "recall");
        expect((await linesOf(daemon, born.id)).join("\n")).toContain("the word is plum");
        const attached = (await attachedOf(born.id)).at(-1);
        expect(attached).toMatchObject({ continuity });
        expect(attached?.["nativeId"]).not.toBe((await attachedOf(id))[0]?.["nativeId"]);
      }
    },
  );
});

describe("many sessions in one agent process", () => {
  proves.concurrent(
    "AG-20",
    "sessions of one directory share a process, each with its own memory, and a kill ends only one session",
    async () => {
      await addAgent(daemon, "shared", [], { capabilities: { many_sessions: true } });
      const cwd = await newFolder();
      const open = () => start(daemon, { adapter: "shared", cwd });
      const [one, two, far] = [await open(), await open(), await start(daemon, { adapter: "shared" })];
      const pidOf = async (id: string) => {
        await turn(daemon, id, "pid");
        return (await linesOf(daemon, id)).findLast((line) => line.startsWith("pid "));
      };
      const pid = await pidOf(one.id);
      expect(await pidOf(two.id)).toBe(pid);
      expect(pid).toBeDefined();
      const chief = { slug: "chief", driver: "shared", delegatesTo: ["shared"] };
      expectOk(await daemon.call("POST", "/api/agents", chief), 201);
      // Its token reaches other sessions.
      const own = await start(daemon, { adapter: "shared", cwd, agent: "chief" });
      await turn(daemon, own.id, "say up");
      expect(await processesWith(two.id)).toEqual([]);
      expect((await processesWith(own.id)).length).toBeGreaterThan(0);
      await turn(daemon, far.id, "say elsewhere");
      await turn(daemon, one.id, "the word is plum");
      await turn(daemon, two.id, "recall");
      expect((await linesOf(daemon, two.id)).join("\n")).not.toContain("plum");
      expectOk(await daemon.call("POST", `/sessions/${one.id}/kill`));
      expect(await pidOf(two.id)).toBe(pid);
    },
  );

  proves.concurrent(
    "AG-20",
    "the death of a shared process cuts only its running turns, and every session in it goes on",
    async () => {
      await addAgent(daemon, "fragile", [], { capabilities: { many_sessions: true } });
      const cwd = await newFolder();
      const [one, two] = [
        await start(daemon, { adapter: "fragile", cwd }),
        await start(daemon, { adapter: "fragile", cwd }),
      ];
      await turn(daemon, two.id, "the word is plum");
      expect(await turn(daemon, one.id, "die 3")).toMatchObject({ outcome: "interrupted" });
      expect(await turn(daemon, two.id, "recall")).toMatchObject({ outcome: "completed" });
      expect((await linesOf(daemon, two.id)).join("\n")).toContain("I heard: the word is plum");
      expect(await turn(daemon, one.id, "say up")).toMatchObject({ outcome: "completed" });
    },
  );

  proves.concurrent(
    "AG-20",
    "an interrupt that a shared agent ignores does not cut the other session's turn",
    async () => {
      await addAgent(daemon, "deaf-shared", ["--ignore-cancel"], { capabilities: { many_sessions: true } });
      const cwd = await newFolder();
      const open = () => start(daemon, { adapter: "deaf-shared", cwd });
      const [one, two] = [await open(), await open()];
      await turn(daemon, one.id, "say up");
      const { turnId } = await prompt(daemon, two.id, "sleep 3000\nsay through");
      await prompt(daemon, one.id, "hang");
      await eventually("both busy", async () => (await show(daemon, one.id)).busy);
      expectOk(await daemon.call("POST", `/sessions/${one.id}/interrupt`));
      expect(await ended(daemon, two.id, turnId)).toMatchObject({ outcome: "completed" });
      expect(await linesOf(daemon, two.id)).toContain("through");
      expect(await turn(daemon, one.id, "say again")).toMatchObject({ outcome: "completed" });
    },
  );
});
