import { existsSync, readFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { setUpGoverned as setUpLawful } from "../support/governed-bench.ts";
import { setUpGoverned } from "../support/law-bench.ts";
import { commitMany, ticketIdOf, ticketText } from "../support/many-tickets.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { type Event, eventually, expectOk, expectRefusal, PATIENCE } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Ticket {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly parent?: string;
  readonly path: string;
  readonly scope: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly lease?: { readonly fence: number; readonly owner: string; readonly live: boolean };
}
interface Listed {
  readonly tickets: readonly Ticket[];
  readonly next: string | null;
  readonly faults: readonly { readonly path: string; readonly message: string; readonly remedy: string }[];
}
interface Next {
  readonly ticket: Ticket | null;
  readonly because: string | null;
  readonly fence?: number;
  readonly waiting: readonly { readonly id: string; readonly score: number; readonly heldBack?: string }[];
  readonly lanes: readonly { readonly name: string; readonly active: number }[];
}

const at = (path: string, cwd: string, more = ""): string =>
  `/api/tickets${path}?cwd=${encodeURIComponent(cwd)}${more}`;
const create = async (cwd: string, body: object, on = daemon): Promise<Ticket> =>
  expectOk(await on.call<Ticket>("POST", "/api/tickets", { cwd, kind: "task", title: "Do it", ...body }), 201);
const list = async (cwd: string, more = "", on = daemon): Promise<Listed> =>
  expectOk(await on.call<Listed>("GET", at("", cwd, more)));
const show = async (cwd: string, id: string, on = daemon) =>
  expectOk(
    await on.call<Ticket & { children: Ticket[]; waitsFor: Ticket[]; overlaps: { id: string; path: string }[] }>(
      "GET",
      at(`/${id}`, cwd),
    ),
  );
const post = <T = Record<string, unknown>>(cwd: string, path: string, body: object = {}, on = daemon) =>
  on.call<T>("POST", `/api/tickets/${path}`, { cwd, ...body });
const eventsOf = async (id: string, on = daemon): Promise<readonly Event[]> => {
  const { entries } = expectOk(await on.call<{ entries: Event[] }>("GET", "/api/audit/entries?limit=1000"));
  return entries.filter(({ stream }) => stream.startsWith("ticket/") && stream.endsWith(id));
};

proves(
  "GT-7",
  "an intent, an epic and tasks: each a file and a commit of the default branch, and an event",
  async () => {
    using bench = setUpGoverned();
    const { repo, git } = bench;
    const intent = await create(repo, { kind: "intent", title: "Log in", brainDump: "People want in." });
    const epic = await create(repo, { kind: "epic", title: "Passwords", parent: intent.id });
    const task = await create(repo, {
      title: 'Ask: "who?"',
      parent: epic.id,
      scope: { allow: ["src/login/**"] },
      priority: 2,
      checks: [["npm", "test"]],
      labels: ["a"],
    });
    expect([intent.id, epic.id, task.id].map((id) => id.replace(/-\d{8}-\d{6}-[A-Z0-9]{4}/, "-X"))).toEqual([
      "INT-X",
      "TKT-X-EPIC",
      "TKT-X",
    ]);
    expect(task).toMatchObject({
      status: "todo",
      path: `.nomos/tickets/${task.id}.yaml`,
      scope: { allow: ["src/login/**"], deny: [] },
      parent: epic.id,
      checks: [["npm", "test"]],
    });
    expect(git(repo, "status", "--porcelain")).toBe("");
    expect(git(repo, "log", "-1", "--format=%s%n%(trailers:only)")).toBe(
      `Add task ${task.id}: Ask: "who?"\nNomos-Actor: operator\nNomos-Ticket: ${task.id}`,
    );
    expect(readFileSync(join(repo, task.path), "utf8")).toMatch(/^id: TKT-.*\nkind: task\ntitle: /);
    expect(await list(repo)).toMatchObject({
      tickets: [{ id: task.id }, { id: intent.id }, { id: epic.id }].toSorted((a, b) =>
        a.id === task.id ? -1 : b.id === task.id ? 1 : a.id < b.id ? -1 : 1,
      ),
      next: null,
      faults: [],
    });
    expect((await list(repo, `&kind=task&status=open&parent=${epic.id}&label=a`)).tickets).toHaveLength(1);
    expect((await list(repo, "&label=b")).tickets).toEqual([]);
    expect((await show(repo, epic.id)).children.map(({ id }) => id)).toEqual([task.id]);
    expect((await show(repo, task.id.slice(-4))).id).toBe(task.id);
    expect(await eventsOf(task.id)).toMatchObject([
      { type: "ticket.recorded@1", actor: "operator", data: { because: "created", repository: repo } },
    ]);
  },
);

proves("GT-7", "an edit keeps what people wrote beside it; the same edit again changes nothing", async () => {
  using bench = setUpGoverned();
  const { repo, git } = bench;
  const { id, path } = await create(repo, { title: "Old" });
  await appendFile(join(repo, path), "estimate: 3 # days\n");
  git(repo, "commit", "-qam", "mine");
  const edited = expectOk(
    await daemon.call<Ticket>("PUT", `/api/tickets/${id}`, { cwd: repo, title: "New", priority: 1, deny: ["docs/**"] }),
  );
  expect(edited).toMatchObject({ id, title: "New", priority: 1, scope: { allow: ["**"], deny: ["docs/**"] } });
  expect(readFileSync(join(repo, path), "utf8")).toContain("estimate: 3 # days\n");
  const tip = git(repo, "rev-parse", "HEAD");
  expectOk(await daemon.call("PUT", `/api/tickets/${id}`, { cwd: repo, title: "New" }));
  expect(git(repo, "rev-parse", "HEAD")).toBe(tip);
  expect((await eventsOf(id)).map(({ data }) => data["because"])).toContain("changed");
});

proves(
  "GT-7",
  "a call that is repeated with its key makes one ticket, also after a crash between commit and event",
  async () => {
    using bench = setUpGoverned();
    const { repo, git } = bench;
    const key = { "idempotency-key": "create-once" };
    const body = { cwd: repo, kind: "task", title: "Once" };
    const first = expectOk(await daemon.call<Ticket>("POST", "/api/tickets", body, key), 201);
    expect(expectOk(await daemon.call<Ticket>("POST", "/api/tickets", body, key), 201)).toEqual(first);
    expect((await list(repo)).tickets).toHaveLength(1);
    // Another daemon knows nothing of the call, as one whose log lost it in a crash.
    const other = await startDaemon();
    expect(expectOk(await other.call<Ticket>("POST", "/api/tickets", body, key), 201).id).toBe(first.id);
    expect(git(repo, "rev-list", "--count", "HEAD")).toBe("3");
  },
);

proves("GT-8", "what others commit is recorded as read: a new, a changed and a removed ticket", async () => {
  using bench = setUpGoverned();
  const { repo, git, write } = bench;
  const [one, two] = [ticketIdOf(1), ticketIdOf(2)];
  write(join(repo, `.nomos/tickets/${one}.yaml`), ticketText(one));
  write(join(repo, `.nomos/tickets/${two}.yaml`), ticketText(two));
  git(repo, "add", ".nomos");
  git(repo, "commit", "-qm", "theirs");
  await list(repo);
  const types = async (id: string) =>
    (await eventsOf(id)).map(({ type, actor, data }) => [type, actor, data["because"]]);
  await eventually("both are read", async () => (await eventsOf(two)).length > 0 && (await eventsOf(one)).length > 0);
  expect(await types(one)).toEqual([["ticket.recorded@1", "daemon", "read"]]);
  await writeFile(join(repo, `.nomos/tickets/${one}.yaml`), ticketText(one, { title: "Changed" }));
  git(repo, "rm", "-q", `.nomos/tickets/${two}.yaml`);
  git(repo, "commit", "-qam", "theirs again");
  expect((await list(repo)).tickets.map(({ title }) => title)).toEqual(["Changed"]);
  await eventually("the change is read", async () => (await eventsOf(two)).length === 2);
  expect(await types(two)).toEqual([
    ["ticket.recorded@1", "daemon", "read"],
    ["ticket.removed@1", "daemon", undefined],
  ]);
  expect(await types(one)).toHaveLength(2);
});

proves("GT-8", "what was committed while no daemon ran is recorded by the next one, before anybody asks", async () => {
  using bench = await setUpLawful();
  const first = await startDaemon();
  await list(bench.repo, "", first);
  await eventually("the law is known", async () => {
    const { entries } = expectOk(await first.call<{ entries: Event[] }>("GET", "/api/audit/entries?limit=1000"));
    return entries.some(({ stream }) => stream.startsWith("governed/"));
  });
  await first.stop();
  const id = ticketIdOf(7);
  bench.tickets({ id, kind: "task", title: "Meanwhile" });
  const next = await startDaemon({ home: first.home });
  const [event] = await eventually("it is read", async () => {
    const found = await eventsOf(id, next);
    return found.length > 0 && found;
  });
  expect(event).toMatchObject({ type: "ticket.recorded@1", actor: "daemon", data: { because: "read" } });
});

proves(
  "GT-9",
  "next takes by score, lanes and limits, says why not the others, and leases with a rising fence",
  async () => {
    using bench = setUpGoverned(
      "version: 1\nlanes:\n  - {name: Features, types: [feature], count: 1}\n  - {name: Bugs, types: [bug], count: 1}\nticketsAtOnceMax: 2\n",
    );
    const { repo } = bench;
    const urgent = await create(repo, { title: "Urgent", priority: 1, type: "feature" });
    const second = await create(repo, { title: "Second", priority: 2, type: "feature" });
    const bug = await create(repo, { title: "Bug", priority: 5, type: "bug" });
    const after = await create(repo, { title: "After", priority: 1, type: "docs", blockers: [bug.id] });
    const next = async (body: object = {}): Promise<Next> => expectOk(await post<Next>(repo, "next", body));
    expect(await next()).toMatchObject({
      ticket: { id: urgent.id },
      because: null,
      waiting: [{ id: urgent.id }, { id: after.id, heldBack: "blocked" }, { id: second.id }, { id: bug.id }],
    });
    const claimed = await next({ claim: true, minutes: 30 });
    expect(claimed).toMatchObject({
      ticket: { id: urgent.id, status: "active", lease: { owner: "operator", live: true } },
      fence: 1,
    });
    expect(await next({ claim: true })).toMatchObject({ ticket: { id: bug.id }, fence: 1 });
    const full = await next({ claim: true });
    expect(full).toMatchObject({
      ticket: null,
      because: "global_limit",
      lanes: [
        { name: "Features", active: 1 },
        { name: "Bugs", active: 1 },
      ],
    });
    expect(full.fence).toBeUndefined();
    expect(full.waiting.find(({ id }) => id === second.id)).toMatchObject({ heldBack: "global_limit" });
    expectOk(await post(repo, `${bug.id}/release`, { fence: 1 }));
    expect((await next()).waiting.find(({ id }) => id === second.id)).toMatchObject({ heldBack: "lane_full" });
    expectRefusal(await post(repo, `${bug.id}/heartbeat`, { fence: 1 }), 409, "lease_lost");
    expect(expectOk(await post(repo, `${bug.id}/lease`))).toMatchObject({ id: bug.id, fence: 2 });
    expectRefusal(await post(repo, `${bug.id}/heartbeat`, { fence: 1 }), 409, "lease_lost");
    expect(expectOk(await post(repo, `${bug.id}/heartbeat`, { fence: 2, minutes: 60 }))).toMatchObject({ fence: 2 });
    expect((await eventsOf(bug.id)).map(({ type }) => type)).toEqual([
      "ticket.recorded@1",
      "ticket.leased@1",
      "ticket.released@1",
      "ticket.leased@1",
    ]);
  },
);

proves("GT-9", "many claims at once: each ticket goes to one of them", async () => {
  using bench = setUpGoverned();
  const { repo } = bench;
  const ids = new Set<string>();
  for (let n = 0; n < 4; n += 1) ids.add((await create(repo, { title: `T${n}` })).id);
  const all = await Promise.all(
    Array.from({ length: 8 }, async () => expectOk(await post<Next>(repo, "next", { claim: true }))),
  );
  const taken = all.flatMap(({ ticket }) => ticket?.id ?? []);
  expect(taken.toSorted()).toEqual([...ids].toSorted());
  expect(all.filter(({ ticket }) => ticket === null).map(({ because }) => because)).toEqual(Array(4).fill("none_open"));
});

proves(
  "GT-20",
  "a ticket does not close on a claim: unproven, with what is missing; an epic closes when all below it is over",
  async () => {
    using bench = setUpGoverned();
    const { repo } = bench;
    const intent = await create(repo, { kind: "intent", title: "I", brainDump: "x" });
    const task = await create(repo, { title: "T", parent: intent.id, checks: [["npm", "test"]] });
    const { fence } = expectOk(await post<{ fence: number }>(repo, `${task.id}/lease`));
    expectRefusal(await post(repo, `${task.id}/close`), 409, "ticket_leased");
    expectRefusal(await post(repo, `${task.id}/close`, { fence: fence + 1 }), 409, "lease_lost");
    const unproven = expectRefusal(await post(repo, `${task.id}/close`, { fence }), 409, "unproven");
    expect(unproven.details["missing"]).toEqual([expect.stringMatching(/landed on main/)]);
    expect((await show(repo, task.id)).status).toBe("active");
    expectRefusal(await post(repo, `${intent.id}/close`), 409, "unproven");
    expectRefusal(await post(repo, `${task.id}/archive`), 409, "ticket_leased");
    expectOk(await post(repo, `${task.id}/release`, { fence }));
    expectRefusal(await post(repo, `${task.id}/archive`), 409, "ticket_open");
    expect(expectOk(await post(repo, `${task.id}/archive`, { reason: "nobody needs it" }))).toMatchObject({
      path: `.nomos/tickets/ARCHIVE/${task.id}.yaml`,
    });
    expect(existsSync(join(repo, ".nomos/tickets/ARCHIVE", `${task.id}.yaml`))).toBe(true);
    const closed = expectOk(await post<{ evidence: string }>(repo, `${intent.id}/close`));
    expect(bench.git(repo, "rev-parse", `refs/nomos/evidence/${intent.id}`)).toBe(closed.evidence);
    expect(await show(repo, intent.id)).toMatchObject({ status: "done", by: "operator" });
    expect(expectOk(await post(repo, `${intent.id}/close`))).toMatchObject({ evidence: closed.evidence });
    expect((await list(repo)).tickets.map(({ id }) => id)).toEqual([intent.id]);
    expect((await list(repo, "&status=archived")).tickets.map(({ id }) => id)).toEqual([task.id]);
    expectRefusal(await post(repo, `${task.id}/lease`), 409, "ticket_closed");
  },
);

proves("GT-21", "scopes that meet are told with a path, those that do not are not, deny lists counted", async () => {
  using bench = setUpGoverned();
  const { repo } = bench;
  const scoped = (title: string, allow: readonly string[], deny: readonly string[] = []) =>
    create(repo, { title, scope: { allow, deny } });
  const [a, b] = [await scoped("A", ["src/a/**"]), await scoped("B", ["src/b/**"])];
  const c = await scoped("C", ["src/**/x.ts"], ["src/b"]);
  const none = await scoped("N", ["docs/none/**"], ["docs"]);
  const everything = await scoped("E", ["**"]);
  const { overlaps, tickets } = expectOk(
    await daemon.call<{ tickets: number; overlaps: { a: Ticket; b: Ticket; path: string }[] }>(
      "GET",
      at("/all/overlaps", repo),
    ),
  );
  expect(tickets).toBe(5);
  const pairs = overlaps.map((one) => [one.a.id, one.b.id].toSorted().join(" ")).toSorted();
  expect(pairs).toEqual(
    [
      [a, c],
      [a, everything],
      [b, everything],
      [c, everything],
    ]
      .map((pair) =>
        pair
          .map(({ id }) => id)
          .toSorted()
          .join(" "),
      )
      .toSorted(),
  );
  expect((await show(repo, a.id)).overlaps).toContainEqual(
    expect.objectContaining({ id: c.id, path: expect.stringMatching(/^src\/a\/.*x\.ts/) }),
  );
  expect((await show(repo, none.id)).overlaps).toEqual([]);
});

proves("GT-22", "a plan becomes an epic and its tasks; a dry run writes nothing", async () => {
  using bench = setUpGoverned();
  const { repo, git } = bench;
  const text = "### EPIC-1: Sign in\n* T1: Ask for the password\n  In a form.\n* T2: Check it (after T1)\n";
  const tip = git(repo, "rev-parse", "HEAD");
  type Planned = { readonly dryRun: boolean; readonly tickets: readonly (Ticket & { blockers: string[] })[] };
  const dry = expectOk(await post<Planned>(repo, "plan", { text, dryRun: true }));
  expect(dry.tickets.map(({ kind, title }) => [kind, title])).toEqual([
    ["epic", "Sign in"],
    ["task", "Ask for the password"],
    ["task", "Check it"],
  ]);
  expect(git(repo, "rev-parse", "HEAD")).toBe(tip);
  const { tickets } = expectOk(await post<Planned>(repo, "plan", { text }));
  const [epic, one, two] = tickets;
  expect(one).toMatchObject({ parent: epic?.id });
  expect(two).toMatchObject({ blockers: [one?.id] });
  expect(git(repo, "rev-list", "--count", `${tip}..HEAD`)).toBe("1");
  expect(expectRefusal(await post(repo, "plan", { text: "do things" }), 400, "invalid_request").remedy).toContain(
    "EPIC-1",
  );
  expectRefusal(await post(repo, "plan", { text: "* T1: a (after T9)" }), 400, "invalid_request");
});

proves(
  "GT-23",
  "INVALID_PARENT, unknown and circular neighbours, and bad fields are refused before anything is written",
  async () => {
    using bench = setUpGoverned();
    const { repo, git } = bench;
    const intent = await create(repo, { kind: "intent", title: "I", brainDump: "x" });
    const epic = await create(repo, { kind: "epic", title: "E", parent: intent.id });
    const task = await create(repo, { title: "A", parent: epic.id });
    const other = await create(repo, { title: "B", blockers: [task.id] });
    const tip = git(repo, "rev-parse", "HEAD");
    const refuse = async (body: object, status: number, code: string) =>
      expectRefusal(
        await daemon.call("POST", "/api/tickets", { cwd: repo, kind: "task", title: "X", ...body }),
        status,
        code,
      );
    await refuse({ kind: "epic", parent: epic.id }, 422, "invalid_parent");
    await refuse({ parent: task.id }, 422, "invalid_parent");
    await refuse({ kind: "intent", parent: intent.id }, 422, "invalid_parent");
    await refuse({ parent: "TKT-20200101-000000-ZZZZ" }, 404, "ticket_not_found");
    await refuse({ blockers: ["TKT-20200101-000000-ZZZZ"] }, 404, "ticket_not_found");
    await refuse({ scope: { allow: ["../x"] } }, 400, "invalid_request");
    await refuse({ scope: { allow: ["/etc/**"] } }, 400, "invalid_request");
    await refuse({ title: "two\nlines" }, 400, "invalid_request");
    await refuse({ title: "" }, 400, "invalid_request");
    await refuse({ priority: 9 }, 400, "invalid_request");
    await refuse(
      {
        acceptance: [
          { id: "A", text: "x" },
          { id: "A", text: "y" },
        ],
      },
      400,
      "invalid_request",
    );
    const circle = expectRefusal(
      await daemon.call("PUT", `/api/tickets/${task.id}`, { cwd: repo, blockers: [other.id] }),
      400,
      "invalid_request",
    );
    expect(circle.message).toContain("wait for itself");
    expect(git(repo, "rev-parse", "HEAD")).toBe(tip);
  },
);

proves(
  "GT-23",
  "circles, orphans and damaged files that others committed are told by `check`; every call goes on",
  async () => {
    using bench = setUpGoverned();
    const { repo, git, write } = bench;
    const [one, two, bad] = [ticketIdOf(1), ticketIdOf(2), ticketIdOf(3)];
    write(join(repo, `.nomos/tickets/${one}.yaml`), ticketText(one, { blockers: `[${two}]` }));
    write(
      join(repo, `.nomos/tickets/${two}.yaml`),
      ticketText(two, { blockers: `[${one}, TKT-9]`, scope: "\n  allow:\n    - nothing/here\n  deny:\n    - nothing" }),
    );
    write(join(repo, `.nomos/tickets/${bad}.yaml`), "id: [half");
    git(repo, "add", ".nomos");
    git(repo, "commit", "-qm", "theirs");
    const listed = await list(repo);
    expect(listed.tickets.map(({ id }) => id)).toEqual([one, two]);
    expect(listed.faults).toMatchObject([{ path: `.nomos/tickets/${bad}.yaml` }]);
    const { ok, findings } = expectOk(
      await daemon.call<{ ok: boolean; findings: { ticket: string; rule: string }[] }>("GET", at("/all/check", repo)),
    );
    expect(ok).toBe(false);
    expect(findings.map(({ ticket, rule }) => `${ticket} ${rule}`)).toEqual(
      expect.arrayContaining([
        `${bad} file`,
        `${one} blocker_cycle`,
        `${two} blocker_cycle`,
        `${two} blocker_unknown`,
        `${one} orphan`,
      ]),
    );
    expect(expectOk(await post<Next>(repo, "next"))).toMatchObject({ ticket: null, because: "all_blocked" });
    expectRefusal(await daemon.call("GET", at(`/${bad}`, repo)), 409, "ticket_invalid");
    // Its short name means it too.
    expectRefusal(await daemon.call("GET", at(`/${bad.slice("TKT-".length)}`, repo)), 409, "ticket_invalid");
    expectRefusal(await daemon.call("PUT", `/api/tickets/${bad}`, { cwd: repo, title: "x" }), 409, "ticket_invalid");
    // What was wrong before does not keep a person from changing something else.
    expectOk(await daemon.call("PUT", `/api/tickets/${one}`, { cwd: repo, title: "Other" }));
    expect((await daemon.cli("ticket", "check", "-C", repo)).exitCode).toBe(1);
  },
);

proves(
  "GT-23",
  "no git, no commits, no law, a newer law, a relative or missing directory: each is told with its remedy",
  async () => {
    using plain = setUpBench();
    using empty = setUpBench({ commit: false });
    using newer = setUpGoverned("version: 99\n");
    using broken = setUpGoverned("version: 1\nbudgets: 5\n");
    const refuse = async (cwd: string, status: number, code: string) =>
      expectRefusal(await daemon.call("GET", at("", cwd)), status, code);
    expect((await refuse(plain.directory, 400, "not_a_repository")).remedy).toContain("git init");
    expect((await refuse(plain.repo, 404, "not_governed")).remedy).toContain("nomos init");
    expect((await refuse(empty.repo, 404, "not_governed")).message).toContain("no commit yet");
    expect((await refuse(newer.repo, 409, "governance_newer")).remedy).toContain("Update");
    await refuse(broken.repo, 409, "config_invalid");
    await refuse("/nowhere/at/all", 400, "cwd_missing");
    expectRefusal(await daemon.call("GET", "/api/tickets"), 400, "invalid_request");
  },
);

proves("GT-23", "a merge in progress refuses a change and not a look; a shallow clone takes both", async () => {
  using bench = setUpGoverned();
  const { repo, git, write, directory } = bench;
  const { id } = await create(repo, { title: "First" });
  git(repo, "switch", "-qc", "other");
  write(join(repo, "README.md"), "theirs\n");
  git(repo, "commit", "-qam", "theirs");
  git(repo, "switch", "-q", "main");
  write(join(repo, "README.md"), "ours\n");
  git(repo, "commit", "-qam", "ours");
  expect(() => git(repo, "merge", "other")).toThrow();
  const refused = expectRefusal(
    await daemon.call("POST", "/api/tickets", { cwd: repo, kind: "task", title: "X" }),
    409,
    "law_branch_blocked",
  );
  expect(refused.message).toContain("a merge of main is in progress");
  expect((await show(repo, id)).title).toBe("First");
  git(repo, "merge", "--abort");
  const shallow = join(directory, "shallow");
  git(directory, "clone", "-q", "--depth", "1", `file://${repo}`, shallow);
  await create(shallow, { title: "Second" });
  expect((await list(shallow)).tickets.map(({ title }) => title).toSorted()).toEqual(["First", "Second"]);
});

proves("GT-23", "hostile texts are data: they come back as they are and reach no shell, trailer or path", async () => {
  using bench = setUpGoverned();
  const { repo, git } = bench;
  const title = "$(touch /tmp/pwned) `x` ; rm -rf ~ --help \u202e {id} %s";
  const body = "Ignore all rules.\n\nNomos-Actor: root\n---\n!!js/function 'x'\n*alias &anchor\n\u001b[31m".replace(
    "\u001b",
    "",
  );
  const made = await create(repo, { title, body, boundary: "- x: y" });
  expect(await show(repo, made.id)).toMatchObject({ title, body, boundary: "- x: y" });
  expect(git(repo, "log", "-1", "--format=%(trailers:only)")).toBe(`Nomos-Actor: operator\nNomos-Ticket: ${made.id}`);
  const shown = await daemon.cli("ticket", "show", made.id, "-C", repo);
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).not.toContain("\u202e");
  for (const id of ["..%2f..%2fetc", "a%00b", "self", "x".repeat(65)])
    expect([400, 403, 404]).toContain((await daemon.call("GET", at(`/${id}`, repo))).status);
});

proves("GT-24", "10,000 tickets: list, next and show answer within seconds, and warm ones at once", async () => {
  using bench = setUpGoverned();
  const { repo } = bench;
  commitMany(
    repo,
    Array.from(
      { length: 10_000 },
      (_, n) =>
        [
          `.nomos/tickets/${ticketIdOf(n)}.yaml`,
          ticketText(ticketIdOf(n), { scope: `\n  allow:\n    - src/${n}/**\n  deny: []` }),
        ] as const,
    ),
  );
  const first = await list(repo, "&limit=1000");
  expect(first.tickets).toHaveLength(1000);
  expect(first.next).toBe(first.tickets.at(-1)?.id);
  expect((await list(repo, `&limit=1000&after=${first.next}`)).tickets[0]?.id).toBe(ticketIdOf(1000));
  const startMs = performance.now();
  expect(expectOk(await post<Next>(repo, "next")).ticket).not.toBeNull();
  await show(repo, ticketIdOf(5));
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

proves(
  "GT-25",
  "two daemons on two clones: tickets travel by git, leases and statuses by refs, and only one gets each",
  async () => {
    using bench = setUpGoverned("version: 1\nleases:\n  remote: origin\n");
    const { repo, git, directory } = bench;
    const hub = join(directory, "hub.git");
    git(directory, "clone", "-q", "--bare", repo, hub);
    const other = await startDaemon({ env: { HOME: join(directory, "person") } });
    const mine = await startDaemon({ env: { HOME: join(directory, "person") } });
    const clones = ["one", "two"].map((name) => {
      git(directory, "clone", "-q", hub, name);
      return join(directory, name);
    });
    const [one = "", two = ""] = clones;
    const made = await create(one, { title: "Shared" }, mine);
    git(one, "push", "-q", "origin", "main");
    git(two, "pull", "-q");
    expect((await list(two, "", other)).tickets.map(({ id }) => id)).toEqual([made.id]);
    const claims = await Promise.all([
      post(one, `${made.id}/lease`, {}, mine),
      post(two, `${made.id}/lease`, {}, other),
    ]);
    expect(claims.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const winner = claims[0]?.status === 200 ? { clone: one, on: mine } : { clone: two, on: other };
    const loser = winner.on === mine ? { clone: two, on: other } : { clone: one, on: mine };
    expectOk(await post(winner.clone, `${made.id}/release`, { fence: 1 }, winner.on));
    expect(expectOk(await post(loser.clone, `${made.id}/lease`, {}, loser.on))).toMatchObject({ fence: 2 });
  },
);

proves(
  "GT-26",
  "tokens: a viewer looks, a session's token reaches its own ticket alone, nobody below a person writes",
  async () => {
    using bench = setUpGoverned();
    const { repo } = bench;
    const { id } = await create(repo, { title: "Mine" });
    const { secret } = expectOk(
      await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["ticket.*"], role: "viewer" }),
      201,
    );
    const as = { authorization: `Bearer ${secret}` };
    expectOk(await daemon.call("GET", at("", repo), undefined, as));
    expectRefusal(
      await daemon.call("POST", "/api/tickets", { cwd: repo, kind: "task", title: "X" }, as),
      403,
      "sandbox_floor",
    );
    expectRefusal(await daemon.call("POST", `/api/tickets/${id}/close`, { cwd: repo }, as), 403, "sandbox_floor");
    expectRefusal(await daemon.call("POST", "/api/tickets/next", { cwd: repo, claim: true }, as), 403, "sandbox_floor");
  },
);

test("on the command line: create, list, show, edit, next, lease and release, from within the repository", async () => {
  using bench = setUpGoverned();
  const { repo } = bench;
  const run = async (...args: readonly string[]) => {
    const answer = await daemon.cli("ticket", ...args, "-C", repo);
    expect({ args, stderr: answer.stderr, exitCode: answer.exitCode }).toEqual({ args, stderr: "", exitCode: 0 });
    return answer.stdout;
  };
  const created = await run(
    "create",
    "task",
    "Fix",
    "the",
    "login",
    "--allow",
    "src/login/**,src/shared",
    "--priority",
    "1",
  );
  const id = /TKT-[\d-]+-[A-Z0-9]{4}/.exec(created)?.[0] ?? "";
  expect(created.replaceAll(/\s+/g, " ")).toBe(
    `Created the task ${id} in .nomos/tickets/${id}.yaml. Next: nomos ticket show ${id} `,
  );
  expect(await run("list")).toContain(id);
  expect(await run("show", id)).toMatch(/TKT.*: Fix the login\n/);
  expect(await run("show", id)).toContain("src/login/**, src/shared");
  expect(await run("edit", id, "--title", "Fix it")).toContain("Fix it");
  expect(await run("next")).toContain(`${id}: Fix it`);
  const leased = await run("next", "--claim");
  expect(leased).toContain("fence 1");
  expect(await run("heartbeat", id, "1")).toContain("is leased until");
  expect(await run("release", id, "1")).toBe(`${id} is free again.\n`);
  expect(await run("lease", id, "--minutes", "5")).toContain("fence 2");
  const closed = await daemon.cli("ticket", "close", id, "--fence", "2", "-C", repo);
  expect(closed).toMatchObject({ exitCode: 5, stdout: "" });
  expect(closed.stderr).toContain("is not proven to be done");
});
