import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { type Attempt, CALLER, callAs } from "./support/caller.ts";
import { plantDriver } from "./support/driver-file.ts";
import { processesWith, running } from "./support/processes.ts";
import {
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
  type Session,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** A session as an attacker: its processes may do anything, and must not reach the daemon or another session. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const walled = proves.skipIf(!needs("bwrap"));
const outputOf = async (id: string): Promise<string> => (await linesOf(daemon, id)).join("\n");
const driven = async (text: string, body: object = {}): Promise<Session> =>
  start(daemon, { adapter: "script", file: await plantDriver(text), ...body });
const saidIn = async (id: string): Promise<readonly string[]> =>
  (await eventsOf(daemon, id, "types=message.completed")).map(({ data }) => String(data["text"]));

/** Every known way to the token, in shell. */
const attempts = (home: string, pid: number): string =>
  [
    `cat ${home}/token`,
    `cat ${home}/../${basename(home)}/token`,
    `cd ${home} && cat token; cd /`,
    `ln -sf ${home}/token link.txt; cat link.txt; ln ${home}/token hard.txt; cat hard.txt`,
    `cp -r ${home} copy; cat copy/token`,
    `tar cf - ${home} | strings`,
    `cat /proc/${pid}/root${home}/token; cat /proc/1/root${home}/token; cat /proc/self/root${home}/token`,
    `for p in /proc/[0-9]*; do cat $p/environ $p/cmdline | tr '\\0' '\\n'; cat $p/root${home}/token; cat $p/cwd/token; done`,
    `for f in /proc/[0-9]*/fd/*; do case $(readlink $f) in *log.db*|*token*) head -c 100000 $f | strings;; esac; done`,
    `umount ${home}; umount -l ${home}; cat ${home}/token`,
    // Only the test's own home is mounted: without walls this must not harm the machine.
    `mkdir -p m; mount --bind ${home} m && cat m/token && umount m; mount -o remount,rw ${home}`,
    `unshare -m sh -c 'umount ${home}; cat ${home}/token'; unshare -Ur sh -c 'umount ${home}; cat ${home}/token'`,
    `nsenter -t 1 -m cat ${home}/token; nsenter -t ${pid} -m cat ${home}/token`,
    `for d in /dev/[svx]d[a-z]* /dev/nvme* /dev/root; do [ -b $d ] && debugfs -R 'cat ${home}/token' $d; done`,
    "mknod disk b 253 0 && strings disk | head -100",
    `find /tmp /root /home /var /run -xdev -name token -path '*nomos-home*' -exec cat {} +`,
    `grep -rsa nmo_ ${home} /proc/[0-9]*/environ /dev/shm 2>/dev/null`,
    "env; set",
  ].join("\n");

walled(
  "G1",
  "the home cannot be read from inside, by any path",
  async () => {
    const script = attempts(daemon.home, daemon.pid);
    const cwd = await newFolder();
    await writeFile(join(cwd, "attack.sh"), script);
    // The attack is real: outside a session the same script finds the token.
    const outside = spawnSync("sh", ["-c", `cat ${daemon.home}/token`], { encoding: "utf8" });
    expect(outside.stdout).toContain(daemon.token);
    const { id } = await start(daemon, { cwd });
    expect(await turn(daemon, id, "run timeout 20 sh attack.sh 2>&1; true")).toMatchObject({ outcome: "completed" });
    const outputs = await eventsOf(daemon, id, "types=effect.output");
    expect(outputs.length).toBeGreaterThan(0);
    for (const { data } of outputs) {
      const blob = data["blob"] === null ? "" : (await daemon.call("GET", `/api/blobs/${data["blob"]}`)).text;
      expect(`${String(data["text"])}${blob}`).not.toContain(daemon.token.slice(4));
    }
    const { id: script2 } = await driven(`import { execSync } from "node:child_process";
    export default async ({ say }) => {
      let seen = "";
      try { seen = execSync("timeout 20 sh ${cwd}/attack.sh 2>&1; true", { encoding: "utf8", maxBuffer: 1e9 }); } catch (error) { seen = String(error.stdout); }
      await say(String(seen.includes("${daemon.token.slice(4)}")));
    };`);
    await turn(daemon, script2, "go");
    expect(await saidIn(script2)).toEqual(["false"]);
  },
  90_000,
);

walled("G2", "the daemon cannot be signalled, traced or inspected from inside", async () => {
  const { id } = await start(daemon);
  const pid = daemon.pid;
  await turn(
    daemon,
    id,
    `run kill -9 ${pid}; kill -9 -- -${pid}; cat /proc/${pid}/environ /proc/${pid}/mem; strace -p ${pid}; echo tried`,
  );
  expect(expectOk(await daemon.call("GET", "/api/status"))).toMatchObject({ pid });
  expect(await turn(daemon, id, "say alive")).toMatchObject({ outcome: "completed" });
});

walled("G2", "from inside, the socket in the home cannot be reached, and the port only with a token", async () => {
  const { id } = await driven(`import { connect } from "node:net";
    export default async ({ say }) => {
      const socket = await new Promise((resolve) => {
        const one = connect(${JSON.stringify(join(daemon.home, "nomos.sock"))});
        one.on("connect", () => resolve("connected"));
        one.on("error", (error) => resolve(error.code));
      });
      const plain = await fetch(process.env.NOMOS_URL + "/sessions");
      const guess = await fetch(process.env.NOMOS_URL + "/sessions", { headers: { authorization: "Bearer nmo_" + "0".repeat(64) } });
      await say(JSON.stringify([socket, plain.status, guess.status]));
    };`);
  await turn(daemon, id, "go");
  const [socket, plain, guess] = JSON.parse((await saidIn(id))[0] ?? "[]");
  expect(socket).toBe("ENOENT");
  expect(plain).toBe(401);
  expect([401, 429]).toContain(guess);
});

walled("G3", "another session's processes can neither be seen nor ended", async () => {
  const victim = await start(daemon);
  const mark = `victim-${victim.id}`;
  await prompt(daemon, victim.id, `run : ${mark}; sleep 1000`);
  await running(mark);
  const attacker = await start(daemon);
  await turn(
    daemon,
    attacker.id,
    `run for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; done | grep -c "victi[m]-"; pkill -9 -f 'victi[m]-${victim.id}'; true`,
  );
  expect(await outputOf(attacker.id)).toMatch(/^0$/m);
  expect((await processesWith(mark)).length).toBeGreaterThan(0);
  expect(await show(daemon, victim.id)).toMatchObject({ state: "busy" });
  await daemon.call("POST", `/sessions/${victim.id}/kill`);
});

walled(
  "G4",
  "a command gets no token and no address of the home; only the driver gets its session's token",
  async () => {
    const { id } = await start(daemon);
    await turn(daemon, id, "run env");
    expect(await outputOf(id)).not.toMatch(/NOMOS_(TOKEN|HOME|URL)=|nst_|nmo_/);
    const script = await driven(`export default async ({ tools, say }) => {
    const own = process.env.NOMOS_TOKEN;
    const { output } = await tools.run("env; for p in /proc/[0-9]*; do tr '\\\\0' '\\\\n' < $p/environ; done");
    await say(JSON.stringify([own.startsWith("nst_"), output.includes(own), "NOMOS_HOME" in process.env]));
  };`);
    await turn(daemon, script.id, "go");
    expect(JSON.parse((await saidIn(script.id))[0] ?? "")).toEqual([true, false, false]);
  },
);

const callFrom = (id: string, calls: readonly Attempt[]) => callAs(daemon, id, calls);

/** Calls about the repository of a directory. */
const LAWFUL = /^\/api\/(?:governance|tickets|works|drift)/;
const QUERIES = [
  ["{principal}/explain", "?verb=session.read&resource=system"],
  ["/content", "?path=x"],
  ["/search", "?q=secret"],
  ["/consistency", "?from=0"],
  ["/blame", "?cwd=/tmp&path=x"],
] as const;

proves(
  "G5",
  "a session's token cannot act on another session, the system, or approvals",
  async () => {
    const victim = await start(daemon);
    await turn(daemon, victim.id, "say secret words");
    await prompt(daemon, victim.id, "ask May I?");
    const approval = await pendingOf(daemon, victim.id);
    const { id } = await driven(CALLER);
    const openApi = expectOk(
      await daemon.call<{ paths: Record<string, Record<string, { operationId: string }>> }>("GET", "/openapi.json"),
    );
    const body = {
      adapter: "demo",
      prompt: "run echo pwned",
      label: "pwned",
      reason: "x",
      capabilities: ["*"],
      config: {},
      items: [],
      slug: "evil",
      driver: "demo",
      to: victim.head,
      at: victim.head,
      path: "x",
      paths: ["x"],
      content: "y",
      input: "z",
      text: "t",
      title: "t",
      pid: 1,
      events: [{ type: "note", payload: 1 }],
      outcome: "completed",
      option: "yes",
      maxAgeDays: 0,
      question: "may I?",
      manifest: "{}",
      value: "of no use to anybody",
      bind: [],
      entries: [{ name: "EVIL", value: "of no use to anybody" }],
      discard: true,
      argv: ["true"],
      name: "evil",
      event: victim.head,
      before: victim.id,
      agents: ["demo", "demo"],
      session: victim.id,
      summary: "not mine",
    };
    const fill = (path: string, sessionId: string): string =>
      path
        .replace("{id}", sessionId)
        .replace("{approvalId}", approval.id)
        .replace("{turnId}", approval.turnId)
        .replace("{slug}", "demo")
        .replace("{name}", "evil")
        .replace("{principal}", "operator")
        .replace("{eventId}", victim.head ?? "")
        .replace("{tokenId}", approval.id)
        .replace("{sha256}", "0".repeat(64))
        .replace("{level}/{index}", "0/0");
    const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
    );
    const asked = operations.map(({ method, path }): Attempt => {
      const ofLaw = LAWFUL.test(path);
      const query = QUERIES.find(([end]) => path.endsWith(end))?.[1] ?? (ofLaw ? "?cwd=/tmp" : "");
      const sent =
        method === "GET" || method === "DELETE"
          ? null
          : {
              ...body,
              sandbox: undefined,
              ...(path.endsWith("switch") ? { agent: "demo" } : {}),
              ...(path.endsWith("rekey") ? { to: "file" } : {}),
              ...(path.startsWith("/api/models") ? { model: "demo/script" } : {}),
              events: path.endsWith("erase") ? [victim.head] : body.events,
              ...(path.endsWith("sandbox/run") ? { cwd: "/tmp" } : {}),
              ...(ofLaw
                ? { cwd: "/tmp", verb: "write", kind: "task", title: "x", fence: 1, text: "x", from: "exo" }
                : {}),
            };
      return [method, fill(path, victim.id) + query, sent];
    });
    const before = await eventsOf(daemon, victim.id);
    const answers = await callFrom(id, asked);
    expect(answers).toHaveLength(operations.length);
    const listed = operations.findIndex(({ operationId }) => operationId === "session.list");
    expect(answers[listed]).toEqual([200, expect.anything()]);
    expect(JSON.stringify(answers[listed])).not.toContain(victim.id);
    for (const [at, [status, answer]] of answers.entries())
      if (at !== listed)
        expect({ operation: operations[at]?.operationId, status, answer }).toMatchObject({ status: 403 });
    expect(JSON.stringify(answers)).not.toContain("secret words");
    expect(await eventsOf(daemon, victim.id)).toEqual(before);
    expect((await pendingOf(daemon, victim.id)).id).toBe(approval.id);
    await daemon.call("POST", `/sessions/${victim.id}/kill`);
  },
  60_000,
);

proves("G5", "an unknown session and another's session give a session the same answer", async () => {
  const victim = await start(daemon);
  const { id } = await driven(CALLER);
  const answers = await callFrom(id, [
    ["GET", `/sessions/${victim.id}`],
    ["GET", "/sessions/01a1dd00-0000-7000-8000-000000000000"],
    ["GET", `/sessions/${victim.name}`],
    ["GET", "/sessions/nobody-at-all-00"],
    ["GET", `/sessions/${victim.id.slice(0, -4)}`],
    ["GET", `/sessions/${id}/../${victim.id}`],
  ]);
  for (const [status, answer] of answers) expect({ status, answer }).toEqual({ status: 403, answer: answers[0]?.[1] });
});

proves("G6", "a session's token can read and report on its own session, and nothing more", async () => {
  const { id } = await driven(CALLER);
  await turn(daemon, id, "[]");
  const turnId = (await eventsOf(daemon, id, "types=turn.ended"))[0]?.data["turnId"];
  const [label, events, todo, artifact, show1, finish, kill, promptOwn, fork, rewind, ending, lying] = await callFrom(
    id,
    [
      ["POST", `/sessions/${id}/label`, { label: "mine" }],
      ["POST", `/sessions/${id}/events`, { events: [{ type: "note", payload: "own" }] }],
      ["PUT", `/sessions/${id}/todo`, { items: [{ text: "x", status: "open" }] }],
      ["POST", `/sessions/${id}/artifacts`, { path: "a", content: "b" }],
      ["GET", `/sessions/${id}`],
      ["POST", `/sessions/${id}/finish`, {}],
      ["POST", `/sessions/${id}/kill`, {}],
      ["POST", `/sessions/${id}/prompt`, { prompt: "x", queue: true }],
      ["POST", `/sessions/${id}/fork`, {}],
      ["POST", `/sessions/${id}/rewind`, { to: "x" }],
      ["POST", `/sessions/${id}/turns/${turnId}/end`, {}],
      ["POST", `/sessions/${id}/turns/${turnId}/messages`, { text: "into a turn that is over" }],
    ],
  );
  for (const answer of [label, events, todo, artifact, show1]) expect([200, 201]).toContain(answer?.[0]);
  for (const answer of [kill, promptOwn, fork, rewind]) expect(answer?.[0]).toBe(403);
  expect(finish?.[0]).toBe(400);
  expect([200, 400]).toContain(ending?.[0]);
  expect(lying?.[0]).toBe(409);
  expect(await show(daemon, id)).toMatchObject({ state: "idle", label: "mine" });
});

proves("G6", "the actor is the token's principal: names in body, query and headers change nothing", async () => {
  const victim = await start(daemon);
  await turn(daemon, victim.id, "say x");
  const { id } = await driven(CALLER);
  const forged = {
    actor: "operator",
    cause: "call:0:0",
    at: "1970-01-01T00:00:00.000Z",
    id: victim.id,
    stream: `session/${victim.id}`,
    seq: 1,
    version: 1,
  };
  const [first, second, third] = await callFrom(id, [
    [
      "POST",
      `/sessions/${id}/events?id=${victim.id}`,
      { ...forged, events: [{ ...forged, type: "note", payload: "mine" }] },
    ],
    ["POST", `/sessions/${id}/label`, { ...forged, label: "still mine" }],
    [
      "GET",
      `/sessions/${id}/events?id=${victim.id}&types=message.completed`,
      null,
      { "x-actor": "operator", "x-forwarded-for": "127.0.0.1" },
    ],
  ]);
  expect([first?.[0], second?.[0], third?.[0]]).toEqual([201, 200, 200]);
  const written = (await eventsOf(daemon, id)).filter(
    ({ type }) => type === "x.note@1" || type === "session.labelled@1",
  );
  expect(written).toHaveLength(2);
  for (const event of written)
    expect(event).toMatchObject({ actor: `session:${id}`, cause: null, stream: `session/${id}` });
  expect((await eventsOf(daemon, victim.id)).map(({ type }) => type)).not.toContain("x.note@1");
  const own = (await show(daemon, victim.id)).label;
  expect(own).toBeUndefined();
});

proves("G7", "a session cannot answer its own question", async () => {
  const { id } = await driven(`export default async ({ ask, say }) => {
    const asked = ask("May I?");
    const headers = { authorization: "Bearer " + process.env.NOMOS_TOKEN };
    const own = await fetch(process.env.NOMOS_URL + "/api/approvals", { headers });
    const events = await (await fetch(process.env.NOMOS_URL + "/sessions/" + process.env.NOMOS_SESSION_ID + "/events?types=approval.requested&limit=1000", { headers })).json();
    const approvalId = events.events.at(-1)?.data.approvalId;
    const answer = await fetch(process.env.NOMOS_URL + "/api/approvals/" + approvalId + "/approve", { method: "POST", headers });
    await say(JSON.stringify([typeof approvalId, own.status, answer.status]));
    await asked;
  };`);
  const { turnId } = await prompt(daemon, id, "go");
  const approval = await pendingOf(daemon, id);
  await eventually("its attempt", async () => (await saidIn(id)).length > 0);
  const [type, list, answer] = JSON.parse((await saidIn(id))[0] ?? "[]");
  expect([list, answer]).toEqual([403, 403]);
  expect(["string", "undefined"]).toContain(type);
  expect((await pendingOf(daemon, id)).id).toBe(approval.id);
  expectOk(await daemon.call("POST", `/api/approvals/${approval.id}/approve`, {}));
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
});

proves("G8", "a session's token is invalid once its process has ended", async () => {
  const { id } = await driven('export default async ({ say }) => say(process.env.NOMOS_TOKEN ?? "");');
  await turn(daemon, id, "go");
  const authorization = `Bearer ${(await saidIn(id))[0]}`;
  await eventually(
    "it is refused",
    async () => (await daemon.call("GET", `/sessions/${id}`, undefined, { authorization })).status === 401,
  );
  expectRefusal(await daemon.call("GET", `/sessions/${id}`, undefined, { authorization }), 401, "unauthorized");
});

proves("G9", "a write stays below the session's directory: no dots, no absolute path, no link leads out", async () => {
  const cwd = await newFolder();
  const outside = await newFolder();
  const { id } = await start(daemon, { cwd });
  const lines = [
    `write ../${basename(outside)}/dots.txt x`,
    `write ${outside}/absolute.txt x`,
    `write sub/../../${basename(outside)}/more-dots.txt x`,
    `run ln -s ${outside} way-out; ln -s ${outside}/file-link.txt file-link; mkdir deep; ln -s ../way-out deep/again`,
    "write way-out/linked.txt x",
    "write file-link x",
    "write deep/again/linked.txt x",
    "run ln -s way-out/new-folder dangling",
    "write dangling/x.txt x",
    "write /etc/nomos-was-here x",
    "write inside.txt fine",
    "say done",
  ];
  expect(await turn(daemon, id, lines.join("\n"))).toMatchObject({ outcome: "completed" });
  expect(await readFile(join(cwd, "inside.txt"), "utf8")).toBe("fine");
  expect(spawnSync("ls", ["-A", outside], { encoding: "utf8" }).stdout).toBe("");
  expect(existsSync("/etc/nomos-was-here")).toBe(false);
  expect(await eventsOf(daemon, id, "types=gate.denied")).toHaveLength(8);
});

proves(
  "G10",
  "a session replaces its directory by a link to the home: the daemon reads and writes nothing there for it",
  async () => {
    const base = await newFolder();
    const cwd = join(base, "work");
    await mkdir(cwd);
    const swap = `import fs from "node:fs";
    const cwd = ${JSON.stringify(cwd)}, home = ${JSON.stringify(daemon.home)};
    const out = () => { fs.renameSync(cwd, cwd + ".away"); fs.symlinkSync(home, cwd); };
    const back = () => { fs.rmSync(cwd); fs.renameSync(cwd + ".away", cwd); };`;
    const { id } = await driven(
      `${swap}
    export default async ({ tools, say }) => {
      const tried = [];
      const note = async (call) => { try { tried.push(JSON.stringify(await call())); } catch (error) { tried.push(error.code); } };
      out();
      await note(() => tools.read("token"));
      await note(() => tools.write("planted.txt", "x"));
      await note(() => tools.write("workspaces/planted.txt", "x"));
      back();
      fs.symlinkSync(home, cwd + "/inner");
      await note(() => tools.read("inner/token"));
      await note(() => tools.write("inner/planted.txt", "x"));
      await say(JSON.stringify(tried));
    };`,
      { cwd },
    );
    await turn(daemon, id, "go");
    const tried = (await saidIn(id))[0] ?? "";
    expect(tried).not.toContain(daemon.token);
    expect(tried).not.toContain('\\"done\\"');
    for (const planted of ["planted.txt", "workspaces/planted.txt"])
      expect(existsSync(join(daemon.home, planted))).toBe(false);
  },
);

proves(
  "G10",
  "a session swaps directories and links during the daemon's work: nothing of the home is reached",
  async () => {
    const base = await newFolder();
    const cwd = join(base, "work");
    await mkdir(join(cwd, "sub"), { recursive: true });
    const { id } = await driven(
      `import { spawn } from "node:child_process";
    const flip = \`cd ${base}; while true; do
      mv -T work/sub work/real 2>/dev/null; ln -s ${daemon.home} work/sub 2>/dev/null;
      rm -f work/sub 2>/dev/null; mv -T work/real work/sub 2>/dev/null;
      mv -T work away 2>/dev/null; ln -s ${daemon.home} work 2>/dev/null; rm -f work 2>/dev/null; mv -T away work 2>/dev/null;
    done\`;
    export default async ({ tools, say }) => {
      const flipper = spawn("sh", ["-c", flip], { cwd: "/", stdio: "ignore" });
      let leaked = 0, done = 0;
      const until = Date.now() + 4000;
      while (Date.now() < until) {
        await Promise.all(["token", "sub/token"].map((path) => tools.read(path).then((text) => { leaked += text.includes("nmo_") ? 1 : 0; }, () => undefined)));
        await Promise.all(["planted.txt", "sub/planted.txt"].map((path) => tools.write(path, "x").then(({ outcome }) => { done += outcome === "done" ? 1 : 0; }, () => undefined)));
      }
      flipper.kill("SIGKILL");
      await say(JSON.stringify({ leaked, wrote: done > 0 }));
    };`,
      { cwd },
    );
    await turn(daemon, id, "go");
    expect(JSON.parse((await saidIn(id))[0] ?? "{}")).toMatchObject({ leaked: 0 });
    expect(existsSync(join(daemon.home, "planted.txt"))).toBe(false);
    expectOk(await daemon.call("GET", "/api/status"));
  },
  60_000,
);

walled("G11", "a session replaces the home's parent directory: no more sessions start", async () => {
  const home = await newHome();
  const one = await startDaemon({ home });
  const parent = dirname(home);
  const stolen = `${parent}-stolen`;
  const { id } = await start(one);
  try {
    await turn(one, id, `run cd /; mv ${parent} ${stolen} && mkdir -p ${home} && echo moved`);
    const { turnId } = await prompt(one, id, `run cat ${stolen}/home/token ${stolen}/home/log.db`);
    await ended(one, id, turnId);
    const lines = (await linesOf(one, id)).join("\n");
    expect(lines).not.toContain(one.token);
  } finally {
    if ((await lstat(stolen).catch(() => null)) !== null) {
      await rm(parent, { recursive: true, force: true });
      await rename(stolen, parent);
    }
  }
  expect(await turn(one, id, "run echo works again")).toMatchObject({ outcome: "completed" });
  expect((await linesOf(one, id)).join("\n")).toContain("works again");
});
