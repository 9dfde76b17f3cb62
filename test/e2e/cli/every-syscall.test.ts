import { execFileSync } from "node:child_process";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadEntries, SYSCALL_NAMES, type SyscallEntry } from "../../../src/client/index.ts";
import { type AnswerHere, runCliHere } from "../../support/cli-here.ts";
import { startCli, startDaemon } from "../../support/daemon.ts";

const ENTRIES: { readonly [name: string]: SyscallEntry } = Object.fromEntries(
  (await loadEntries(SYSCALL_NAMES)).map((entry) => [entry.name, entry]),
);
const EVERYDAY = join(import.meta.dirname, "../../fixtures/mcp-servers/everyday.ts");
const TEST_MAX_MS = 90_000;
const LOOKS_MAX = 500;
const LOOK_EVERY_MS = 20;

/** Values made by earlier calls, for later ones. */
type Made = { readonly [what: string]: string };

/** In the order of the calls: `$name` is replaced by what an earlier one made. */
const CALLS: readonly (readonly [syscall: string, args: string, keep?: { readonly [what: string]: string }])[] = [
  ["driver.list", ""],
  ["driver.add", '{"id":"tiny","name":"Tiny","description":"","protocol":"acp","bin":"true"}'],
  ["driver.show", "tiny"],
  ["driver.remove", "tiny"],
  ["model.list", ""],
  ["model.add", "local --api ollama --model tiny"],
  ["model.default", "demo/script"],
  ["model.test", ""],
  ["model.update", "--reset"],
  ["model.remove", "local"],
  ["mcp-server.add", `every -- ${process.execPath} ${EVERYDAY}`],
  ["mcp-server.list", ""],
  ["mcp-server.test", "every"],
  ["doc.list", "", { page: "docs.0.path" }],
  ["doc.read", "$page"],
  ["ws.ticket", ""],
  ["dashboard.open", ""],
  ["dashboard.leave", ""],
  ["agent.list", ""],
  ["agent.create", "helper demo --name Helper"],
  ["agent.show", "helper"],
  ["agent.default", "helper"],
  ["agent.delete", "helper"],
  ["system.conformance", ""],
  ["workspace.add", "here . --label place"],
  ["workspace.use", "here"],
  ["workspace.list", ""],
  ["queue.list", ""],
  ["permission.explain", "operator session.read system"],
  ["session.start", "demo --label mine --ground ws://workspaces/here", { id: "id" }],
  ["session.delegates", "$id"],
  ["sandbox.explain", "$id"],
  ["sandbox.run", "true"],
  ["workspace.remove", "here"],
  ["session.list", "--only-alive"],
  ["session.show", "$id"],
  ["session.prompt", "$id say hello world", { turnId: "turnId" }],
  ["session.wait", "$id --turn-id $turnId"],
  ["session.events", "$id --limit 5 --order desc", { eventId: "events.0.id" }],
  ["session.output", "$id --last-n 5"],
  ["session.handoff", "$id"],
  ["session.offer", "$id"],
  ["session.configure", "$id"],
  ["session.siblings", "$id"],
  ["session.note", "$id a word to the others"],
  ["session.label", "$id another label"],
  ["session.rename", "$id another title"],
  ["session.search", "hello"],
  ["session.start", "nomos say hi --model demo/script", { ownId: "id" }],
  ["session.wait", "$ownId"],
  ["session.context", "$ownId"],
  ["session.replay", "$ownId"],
  ["session.compact", "$ownId the tests"],
  ["session.switch", "$ownId demo"],
  ["event.show", "$eventId"],
  ["audit.entries", "--types session.opened --limit 1"],
  ["audit.verify", ""],
  ["audit.checkpoint", ""],
  ["audit.proof", "$eventId"],
  ["audit.consistency", "1"],
  ["audit.tile", "0 0"],
  ["audit.agent", "demo --limit 3"],
  ["audit.export", ""],
  ["system.backup", ""],
  ["system.backups", "--limit 5"],
  ["system.activity", "--step 15"],
  ["system.log", "--limit 5"],
  ["artifact.write", "$id a.txt some text"],
  ["artifact.list", "$id"],
  ["artifact.read", "$id a.txt"],
  ["todo.replace", '$id --items [{"text":"x","status":"open"}]'],
  ["todo.show", "$id"],
  ["session.fork", "$id", { forkId: "id" }],
  ["session.mark", "$id $eventId a label"],
  ["session.marks", "$id"],
  ["session.rewind", "$id $eventId"],
  ["session.snapshot", "$id"],
  ["session.diff", "$id"],
  ["session.turns", "$id"],
  ["session.start", "demo --cwd repo --worktree", { treedId: "id" }],
  ["conflict.list", ""],
  ["worktree.list", "", { tree: "worktrees.0.id" }],
  ["worktree.show", "$tree"],
  ["session.prompt", "$treedId write kept.txt kept"],
  ["session.wait", "$treedId"],
  ["landing.draft", "$treedId"],
  ["session.land", "$treedId main --how squash", { landingId: "id" }],
  ["landing.wait", "$landingId"],
  ["landing.show", "$treedId"],
  ["landing.list", "--state landed"],
  ["landing.why", "$landingId"],
  ["session.why", "$treedId"],
  ["blame.file", "kept.txt --cwd repo"],
  ["fan-out.start", "write fan.txt x --agents demo,demo --cwd repo", { fanId: "id" }],
  ["fan-out.wait", "$fanId"],
  ["fan-out.show", "$fanId"],
  ["fan-out.watch", "$fanId"],
  ["fan-out.list", ""],
  ["fan-out.diff", "$fanId"],
  ["fan-out.land", "$fanId best", { fannedId: "landing.id" }],
  ["landing.wait", "$fannedId"],
  ["fan-out.drop", "$fanId"],
  ["ticket.create", "intent Log in --brain-dump x --cwd law", { intentId: "id" }],
  ["ticket.create", "task Ask for it --parent $intentId --cwd law", { ticketId: "id" }],
  ["ticket.edit", "$ticketId --title Asked --cwd law"],
  ["ticket.plan", "plan.md --dry-run --cwd law"],
  ["ticket.list", "--cwd law"],
  ["ticket.show", "$ticketId --cwd law"],
  ["ticket.overlaps", "--cwd law"],
  ["ticket.check", "--cwd law"],
  ["ticket.next", "--cwd law"],
  ["ticket.lease", "$ticketId --cwd law", { fence: "fence" }],
  ["ticket.heartbeat", "$ticketId $fence --cwd law"],
  ["ticket.release", "$ticketId $fence --cwd law"],
  ["ticket.archive", "$ticketId not now --cwd law"],
  ["ticket.close", "$intentId --cwd law"],
  ["ticket.proof", "$intentId --cwd law"],
  ["session.prompt", "$treedId write more.txt more"],
  ["session.wait", "$treedId"],
  ["session.kill", "$treedId"],
  ["worktree.path", "$treedId"],
  ["worktree.apply", "$treedId"],
  ["worktree.gc", ""],
  ["worktree.attach", "$tree demo"],
  ["session.interrupt", "$id"],
  ["session.hibernate", "$id"],
  ["session.suspend", "$id a reason"],
  ["session.resume", "$id"],
  ["session.prompt", "$id ask really?", { askedId: "turnId" }],
  ["approval.list", "--status pending", { approvalId: "approvals.0.id" }],
  ["approval.show", "$approvalId"],
  ["tool.list", "$id --wait-ms 20000"],
  ["tool.call", '$id mcp__every__echo --arguments {"text":"hi"}'],
  ["mcp-server.remove", "every"],
  ["approval.approve", "$approvalId yes"],
  ["session.wait", "$id"],
  ["session.prompt", "$id ask again?"],
  ["approval.list", "--status pending", { approvalId: "approvals.0.id" }],
  ["approval.reject", "$approvalId no"],
  ["session.wait", "$id"],
  ["session.open", `${process.pid} --label outside`, { outsideId: "id" }],
  ["turn.begin", "$outsideId work to do", { outsideTurn: "turnId" }],
  ["turn.say", "$outsideId $outsideTurn some words"],
  ["event.add", '$outsideId --turn-id $outsideTurn --events [{"type":"note","payload":1}]', { noteId: "ids.0" }],
  ["turn.end", "$outsideId $outsideTurn --outcome completed"],
  ["session.erase", "$outsideId $noteId --reason test"],
  ["session.finish", "$outsideId --exit-code 0"],
  ["session.kill", "$forkId --reason done"],
  ["session.forget", "$forkId"],
  ["session.prune", "--label nobodys"],
  ["system.gc", "--max-age-days 0"],
  ["archive.read", "$outsideId --limit 5"],
  ["archive.verify", "$outsideId"],
  ["token.issue", "session.read", { tokenId: "tokenId" }],
  ["token.list", ""],
  ["token.revoke", "$tokenId"],
  ["secret.set", "EVERY --file value"],
  ["secret.list", ""],
  ["secret.show", "EVERY"],
  ["secret.bind", 'EVERY --bind [{"host":"a.example"}]'],
  ["secret.rotate", "EVERY --file value"],
  ["secret.import", "lines.env"],
  ["secret.plaintext", ""],
  ["secret.adopt", ""],
  ["secret.remove", "EVERY"],
  ["secret.unlock", ""],
  ["secret.rekey", "--to file"],
  ["secret.recover", "--discard"],
  ["secret.scan", ""],
  ["governance.scan", "--cwd repo"],
  ["governance.init", "--cwd repo"],
  ["governance.show", "--cwd repo"],
  ["governance.config", "--cwd repo"],
  ["governance.upgrade", "--cwd repo"],
  ["governance.gc", "--cwd repo"],
  ["ticket.create", "intent Work on it --brain-dump x --cwd repo", { workedId: "id" }],
  ["session.start", "demo say hello --ticket $workedId --cwd repo", { workId: "id" }],
  ["session.wait", "$workId"],
  ["session.drift", "$workId"],
  ["work.list", "--cwd repo"],
  ["work.drift", "--cwd repo"],
  ["session.amend", "$workId README.md --reason why"],
  ["session.handover", "$workId half of it is done"],
  ["governance.list", ""],
  ["governance.deinit", "--cwd repo --force"],
  ["config.show", ""],
  ["config.explain", "turnTimeoutMs"],
  ["config.set", '--config {"turnTimeoutMs":90000}'],
  ["system.status", ""],
  ["system.metrics", ""],
  ["system.doctor", "--rebuild"],
  ["session.stream", "$outsideId"],
  ["system.shutdown", ""],
];

/** With as much of a law as tickets need. */
async function makeLaw(path: string): Promise<void> {
  makeRepository(path);
  await mkdir(join(path, ".nomos"));
  await writeFile(join(path, ".nomos", "config.yaml"), "version: 1\n");
  execFileSync("git", ["-C", path, "add", ".nomos"]);
  execFileSync("git", ["-C", path, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Law"]);
}

/** With a branch to land on. */
function makeRepository(path: string): void {
  execFileSync("git", ["init", "-q", "-b", "main", path]);
  const person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  execFileSync("git", ["-C", path, ...person, "commit", "-q", "--allow-empty", "-m", "Begin"]);
}

/**
 * Tested elsewhere: they need a blob's hash, an endless stream, a registry, an agent, a running turn, a worktree without
 * work, a link, a login page, or a queue of landings.
 */
const ELSEWHERE: readonly string[] = [
  ...["blob.read", "event.stream", "session.watch", "driver.install", "driver.check", "session.ask", "worktree.remove"],
  "dashboard.enter",
  "model.login",
  "mcp-server.login",
  ...["governance.build", "governance.check", "governance.compose", "governance.import", "governance.verify"],
  ...["landing.eject", "landing.hold", "landing.release", "landing.move"],
];

test(
  "every syscall can be called by its family and verb",
  async () => {
    const daemon = await startDaemon();
    const work = join(dirname(daemon.home), "work");
    await mkdir(work);
    const cwd = await realpath(work);
    makeRepository(join(cwd, "repo"));
    await makeLaw(join(cwd, "law"));
    await writeFile(join(cwd, "plan.md"), "* T1: Begin\n");
    await writeFile(join(cwd, "value"), "fake-value-of-every-syscall\n");
    await writeFile(join(cwd, "lines.env"), "LINE=fake-value-of-a-line\n");
    let made: Made = {};
    for (const [name, args, keep = {}] of CALLS) {
      const words = fill(args, made);
      const [family = "", verb = ""] = name.split(".");
      const call = () => runCliHere(family, [verb, ...words], daemon.home, { cwd });
      const { exitCode, stdout, stderr } = await untilThere(call, Object.values(keep));
      expect({ name, words, exitCode, stderr, stdout: exitCode === 0 ? "" : stdout }).toEqual({
        name,
        words,
        exitCode: 0,
        stderr: "",
        stdout: "",
      });
      if (ENTRIES[name]?.kind === "stream") continue;
      const output: unknown = JSON.parse(stdout);
      made = { ...made, ...Object.fromEntries(Object.entries(keep).map(([what, path]) => [what, pick(output, path)])) };
    }
    expect(new Set([...CALLS.map(([name]) => name), ...ELSEWHERE])).toEqual(new Set(Object.keys(ENTRIES)));
  },
  TEST_MAX_MS,
);

test("a blob is read by its hash, and the event stream prints events as they happen", async () => {
  const daemon = await startDaemon();
  const { id } = (await daemon.cli("run", "say x", "--json")).json<{ id: string }>();
  await daemon.cli("artifact", "write", id, "b.txt", "some bytes");
  const written = await daemon.cli("session", "events", id, "--types", "artifact.written", "--json");
  const blob = pick(JSON.parse(written.stdout), "events.0.data.blob");
  expect(await daemon.cli("blob", "read", blob)).toMatchObject({ exitCode: 0, stdout: "some bytes" });
  const child = startCli(["event", "stream", "--after", "0", "--json"], { home: daemon.home });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const first = await new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
  expect(JSON.parse(first.split("\n")[0] ?? "")).toMatchObject({
    event: "event",
    id: "1",
    data: { seq: 1, stream: "system" },
  });
  child.kill("SIGINT");
  expect(await exited).toBe(0);
});

/** A question comes a moment after its prompt, so the list is read until it is there. */
async function untilThere(call: () => Promise<AnswerHere>, paths: readonly string[]): Promise<AnswerHere> {
  for (let tries = 0; ; tries += 1) {
    const answer = await call();
    const isThere =
      answer.exitCode !== 0 || paths.every((path) => pick(JSON.parse(answer.stdout), path) !== "undefined");
    if (isThere || tries >= LOOKS_MAX) return answer;
    await sleep(LOOK_EVERY_MS);
  }
}

function fill(args: string, made: Made): readonly string[] {
  if (args === "") return [];
  return args.split(" ").map((word) => word.replace(/^\$(\w+)$/, (_whole, what: string) => made[what] ?? `no ${what}`));
}

/** `events.0.id` */
function pick(value: unknown, path: string): string {
  const found = path
    .split(".")
    .reduce<unknown>((at, key) => (at === null || at === undefined ? at : Reflect.get(Object(at), key)), value);
  return String(found);
}
