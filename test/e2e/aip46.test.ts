import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { storeEnvironment } from "../support/chosen-store.ts";
import { BIN, runCli, startDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { type Item, readStream } from "./support/stream-reader.ts";
import {
  eventually,
  expectOk,
  expectRefusal,
  idle,
  newFolder,
  PATIENCE,
  prompt,
  type Session,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const SUITE_MAX_MS = 240_000;

proves(
  "AIP-1",
  "every case of AIP-46 passes, except those where the daemon documents another behaviour",
  async () => {
    const daemon = await startDaemon();
    const { NOMOS_STORE = "" } = storeEnvironment(daemon.home);
    const restart = `NOMOS_HOME=${daemon.home} NOMOS_STORE='${NOMOS_STORE}' ${process.execPath} ${BIN} restart`;
    const args = ["conformance", "aip46", "--url", daemon.url, "--token", daemon.token, "--restart", restart, "--json"];
    const { exitCode, json } = await runCli(args, { home: join(daemon.home, "../other") });
    const { results } = json<{ results: { number: number; verdict: string; reason: string | null }[] }>();
    expect(results.filter(({ verdict }) => verdict === "fail" || verdict === "not run")).toEqual([]);
    expect(results.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(results.flatMap(({ number, verdict }) => (verdict === "deviates" ? [number] : []))).toEqual([19, 34]);
    expect(exitCode).toBe(0);
  },
  SUITE_MAX_MS,
);

proves("W1", "workspaces are added, changed, used and removed; the file beside the log shows the same", async () => {
  const daemon = await startDaemon();
  const [one, two] = [await newFolder(), await newFolder()];
  const file = async () => JSON.parse(await readFile(join(daemon.home, "workspaces.json"), "utf8"));
  expect(await file()).toEqual({ version: 1, active: null, workspaces: [] });
  const added = expectOk(await daemon.call("POST", "/api/workspaces", { slug: "one", path: one, label: "first" }), 201);
  expect(added).toMatchObject({ slug: "one", path: one, active: true, ground: "ws://workspaces/one" });
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "two", path: two }), 201);
  expectOk(await daemon.call("POST", "/api/workspaces/two/use"));
  expect(await file()).toMatchObject({
    active: "two",
    workspaces: [{ slug: "one", path: one, label: "first" }, { slug: "two" }],
  });
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "one", path: two }), 201);
  expectOk(await daemon.call("DELETE", "/api/workspaces/two"));
  const listed = expectOk(await daemon.call<{ workspaces: object[]; active: null }>("GET", "/api/workspaces"));
  expect(listed).toMatchObject({ active: null, workspaces: [{ slug: "one", path: two }] });
  await daemon.stop();
  const again = await startDaemon({ home: daemon.home });
  expect(expectOk(await again.call("GET", "/api/workspaces"))).toEqual(listed);
  expect(await file()).toMatchObject({ active: null, workspaces: [{ slug: "one", path: two }] });
});

proves("W1", "an invalid slug, a missing directory and the reserved name are refused", async () => {
  const daemon = await startDaemon();
  const path = await newFolder();
  const add = (slug: unknown, where: unknown = path) => daemon.call("POST", "/api/workspaces", { slug, path: where });
  for (const slug of ["../up", "..", "a/b", "A", "", "a b", "x".repeat(65), "a\\b", "%2e%2e", 5])
    expectRefusal(await add(slug), 400, "invalid_request");
  expectRefusal(await add("default"), 409, "workspace_reserved");
  expectRefusal(await add("w", join(path, "nowhere")), 400, "cwd_missing");
  expectRefusal(await add("w", "relative"), 400, "cwd_missing");
  expectRefusal(await daemon.call("POST", "/api/workspaces/nobody/use"), 404, "workspace_not_found");
  expectRefusal(await daemon.call("DELETE", "/api/workspaces/nobody"), 404, "workspace_not_found");
  expect(expectOk(await daemon.call("GET", "/api/workspaces"))).toEqual({ workspaces: [], active: null });
});

proves("W2", "a session works in its ground: inside the workspace, never through a link that leads out", async () => {
  const daemon = await startDaemon();
  const [path, elsewhere] = [await newFolder(), await newFolder()];
  await mkdir(join(path, "sub"));
  await symlink(elsewhere, join(path, "out"));
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "w", path }), 201);
  const spawn = (body: object) =>
    daemon.call<Session & { warnings?: string[]; workspaceSlug: string; ground: string }>("POST", "/sessions/agent", {
      adapter: "demo",
      ...body,
    });
  expect(expectOk(await spawn({ ground: "ws://workspaces/w/sub" }), 201)).toMatchObject({
    cwd: join(path, "sub"),
    workspaceSlug: "w",
    ground: "ws://workspaces/w/sub",
  });
  expect(expectOk(await spawn({ cwd: join(path, "sub") }), 201)).toMatchObject({
    workspaceSlug: "w",
    ground: "ws://workspaces/w/sub",
  });
  expect(expectOk(await spawn({ cwd: elsewhere }), 201)).toMatchObject({
    workspaceSlug: "default",
    ground: "ws://workspaces/default",
  });
  const odd = expectOk(await spawn({ workspaceSlug: "../../etc" }), 201);
  expect(odd).toMatchObject({ workspaceSlug: "w", cwd: path, warnings: [expect.stringContaining("../../etc")] });
  expectRefusal(await spawn({ ground: "ws://workspaces/w/out" }), 403, "path_outside");
  expectRefusal(await spawn({ ground: "ws://workspaces/w/nowhere" }), 400, "cwd_missing");
  expectRefusal(await spawn({ ground: "ws://workspaces/nobody" }), 404, "workspace_not_found");
  for (const ground of [
    "ws://workspaces/w/../x",
    "ws://workspaces/",
    "/etc",
    "ws://workspaces/w//x",
    "ws://workspaces/w/%2e%2e",
    "ws://other/w",
  ])
    expectRefusal(await spawn({ ground }), 400, "invalid_ground");
  expectRefusal(await spawn({ ground: "ws://workspaces/w", cwd: path }), 400, "invalid_request");
  const issued = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["session.*"] });
  const guest = { authorization: `Bearer ${expectOk(issued, 201).secret}` };
  const asGuest = (cwd: string) => daemon.call("POST", "/sessions/agent", { adapter: "demo", cwd }, guest);
  expectRefusal(await asGuest(elsewhere), 403, "denied");
  expectRefusal(await asGuest(join(path, "out")), 403, "denied");
  expectOk(await daemon.call("DELETE", `/sessions/${Reflect.get(Object((await asGuest(path)).body), "id")}`));
  const listed = expectOk(
    await daemon.call<{ sessions: { workspaceSlug: string }[] }>("GET", "/sessions?workspaceSlug=w"),
  );
  expect(listed.sessions.map(({ workspaceSlug }) => workspaceSlug)).toEqual(["w", "w", "w"]);
});

proves(
  "S20",
  "a prompt of ten megabytes is 413 and leaves nothing behind, for a new or an existing session",
  async () => {
    const daemon = await startDaemon();
    const { id } = await start(daemon);
    await idle(daemon, id);
    const { head } = await show(daemon, id);
    const large = "x".repeat(10_000_000);
    expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: large }), 413, "payload_too_large");
    expectRefusal(
      await daemon.call("POST", "/sessions/agent", { adapter: "demo", prompt: large }),
      413,
      "payload_too_large",
    );
    expect(await show(daemon, id)).toMatchObject({ head, busy: false });
    expect(expectOk(await daemon.call<{ sessions: [] }>("GET", "/sessions")).sessions).toHaveLength(1);
  },
);

proves("H22", "a stream of lines only resumes by line ids; a stream of events only has no lines", async () => {
  const daemon = await startDaemon();
  const { id } = await start(daemon);
  for (const word of ["one", "two", "three"]) await turn(daemon, id, `say ${word}\nsay ${word} again`);
  const whole = await readStream(daemon, `/sessions/${id}/stream?show=lines`);
  const linesIn = (items: readonly Item[]) => items.filter(({ event }) => event === "line");
  await eventually("all lines", async () => linesIn(whole.items).length === 9);
  const lines = linesIn(whole.items);
  expect(new Set(whole.items.map(({ event }) => event))).toEqual(new Set(["status", "line"]));
  for (const [at, { id: cursor }] of lines.entries()) {
    if (cursor === null) continue;
    const rest = await readStream(daemon, `/sessions/${id}/stream?show=lines`, { "last-event-id": cursor });
    const wanted = lines.slice(at + 1).map(({ data }) => data["line"]);
    const found = () => linesIn(rest.items).map(({ data }) => data["line"]);
    await eventually("the rest", async () => found().length >= wanted.length);
    expect(found()).toEqual(wanted);
    rest.close();
  }
  const events = await readStream(daemon, `/sessions/${id}/stream?show=events`);
  await prompt(daemon, id, "say four");
  await events.until("the last turn", ({ data }) => Reflect.get(Object(data["data"]), "text") === "four");
  expect(new Set(events.items.map(({ event }) => event))).toEqual(new Set(["event"]));
});
