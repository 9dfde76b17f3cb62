import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type Answer, newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { filesOf } from "../support/landing-repository.ts";
import { proves } from "../support/proves.ts";
import { type Item, readStream } from "./support/stream-reader.ts";
import { expectOk, expectRefusal, PATIENCE } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Initialised {
  readonly root: string;
  readonly branch: string;
  readonly isNew: boolean;
  readonly files: readonly string[];
  readonly commit: string | null;
  readonly notices: readonly string[];
  readonly scan: { readonly checks: readonly { readonly argv: readonly string[] }[] };
}
interface Verified {
  readonly ok: boolean;
  readonly problems: readonly { readonly code: string; readonly file: string; readonly remedy: string }[];
}

const OWN = [
  ".gitattributes",
  ".gitignore",
  "CONSTITUTION.md",
  "config.yaml",
  "governance.lock.json",
  "policy.sealed.json",
].map((name) => `.nomos/${name}`);

let directory: string;
let person: string;
let daemon: TestDaemon;
beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "laws-")));
  person = join(directory, "person");
  mkdirSync(person);
  writeFileSync(
    join(person, ".gitconfig"),
    '[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  daemon = await startDaemon({ outlivesTest: true, env: { HOME: person } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: person, LC_ALL: "C" };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function repository(name: string, files: Readonly<Record<string, string>> = {}): string {
  const repo = join(directory, name);
  mkdirSync(repo);
  git(repo, "init", "-q");
  for (const [path, text] of Object.entries({ "README.md": "hello\n", ...files })) write(join(repo, path), text);
  git(repo, "add", "--all");
  git(repo, "commit", "-qm", "first");
  return repo;
}

function post<T = Initialised>(verb: string, cwd: string, body: object = {}): Promise<Answer<T>> {
  return daemon.call<T>("POST", `/api/governance/${verb}`, { cwd, ...body });
}
function get<T>(verb: string, cwd: string): Promise<Answer<T>> {
  return daemon.call<T>("GET", `/api/governance${verb}?cwd=${encodeURIComponent(cwd)}`);
}
const init = async (cwd: string, body: object = {}) => expectOk(await post("init", cwd, body));
const verify = async (cwd: string) => expectOk(await get<Verified>("/verify", cwd));
const check = async (cwd: string, verb: string, path: string) =>
  expectOk(await post<{ verdict: string; rules: string[] }>("check", cwd, { verb, path }));

proves(
  "GS-20",
  "a repository nobody here wrote: init, verify, ask and deinit over HTTP; then it is as before",
  async () => {
    const repo = join(directory, "hono");
    cpSync(join(import.meta.dirname, "../../node_modules/hono"), repo, { recursive: true, dereference: true });
    git(repo, "init", "-q");
    git(repo, "add", "--all");
    git(repo, "commit", "-qm", "first");
    const before = { files: filesOf(repo), status: git(repo, "status", "--porcelain"), refs: git(repo, "show-ref") };
    const dry = await init(repo, { dryRun: true });
    expect([...dry.files].sort()).toEqual(OWN);
    expect(filesOf(repo)).toEqual(before.files);
    const done = await init(repo);
    expect(done).toMatchObject({ root: repo, branch: "main", isNew: true, commit: git(repo, "rev-parse", "HEAD") });
    expect(done.scan.checks.length).toBeGreaterThan(0);
    expect(git(repo, "status", "--porcelain")).toBe("");
    expect(await init(repo)).toMatchObject({ isNew: false, files: [], commit: null });
    expect(git(repo, "rev-parse", "HEAD")).toBe(done.commit);
    expect(await verify(repo)).toMatchObject({ ok: true, problems: [] });
    for (const [verb, path, verdict] of [
      ["read", "package.json", "allow"],
      ["read", ".env.local", "deny"],
      ["read", "~/.ssh/id_ed25519", "deny"],
      ["write", ".nomos/CONSTITUTION.md", "deny"],
      ["write", ".git/config", "deny"],
      ["write", ".github/workflows/ci.yml", "deny"],
      ["delete", ".husky/pre-commit", "deny"],
      ["write", "package.json", "deny"],
      ["append", "../../outside", "deny"],
      ["frobnicate", "package.json", "deny"],
    ] as const)
      expect({ verb, path, ...(await check(repo, verb, path)) }).toMatchObject({ verb, path, verdict });
    expectOk(await post("deinit", repo));
    expect(git(repo, "show-ref").split(" ")[1]).toBe(before.refs.split(" ")[1]);
    expect({ files: filesOf(repo), status: git(repo, "status", "--porcelain") }).toEqual({
      files: before.files,
      status: before.status,
    });
    expectRefusal(await get("/verify", repo), 404, "not_governed");
  },
);

proves("GS-21", "what was done to a law is in the log: initialised, built, composed, removed", async () => {
  const repo = repository("recorded");
  await init(repo);
  await init(repo);
  const listed = expectOk(
    await daemon.call<{ repositories: { id: string; root: string; state: string }[] }>(
      "GET",
      "/api/governance/repositories",
    ),
  );
  const own = listed.repositories.find(({ root }) => root === repo);
  expect(own).toMatchObject({ state: "governed", branch: "main", mode: "tracked", problems: [] });
  appendFileSync(join(repo, ".nomos/CONSTITUTION.md"), "\nMore.\n");
  expectOk(await post("build", repo));
  expectOk(await post("compose", repo));
  expect(await verify(repo)).toMatchObject({ ok: true });
  git(repo, "commit", "-qam", "law");
  expectOk(await post("deinit", repo));
  const stream = await readStream(daemon, "/api/events?after=0");
  const isOwn = ({ data }: Item) => data["stream"] === `governed/${own?.id}`;
  const told = await stream.until("the removal", (item) => isOwn(item) && data(item) === "removed@1");
  expect(
    told
      .filter(isOwn)
      .map(data)
      .filter((type) => type !== "found@1"),
  ).toEqual([...["initialised@1", "built@1", "composed@1", "built@1", "composed@1", "removed@1"]]);
});

const data = (item: Item): string => String(item.data["type"]).replace("governance.", "");

proves(
  "GS-22",
  "every file of a law edited, cut off, emptied, deleted, swapped or linked: verify tells over HTTP",
  async () => {
    const repo = repository("tampered", { "package.json": '{"scripts":{"test":"node --test"}}' });
    await init(repo);
    const law = OWN.slice(2);
    for (const file of law)
      for (const [what, change] of Object.entries(TAMPERING)) {
        change(join(repo, file));
        const told = await verify(repo);
        expect({ file, what, ok: told.ok }).toEqual({ file, what, ok: false });
        for (const { remedy } of told.problems) expect(remedy).toMatch(/\w/);
        rmSync(join(repo, file), { force: true });
        git(repo, "checkout", "-q", "--", ".nomos");
      }
    expect(await verify(repo)).toMatchObject({ ok: true });
  },
);

const TAMPERING: Readonly<Record<string, (path: string) => void>> = {
  "one byte more": (path) => appendFileSync(path, " "),
  "one byte less": (path) => truncateSync(path, readFileSync(path).length - 1),
  "cut in half": (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2)),
  emptied: (path) => truncateSync(path, 0),
  deleted: (path) => rmSync(path),
  "one letter other": (path) => {
    const text = readFileSync(path, "utf8");
    const at = text.search(/[a-f][a-z]/);
    writeFileSync(path, `${text.slice(0, at)}z${text.slice(at + 1)}`);
  },
  "a link to the same bytes": (path) => {
    cpSync(path, `${path}.copy`);
    rmSync(path);
    symlinkSync(`${path}.copy`, path);
  },
};

proves("GS-22", "a clone without a daemon tells every committed edit, and starts none", async () => {
  const repo = repository("cloned");
  await init(repo);
  const home = await newHome();
  const offline = async (cwd: string) =>
    runCli(["governance", "verify", "--json"], { home, cwd, env: { HOME: person } });
  const clone = join(directory, "clone");
  git(directory, "clone", "-q", repo, clone);
  expect((await offline(clone)).exitCode).toBe(0);
  const good = git(clone, "rev-parse", "HEAD");
  for (const file of OWN.slice(2))
    for (const what of ["one letter other", "cut in half", "deleted"]) {
      TAMPERING[what]?.(join(clone, file));
      git(clone, "commit", "-qam", `${what}: ${file}`);
      const told = await offline(clone);
      expect({ file, what, exitCode: told.exitCode, ok: told.json<Verified>().ok }).toEqual({
        ...{ file, what, exitCode: 1, ok: false },
      });
      git(clone, "reset", "-q", "--hard", good);
    }
  expect(existsSync(join(home, "daemon.json"))).toBe(false);
});

proves("GS-23", "eight calls of init at once: one commit, and one law", async () => {
  const repo = repository("at-once");
  const all = await Promise.all(Array.from({ length: 8 }, () => post("init", repo)));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(all.filter(({ body }) => body.isNew)).toHaveLength(1);
  expect(git(repo, "rev-list", "--count", "HEAD")).toBe("2");
  expect(await verify(repo)).toMatchObject({ ok: true });
});

proves("GS-23", "names and files of the repository's own choice cannot become rules or commands", async () => {
  const name = "x``` `yaml nomos-policy` {id: EVIL}";
  const repo = repository(name, {
    "package.json": JSON.stringify({ scripts: { test: "x", "; rm -rf /": "x" }, name: "```yaml nomos-policy" }),
    "src/```yaml nomos-policy/a.ts": "",
    ".env.example": "",
    "a\n```/.env.example": "",
    "credentials.json": "{}",
  });
  await init(repo);
  const { rules } = expectOk(await get<{ rules: { id: string; checks: string[][] }[] }>("", repo));
  expect(rules.map(({ id }) => id)).toEqual([
    "SEC-001",
    "GIT-001",
    "GOV-001",
    "CI-001",
    "HOOK-001",
    "LEASE-001",
    "CHECK-001",
  ]);
  expect(rules.at(-1)?.checks).toEqual([["npm", "test"]]);
  expect(await verify(repo)).toMatchObject({ ok: true });
  expect(await check(repo, "read", ".env.example")).toMatchObject({ verdict: "allow" });
  expect(await check(repo, "read", "credentials.json")).toMatchObject({ verdict: "deny" });
});

proves(
  "GS-24",
  "`nomos init` and `nomos deinit`: words for people, a hook's own words, and nothing left behind",
  async () => {
    const repo = repository("for-people", { "go.mod": "module x\n" });
    const cli = (...args: readonly string[]) => runCli(args, { home: daemon.home, cwd: repo, env: { HOME: person } });
    const hook = join(repo, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\necho 'the linter says no' >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const before = filesOf(repo);
    const refused = await cli("init");
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("the linter says no") });
    expect(filesOf(repo)).toEqual(before);
    rmSync(hook);
    const told = await cli("init", "--dry-run");
    expect(told.stdout).toMatch(/would get a law: 6 files[\s\S]*go \(50 %\)[\s\S]*Nothing was written/);
    const staged = await cli("init", "--no-commit");
    expect(staged.stdout).toContain("staged");
    expect(git(repo, "status", "--porcelain").split("\n").sort()).toEqual(OWN.map((path) => `A  ${path}`));
    expect((await cli("init")).stdout).toMatch(/has a law: 6 files in .nomos, committed on main as [0-9a-f]{8}/);
    expect((await cli("init")).stdout).toContain("nothing was changed");
    expect((await cli("deinit")).exitCode).toBe(0);
    writeFileSync(hook, "#!/bin/sh\necho >> .nomos/CONSTITUTION.md\ngit add .nomos/CONSTITUTION.md\n");
    chmodSync(hook, 0o755);
    const rewritten = await cli("init");
    expect(rewritten.stdout).toMatch(/^-- {2}A hook rewrote .nomos\/CONSTITUTION.md/m);
    rmSync(hook);
    expect((await cli("deinit", "--force")).exitCode).toBe(0);
    expect((await cli("init")).stdout).not.toContain("A hook rewrote");
    const doctor = await cli("doctor");
    for (const row of ["scaffold", "config", "law", "tickets", "tracking", "liveness"])
      expect(doctor.stdout).toMatch(new RegExp(`^ok  ${row} `, "m"));
    expect((await cli("deinit", "--dry-run")).stdout).toContain("Nothing was removed");
    mkdirSync(join(repo, "below"));
    const below = await runCli(["deinit"], { home: daemon.home, cwd: join(repo, "below"), env: { HOME: person } });
    expect(below.stdout).toContain(`${repo} has no law any more`);
    expect((await cli("init")).exitCode).toBe(0);
    expect((await cli("deinit")).stdout).toMatch(/has no law any more: 6 files, 0 refs, committed as/);
    expect(git(repo, "status", "--porcelain")).toBe("");
    expect((await cli("deinit")).exitCode).toBe(4);
  },
);

proves(
  "GS-25",
  "a session in a repository without a law: it is offered once, and never where there is one",
  async () => {
    const repo = repository("offered");
    const start = async (cwd: string) =>
      expectOk(
        await daemon.call<{ id: string; notice?: string }>("POST", "/sessions/agent", { adapter: "demo", cwd }),
        201,
      );
    const first = await start(repo);
    expect(first.notice).toContain("nomos init");
    mkdirSync(join(repo, "below"));
    expect((await start(join(repo, "below"))).notice ?? "").not.toContain("nomos init");
    const governed = repository("governed");
    expect((await init(governed)).notices).toContainEqual(expect.stringContaining("No checks were found"));
    expect(await start(governed)).not.toHaveProperty("notice");
    expect(await start(person)).not.toHaveProperty("notice");
  },
);

proves("GS-26", "a law of ExoProtocol: imported, completed by init, and committed as one", async () => {
  const repo = repository("exo", {
    ".exo/CONSTITUTION.md":
      '# Law\n\n```yaml exo-policy\n{"id": "RULE-SEC-001", "type": "filesystem_deny", "patterns": ["**/.env*"], "actions": ["read", "write"], "message": "no"}\n```\n',
    ".exo/config.yaml": "version: 1\n",
  });
  expect((await init(repo, { dryRun: true })).notices).toContainEqual(expect.stringContaining("import"));
  expect(expectOk(await post<{ written: string[] }>("import", repo, { from: "exo" })).written).toContain(
    ".nomos/CONSTITUTION.md",
  );
  const done = await init(repo);
  expect(git(repo, "status", "--porcelain")).toBe("");
  expect(done.isNew).toBe(true);
  expect(await verify(repo)).toMatchObject({ ok: true });
  const { rules } = expectOk(await get<{ rules: { id: string }[] }>("", repo));
  expect(rules.map(({ id }) => id)).toContain("RULE-SEC-001");
});

proves(
  "GS-27",
  "a token without the person's rights: it asks about registered workspaces, and changes no law",
  async () => {
    const repo = repository("guarded");
    await init(repo);
    const { secret } = expectOk(
      await daemon.call<{ secret: string }>("POST", "/api/tokens", {
        capabilities: ["governance.read"],
        label: "viewer",
      }),
      201,
    );
    const headers = { authorization: `Bearer ${secret}` };
    const cwd = encodeURIComponent(repo);
    expectRefusal(await daemon.call("GET", `/api/governance?cwd=${cwd}`, undefined, headers), 400, "cwd_hidden");
    for (const verb of ["init", "deinit", "build", "compose", "upgrade", "gc"])
      expectRefusal(await daemon.call("POST", `/api/governance/${verb}`, { cwd: repo }, headers), 403, "denied");
    expect(git(repo, "status", "--porcelain")).toBe("");
  },
);
