import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDouble } from "./conformance/aip46/double.ts";
import { startDaemon } from "./support/daemon.ts";
import { npxIn, type Printed, packInto, runIn, type Tarball } from "./support/packing.ts";
import { proves } from "./support/proves.ts";

const ROOT = join(import.meta.dirname, "..");
const PACKAGE = "packages/aip46-conformance";
const INSTALL_TIMEOUT_MS = 180_000;
/** No registry answers here: an install that wants to fetch anything fails. */
const OFFLINE = { npm_config_offline: "true", npm_config_registry: "http://127.0.0.1:1/" };

/** The package as a stranger gets it: packed from a copy of the tree, installed without a network into an empty folder. */
const place = { root: "", consumer: "", installed: "" };
let tarball: Tarball;

beforeAll(async () => {
  place.root = await realpath(await mkdtemp(join(tmpdir(), "nomos-pack-aip46-")));
  place.consumer = join(place.root, "consumer");
  place.installed = join(place.consumer, "node_modules", "aip46-conformance");
  const copy = join(place.root, "copy");
  for (const name of ["package.json", ".npmrc", "tools", PACKAGE])
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  tarball = await packInto(join(copy, PACKAGE), place.root, OFFLINE);
  await mkdir(place.consumer);
  await writeFile(join(place.consumer, "package.json"), '{ "private": true }\n');
  await runIn(place.consumer, "npm", ["install", "--no-audit", "--no-fund", tarball.path], OFFLINE);
}, INSTALL_TIMEOUT_MS);

afterAll(() => rm(place.root, { recursive: true, force: true }));

test("the tarball holds two programs, the README and the licence, and needs no other package", async () => {
  expect(tarball.files.toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "dist/cli.js",
    "dist/memory-agent.js",
    "package.json",
  ]);
  const manifest: object = JSON.parse(await readFile(join(place.installed, "package.json"), "utf8"));
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(await readFile(join(place.installed, "LICENSE"), "utf8")).toBe(await readFile(join(ROOT, "LICENSE"), "utf8"));
});

test("the installed package is sound by publint", async () => {
  const { messages } = await publint({ pkgDir: place.installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

proves(
  "AIP-3",
  "the installed package passes a server that does everything right, with no Nomos on the machine",
  async () => {
    await using double = await startDouble({ legacyFile: join(place.root, "sessions.json") });
    const ran = await suite("--url", double.url, "--token", double.token, "--case", "1,2,8,27,35,36", "--json");
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    const { ok, results } = JSON.parse(ran.stdout);
    expect(ok).toBe(true);
    expect(results).toHaveLength(6);
    for (const result of results) expect(result).toMatchObject({ verdict: "pass" });
  },
);

proves("AIP-3", "a server that gets two cases wrong: exit code 1, and the last lines name both cases", async () => {
  await using double = await startDouble({ faults: [2, 36] });
  const ran = await suite("--url", double.url, "--token", double.token, "--case", "1,2", "--case", "36");
  expect(ran.exitCode).toBe(1);
  const lines = ran.stdout.trimEnd().split("\n");
  expect(lines.at(-3)).toBe("AIP-46, 3 cases: 1 pass, 2 fail");
  expect(lines.at(-2)).toMatch(/^failed: case 2, a spawn answers 201 with the seven required members: /);
  expect(lines.at(-1)).toMatch(/^failed: case 36, the list is closed and goes by whom a name means: /);
});

proves(
  "AIP-3",
  "a server that answers every request with an escape sequence fails, and the sequence is not printed",
  async () => {
    const server = createServer((_request, response) => response.writeHead(418).end("\u001b[2Jteapot"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      const ran = await suite("--url", `http://127.0.0.1:${port}`, "--case", "1,2");
      expect(ran.exitCode).toBe(1);
      expect(ran.stdout).toContain("failed: case 2, ");
      expect(ran.stdout).toContain("teapot");
      expect(ran.stdout).not.toContain("\u001b");
    } finally {
      server.close();
    }
  },
);

proves(
  "AIP-3",
  "the installed package tests a running daemon, with its own agent for the cases about a process",
  async () => {
    const daemon = await startDaemon();
    const environment = { AIP46_TOKEN: daemon.token };
    const ran = await suiteWith(environment, "--url", daemon.url, "--case", "1,2,6,8,15,27,36");
    expect({ exitCode: ran.exitCode, last: ran.stdout.trimEnd().split("\n").at(-1) }).toEqual({
      exitCode: 0,
      last: "AIP-46, 7 cases: 7 pass",
    });
  },
);

test("wrong arguments end with 2, a server that does not answer with 3, and nothing was tested", async () => {
  for (const args of [[], ["--url", "nonsense"], ["--url", "http://127.0.0.1:1", "--case", "99"], ["--what"]])
    expect(await suite(...args)).toMatchObject({ exitCode: 2, stdout: "" });
  const ran = await suite("--url", "http://127.0.0.1:2");
  expect(ran).toMatchObject({ exitCode: 3, stdout: "" });
  expect(ran.stderr).toContain("The server at http://127.0.0.1:2 cannot be tested");
});

test("npx runs it by its name, and it says its version", async () => {
  const manifest: { readonly version: string } = JSON.parse(
    await readFile(join(ROOT, PACKAGE, "package.json"), "utf8"),
  );
  const { stdout } = await npxIn(place.consumer, ["aip46-conformance", "--version"], OFFLINE);
  expect(stdout).toBe(`${manifest.version}\n`);
});

interface Ran extends Printed {
  readonly exitCode: number;
}

function suite(...args: readonly string[]): Promise<Ran> {
  return suiteWith({}, ...args);
}

async function suiteWith(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ran> {
  const bin = join(place.consumer, "node_modules/.bin/aip46-conformance");
  return runIn(place.consumer, bin, args, environment).then(
    (printed) => ({ ...printed, exitCode: 0 }),
    (thrown: unknown) => {
      const { code, stdout, stderr } = Object(thrown);
      return { exitCode: Number(code), stdout: String(stdout), stderr: String(stderr) };
    },
  );
}
