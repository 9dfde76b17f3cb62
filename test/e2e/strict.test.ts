import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { CALLER, callAs } from "./support/caller.ts";
import { plantDriver } from "./support/driver-file.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  linesOf,
  newFolder,
  PATIENCE,
  type Session,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const provesWall = proves.skipIf(!needs("bwrap"));
const walled = (body: object = {}): Promise<Session> => start(daemon, { sandbox: "strict", ...body });
const outputOf = async (id: string): Promise<string> => (await linesOf(daemon, id)).join("\n");
const spawn = (body: object) => daemon.call<Session>("POST", "/sessions/agent", body);

describe.skipIf(!needs("bwrap"))("a strict session", () => {
  provesWall(
    "WL-1",
    "a strict session writes only in its directory, by command and by tool, and keeps its HOME",
    async () => {
      const cwd = await newFolder();
      const beside = join(dirname(cwd), "beside.txt");
      const session = await walled({ cwd });
      expect(session).toMatchObject({ sandbox: "strict" });
      const { id } = session;
      await turn(
        daemon,
        id,
        `write made.txt by tool\nrun echo kept > ~/note; echo x > ${beside}; cat ${daemon.home}/token; ls /root`,
      );
      expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("by tool");
      expect(existsSync(beside)).toBe(false);
      await turn(daemon, id, "run cat ~/note; cat made.txt");
      const said = await outputOf(id);
      expect(said).toContain("kept");
      expect(said).not.toContain(daemon.token);
      expect(said).not.toContain(".bashrc");
    },
  );

  provesWall("WL-1", "a file replaced by a link to the outside: the daemon does not write through it", async () => {
    const cwd = await newFolder();
    const outside = join(await newFolder(), "target.txt");
    await writeFile(outside, "untouched");
    const { id } = await walled({ cwd });
    await turn(
      daemon,
      id,
      `run ln -s ${outside} link.txt; ln -s ${dirname(outside)} folder\nwrite link.txt gotcha\nwrite folder/target.txt gotcha`,
    );
    expect(await readFile(outside, "utf8")).toBe("untouched");
  });

  provesWall(
    "WL-8",
    "a strict session reaches the daemon with its own token, and with no other token it got hold of",
    async () => {
      const { id } = await walled({ adapter: "script", file: await plantDriver(CALLER) });
      const issued = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["*"] });
      const stolen = [daemon.token, expectOk(issued, 201).secret];
      const answers = await callAs(daemon, id, [
        ["GET", `/sessions/${id}`],
        ["GET", "/health"],
        ...stolen.map((key) => ["GET", "/sessions", undefined, { authorization: `Bearer ${key}` }] as const),
        ["POST", "/api/shutdown", {}, { authorization: `Bearer ${daemon.token}` }],
      ]);
      expect(answers.map(([status]) => status)).toEqual([200, 200, 401, 401, 401]);
    },
  );

  provesWall(
    "WL-8",
    "a strict session does not reach the daemon by naming its port as a host, with any token",
    async () => {
      const port = new URL(daemon.url).port;
      const { id } = await walled({ network: { allow: [`127.0.0.1:${port}`, `localhost:${port}`] } });
      const ask = (host: string) =>
        `curl -sm5 -H 'Authorization: Bearer ${daemon.token}' http://${host}:${port}/sessions`;
      const proxied = `curl -sm5 --noproxy '' -x "$http_proxy" -H 'Authorization: Bearer ${daemon.token}' http://127.0.0.1:${port}/sessions`;
      await turn(daemon, id, `run ${ask("127.0.0.1")}; ${ask("localhost")}; ${proxied}; echo none`);
      const said = await outputOf(id);
      expect(said).toContain("none");
      expect(said).not.toContain("adapterSlug");
    },
  );

  provesWall("WL-5", "a strict session reaches the hosts of its network rules, and refusals are recorded", async () => {
    const model = createServer((_asked, answer) => answer.end("from the model"));
    await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
    const { port } = model.address() as AddressInfo;
    const { id } = await walled({ network: { allow: [`127.0.0.1:${port}`] } });
    await turn(
      daemon,
      id,
      `run curl -sm5 http://127.0.0.1:${port}/; curl -sm5 http://elsewhere.test/; curl -sm5 ${daemon.url}/health || echo none`,
    );
    model.close();
    const said = await outputOf(id);
    expect(said).toContain("from the model");
    expect(said).toContain("none");
    const denied = await eventually("the denial", async () =>
      (await eventsOf(daemon, id, "types=gate.denied")).find(({ data }) => data["verb"] === "network.connect"),
    );
    expect(denied.data).toMatchObject({ resource: "host/elsewhere.test:80", rules: ["network:not_allowed"] });
    const explained = expectOk(await daemon.call("GET", `/sessions/${id}/sandbox`));
    expect(explained).toMatchObject({
      mode: "strict",
      holds: true,
      network: { open: false, denied: [{ host: "elsewhere.test", port: 80, reason: "not_allowed", count: 1 }] },
    });
  });

  provesWall("WL-9", "a strict session cannot start a session with weaker walls", async () => {
    expectOk(await daemon.call("POST", "/api/agents", { slug: "boss", driver: "script", delegatesTo: ["demo"] }), 201);
    const file = await plantDriver(CALLER);
    const network = { allow: ["a.test", "b.test"] };
    const { id } = await walled({ adapter: "script", agent: "boss", file, network });
    const below = { adapter: "demo", agent: "demo" };
    const answers = await callAs(daemon, id, [
      ["POST", "/sessions/agent", below],
      ["POST", "/sessions/agent", { ...below, sandbox: "off" }],
      ["POST", "/sessions/agent", { ...below, network: { allow: ["a.test"] } }],
      ["POST", "/sessions/agent", { ...below, network: { allow: ["c.test"] } }],
    ]);
    expect(answers.map(([status]) => status)).toEqual([201, 201, 201, 403]);
    for (const [, child] of answers.slice(0, 3)) expect(child).toMatchObject({ sandbox: "strict" });
    using bench = setUpBench();
    const tree = await walled({ adapter: "script", agent: "boss", file, cwd: bench.repo, worktree: true });
    const [[status, inTree] = []] = await callAs(daemon, tree.id, [["POST", "/sessions/agent", below]]);
    expect([status, inTree]).toMatchObject([201, { cwd: tree.cwd, sandbox: "strict" }]);
  });

  provesWall(
    "WL-1",
    "a strict session in a system directory is refused, and so is a network list without walls",
    async () => {
      const cwd = await newFolder();
      expectRefusal(await spawn({ adapter: "demo", cwd, network: { allow: ["a.org"] } }), 409, "sandbox_unavailable");
      expectRefusal(
        await spawn({ adapter: "demo", cwd, sandbox: "strict", network: { allow: ["a b"] } }),
        400,
        "invalid_request",
      );
      for (const system of ["/usr", "/etc", "/"])
        expectRefusal(await spawn({ adapter: "demo", cwd: system, sandbox: "strict" }), 409, "sandbox_unavailable");
    },
  );

  provesWall(
    "WL-10",
    "a strict session has the person's login and a copy of the settings, and nothing else of HOME",
    async () => {
      const person = await newFolder();
      await mkdir(join(person, ".tiny"));
      await writeFile(join(person, ".tiny", "login"), "first");
      await writeFile(join(person, ".tiny", "settings"), "original");
      await writeFile(join(person, ".ssh-key"), "private");
      const script = join(await newFolder(), "agent.sh");
      const look = `cd ~; cat .tiny/login .tiny/settings .ssh-key 2>&1; echo second > .tiny/login; echo hooked > .tiny/settings`;
      await writeFile(script, `#!/bin/sh\n( ${look} ) | tr '\\n' ' ' >&2\nexit 3\n`, { mode: 0o755 });
      const manifest = {
        ...{ id: "tiny", name: "Tiny", description: "", protocol: "print", bin: "tiny" },
        print: { schema: "claude", args: [] },
        state: { login: [".tiny/login"], config: [".tiny/settings"] },
      };
      expectOk(await daemon.call("POST", "/api/drivers", { manifest: JSON.stringify(manifest) }), 201);
      expectOk(
        await daemon.call("PUT", "/api/config", { config: { drivers: { tiny: { command: script, home: person } } } }),
      );
      const { id } = await walled({ adapter: "tiny" });
      await turn(daemon, id, "look");
      const said = await outputOf(id);
      expect(said).toContain("firstoriginal");
      expect(said).not.toContain("private");
      expect(await readFile(join(person, ".tiny", "login"), "utf8")).toBe("second\n");
      expect(await readFile(join(person, ".tiny", "settings"), "utf8")).toBe("original");
    },
  );

  provesWall("WL-10", "a forgotten strict session leaves nothing behind", async () => {
    const { id } = await walled();
    await turn(daemon, id, "run true");
    const homes = join(daemon.home, "sandboxes");
    expect(readdirSync(homes)).toContain(id);
    expectOk(await daemon.call("DELETE", `/sessions/${id}`));
    await eventually("its home to go", async () => !readdirSync(homes).includes(id));
    expect(readdirSync(join(daemon.home, "doors"))).toEqual([]);
  });
});
