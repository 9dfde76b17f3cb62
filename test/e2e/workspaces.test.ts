import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { expectOk, expectRefusal, newFolder, PATIENCE, type Session } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves("W1", "an invalid slug, a missing directory and the reserved name are refused", async () => {
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

proves("W1", "workspaces are added, changed, used and removed; the file beside the log shows the same", async () => {
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
  daemon = await startDaemon({ home: daemon.home, outlivesTest: true });
  expect(expectOk(await daemon.call("GET", "/api/workspaces"))).toEqual(listed);
  expect(await file()).toMatchObject({ active: null, workspaces: [{ slug: "one", path: two }] });
  expectOk(await daemon.call("DELETE", "/api/workspaces/one"));
});

proves("W2", "a session works in its ground: inside the workspace, never through a link that leads out", async () => {
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
