import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import {
  approvalsOf,
  ended,
  eventsOf,
  expectOk,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  start,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let home = "";
const SECRET = "sk-secret-0123456789abcdef";
const begin = () =>
  startDaemon({
    home,
    outlivesTest: true,
    env: { OPENAI_API_KEY: SECRET, MY_SECRET: SECRET, HTTPS_PROXY: `http://u:${SECRET}@127.0.0.1:9` },
  });
beforeAll(async () => {
  home = await newHome();
  await mkdir(join(home, "tools"), { recursive: true, mode: 0o700 });
  const tool = (name: string, code: string) => writeFile(join(home, "tools", `${name}.mjs`), code);
  await tool(
    "look",
    `import { readFile, readdir } from "node:fs/promises";
     export default { description: "looks around", async run({ path }, { cwd }) {
       const seen = async (what) => what.catch((thrown) => thrown.code ?? thrown.message);
       return JSON.stringify({
         cwd, env: process.env,
         home: await seen(readdir(${JSON.stringify(home)})),
         token: await seen(readFile(${JSON.stringify(join(home, "token"))}, "utf8")),
         outside: await seen(readFile(path, "utf8")),
         net: await seen(fetch("http://127.0.0.1:1/").then(() => "reached", (thrown) => thrown.cause?.code ?? thrown.message)),
       });
     } };`,
  );
  await tool("helped", 'import { word } from "./lib/words.mjs"; export default { description: "d", run: () => word };');
  await mkdir(join(home, "tools", "lib"));
  await writeFile(join(home, "tools", "lib", "words.mjs"), 'export const word = "from a file beside it";');
  await tool("broken", "export default {");
  daemon = await begin();
  expectOk(
    await daemon.call("PUT", "/api/config", {
      config: {
        policy: { rules: [{ id: "ask-helped", effect: "ask", verb: "tool.tool", resource: "**/tool/helped" }] },
      },
    }),
  );
});
afterAll(() => daemon[Symbol.asyncDispose]());

const open = (body: object = {}) => start(daemon, { adapter: "nomos", model: "demo/script", sandbox: "off", ...body });

async function resultsOf(id: string, turnId: string): Promise<readonly string[]> {
  await ended(daemon, id, turnId);
  const events = await eventsOf(daemon, id, `types=tool.ended&turnId=${turnId}`);
  return events.map(({ data }) => (data["output"] as { text: string }).text);
}
const play = async (id: string, script: string) => resultsOf(id, (await prompt(daemon, id, script)).turnId);

async function looked(sandbox: "off" | "strict") {
  const cwd = await newFolder();
  const outside = join(await newFolder(), "private.txt");
  await writeFile(outside, "private words");
  const { id } = await open({ sandbox, cwd });
  const [answer = "{}"] = await play(id, `call look ${JSON.stringify({ path: outside })}`);
  return { cwd, seen: JSON.parse(answer) as { cwd: string; env: Record<string, string>; [what: string]: unknown } };
}

proves(
  "UTL-4",
  "a tool's process has the session's directory, few variables, and nothing of the home but its folder",
  async () => {
    const { cwd, seen } = await looked("off");
    expect(seen.cwd).toBe(cwd);
    expect(seen["token"]).toMatch(/^E/);
    expect(JSON.stringify(seen["home"])).not.toContain("log.db");
    expect(JSON.stringify(seen.env)).not.toContain(SECRET);
    expect(Object.keys(seen.env).filter((name) => /TOKEN|KEY|SECRET|PROXY|NOMOS_(?:URL|HOME)/i.test(name))).toEqual([]);
  },
);

proves.skipIf(!needs("bwrap"))("UTL-4", "in a strict session a tool stays behind the session's walls", async () => {
  const { cwd, seen } = await looked("strict");
  expect(seen.cwd).toBe(cwd);
  expect(seen["outside"]).toMatch(/^E/);
  expect(seen["token"]).toMatch(/^E/);
  expect(seen["net"]).not.toBe("reached");
  expect(JSON.stringify(seen.env)).not.toContain(SECRET);
});

proves(
  "UTL-4",
  "the gate judges each call, a file beside a person's tool is loaded, and a broken file is named",
  async () => {
    const { id } = await open();
    const { turnId } = await prompt(daemon, id, "call helped");
    const asked = await pendingOf(daemon, id);
    expect(asked.action).toMatchObject({ verb: "tool.tool", resource: "tool/helped" });
    expectOk(await daemon.call("POST", `/api/approvals/${asked.id}/approve`, { option: "once" }));
    expect(await resultsOf(id, turnId)).toEqual(["from a file beside it"]);
    const notices = await eventsOf(daemon, id, "types=driver.noticed");
    expect(JSON.stringify(notices.map(({ data }) => data["title"]))).toContain("$NOMOS_HOME/tools/broken.mjs");
  },
);

proves(
  "UTL-2",
  "the question about a repository's file outlives the daemon; nothing of the file runs before the answer",
  async () => {
    const cwd = await newFolder();
    await mkdir(join(cwd, ".nomos", "tools"), { recursive: true });
    const trace = join(cwd, "ran.txt");
    const code = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(trace)}, "x");
    export default { description: "d", run: () => "ran" };`;
    await writeFile(join(cwd, ".nomos", "tools", "traced.mjs"), code);
    await symlink(join(home, "token"), join(cwd, ".nomos", "tools", "stolen.mjs"));
    const { id } = await open({ cwd });
    const { turnId } = await prompt(daemon, id, "call traced");
    const before = await pendingOf(daemon, id);
    expect(before.question).toMatch(/"\.nomos\/tools\/traced\.mjs" \(\d+ bytes, sha256 [0-9a-f]{64}\)/);
    expect(before.question).not.toContain("stolen");
    await daemon.kill9();
    daemon = await begin();
    const after = await pendingOf(daemon, id);
    expect(after.id).toBe(before.id);
    expect(existsSync(trace)).toBe(false);
    expectOk(await daemon.call("POST", `/api/approvals/${after.id}/approve`, {}));
    expect(await resultsOf(id, turnId)).toEqual(["ran"]);
    expect(await readFile(trace, "utf8")).toBe("xx");

    // A changed file is another question. It changes again while the person thinks: the bytes of the question run.
    const rewrite = (mark: string) =>
      writeFile(join(cwd, ".nomos", "tools", "traced.mjs"), code.replace('"x"', `"${mark}"`));
    await rewrite("y");
    const { turnId: changed } = await prompt(daemon, id, "call traced");
    const anew = await pendingOf(daemon, id);
    await rewrite("z");
    expectOk(await daemon.call("POST", `/api/approvals/${anew.id}/approve`, {}));
    expect(await resultsOf(id, changed)).toEqual(["ran"]);
    expect(await readFile(trace, "utf8")).toBe("xxyy");

    // The file changes while the daemon is down: the yes is for bytes that are gone.
    const { turnId: second } = await prompt(daemon, id, "call traced");
    const asked = await pendingOf(daemon, id);
    await daemon.kill9();
    await rewrite("WORSE");
    daemon = await begin();
    await daemon.call("POST", `/api/approvals/${asked.id}/approve`, {});
    expect(await answeredNo(id, second)).toBe(1);
    expect(await readFile(trace, "utf8")).not.toContain("WORSE");
  },
);

/** Answers every further question of the turn with no, and counts them. */
async function answeredNo(id: string, turnId: string): Promise<number> {
  const over = ended(daemon, id, turnId).then(() => true);
  for (let count = 0; ; ) {
    const asked = (await approvalsOf(daemon, id)).find(({ status }) => status === "pending");
    if (asked !== undefined && (await daemon.call("POST", `/api/approvals/${asked.id}/reject`, {})).status === 200)
      count += 1;
    if (await Promise.race([over, new Promise((resolve) => setTimeout(() => resolve(false), 50))])) return count;
  }
}
