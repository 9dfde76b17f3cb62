import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { type Registry, startRegistry } from "../support/npm-registry.ts";

const FAKE_AGENT = join(import.meta.dirname, "../../fixtures/fake-acp-agent.ts");
const SLUG = "npm-agent";
const NAME = "nomos-test-agent";
const TIMEOUT_MS = 60_000;

interface Checked {
  readonly ok: boolean;
  readonly version: string | null;
  readonly latest: readonly { slug: string; installed: string; latest: string; state: string; says: string }[];
  readonly page: string;
}

let registry: Registry;
let daemon: TestDaemon;
let place = "";
let source = "";

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "nomos-latest-"));
  source = (await transform(await readFile(FAKE_AGENT, "utf8"), { loader: "ts" })).code;
  registry = await startRegistry();
  await publish("1.0.0");
  daemon = await startDaemon({ outlivesTest: true, env: { npm_config_registry: registry.url, HOME: place } });
  const manifest = {
    ...{ id: SLUG, name: "Test agent", description: "An agent of the test's registry", protocol: "acp", bin: NAME },
    install: [{ method: "npm", packages: [`${NAME}@1.0.0`] }],
    version_check: { package: NAME, range: ">=1.0.0 <2.0.0" },
  };
  expect((await daemon.call("POST", "/api/drivers", { manifest: JSON.stringify(manifest) })).status).toBe(201);
  expect((await daemon.call("POST", `/api/drivers/${SLUG}/install`, {})).status).toBe(200);
}, TIMEOUT_MS);

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  await rm(place, { recursive: true, force: true });
});

/** A release that behaves, or one that is started with these flags. */
function publish(version: string, flags: readonly string[] = []): Promise<void> {
  const broken = `process.argv.push(${flags.map((flag) => JSON.stringify(flag)).join(", ")});\n`;
  // Its imports come first whatever stands before them.
  return registry.publish({ name: NAME, version, bin: { [NAME]: `${broken}${source}` } });
}

const check = (query: string) => daemon.call<Checked>("GET", `/api/drivers/${SLUG}/check?${query}`);

async function expectUntouched(): Promise<void> {
  expect((await check("")).body).toMatchObject({ ok: true, version: "1.0.0" });
  const left = [...(await readdir(join(daemon.home, "tmp"))), ...(await readdir(join(daemon.home, "workspaces")))];
  expect(left.filter((name) => name.includes("latest"))).toEqual([]);
}

describe("driver check --latest", () => {
  proves(
    "AG-29",
    "a newer release that works is said to work, and the installed one is as it was",
    async () => {
      await publish("1.1.0");
      const { status, body } = await check("latest=true");
      expect(status).toBe(200);
      expect(body).toMatchObject({ ok: true, version: "1.0.0" });
      expect(body.latest).toEqual([
        {
          ...{ slug: SLUG, package: NAME, installed: "1.0.0", latest: "1.1.0", state: "works", isSupported: true },
          says: "Introduces itself and opens a session.",
        },
      ]);
      await expectUntouched();
    },
    TIMEOUT_MS,
  );

  proves(
    "AG-29",
    "a newer release that breaks is said to fail, with its reason and its range, on the command line too",
    async () => {
      await publish("2.0.0", ["--die-in", "new"]);
      const file = join(place, "agents.md");
      const { exitCode, stdout, stderr } = await daemon.cli("driver", "check", SLUG, "--latest", "--write", file);
      expect({ exitCode, stderr: stderr.includes("rror") }).toEqual({ exitCode: 1, stderr: false });
      const row =
        /\| `npm-agent` \| `nomos-test-agent` \| 1\.0\.0 \| 2\.0\.0 \| fails \| .*dying in new.*Outside of the range/;
      expect(stdout).toMatch(/npm-agent.*2\.0\.0.*fails/);
      expect(stdout).toContain(`Written to ${file}.`);
      expect(await readFile(file, "utf8")).toMatch(row);
      await publish("2.1.0", ["--needs-login"]);
      const all = (await daemon.cli("driver", "check", "--latest", "--json")).json<Checked>();
      const own = all.latest.find(({ slug }) => slug === SLUG);
      expect(own).toMatchObject({ latest: "2.1.0", state: "works", says: expect.stringContaining("needs a login") });
      await expectUntouched();
    },
    TIMEOUT_MS,
  );

  proves("AG-29", "a page is written over an earlier page and over no other file", async () => {
    const mine = join(place, "mine.md");
    await writeFile(mine, "# My notes\n");
    for (const file of [mine, "relative.md", join(daemon.home, "page.md")]) {
      const refused = await check(`latest=true&write=${encodeURIComponent(file)}`);
      expect([refused.status, file]).toEqual([400, file]);
    }
    expect(await readFile(mine, "utf8")).toBe("# My notes\n");
    expect(existsSync(join(daemon.home, "page.md"))).toBe(false);
    expect((await daemon.call("GET", "/api/drivers/all/check")).status).toBe(400);
  });

  proves(
    "AG-29",
    "without a registry it says so in a sentence, and nothing is tried",
    async () => {
      await registry.stop();
      const { status, body } = await check("latest=true");
      expect(status).toBe(200);
      expect(body).toMatchObject({ ok: false, version: "1.0.0" });
      expect(body.latest).toMatchObject([
        { latest: null, state: "unknown", says: expect.stringContaining("registry cannot be reached") },
      ]);
      await expectUntouched();
    },
    TIMEOUT_MS,
  );
});
