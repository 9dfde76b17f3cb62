import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { eventsOf, expectOk, expectSound, type Session } from "../e2e/support/talk.ts";
import { land, settled } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { quiet, scripted } from "./prove-governed.ts";
import { type Recipe, recipeOf } from "./recipes.ts";
import { type Stage, setStage } from "./stage.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_MS = 400_000;

interface Job {
  readonly slug: string;
  readonly title: string;
  readonly allow: readonly string[];
  /** What its model writes there, and what it wants to write where it may not. */
  readonly own: string;
  readonly outside: string;
}

/** The first two may change the same file; the third meets nobody. */
const JOBS: readonly Omit<Job, "slug">[] = [
  { title: "Tell of the house", allow: ["README.md", "docs/guide/**"], own: "docs/guide/house.md", outside: "LICENSE" },
  { title: "Tell of the words", allow: ["README.md", "GLOSSARY.md"], own: "GLOSSARY.md", outside: "docs/guide/x.md" },
  { title: "Add an example", allow: ["examples/**"], own: "examples/three.txt", outside: "src/kernel/index.ts" },
];

/** Three real agents at once on tickets of this very repository, two of which overlap. */
export function proveTogether(slugs: readonly string[]): void {
  let stage: Stage;
  beforeAll(async () => {
    const [first, ...others]: Recipe[] = slugs.map(recipeOf);
    if (first === undefined) throw new Error("no agent is named");
    stage = await setStage(first, ...others);
  }, MAX_MS);
  afterAll(() => stage?.[Symbol.asyncDispose]());
  proves(
    "GW-16",
    `${slugs.join(", ")}: at once on overlapping tickets of a real repository, each stays in its own and lands`,
    async () => {
      const repo = await realRepository(stage);
      const jobs = JOBS.map((job, at): Job => ({ ...job, slug: slugs[at] ?? "" }));
      const sessions = await Promise.all(jobs.map((job) => begin(stage, repo, job)));
      await Promise.all(sessions.map((session, at) => work(stage, session, jobs[at])));
      for (const [at, { outside, own }] of jobs.entries()) {
        const tree = sessions[at]?.cwd ?? "";
        expect(textAt(tree, outside), outside).toBe(textAt(repo, outside));
        expect(textAt(tree, own), own).toBe(`by ${jobs[at]?.slug}`);
      }
      // Whoever starts last is told of the others; the first two learn where they meet.
      const told = await Promise.all(sessions.map(({ id }) => noteOf(stage, id)));
      expect(told.filter((note) => note.includes("README.md")).length).toBeGreaterThan(0);
      for (const { id } of sessions) {
        const done = await settled(stage.daemon(), (await land(stage.daemon(), id)).id);
        expect(done).toMatchObject({ state: "landed", into: "main" });
        const body = { summary: "Done.", status: "done" };
        expectOk(await stage.daemon().call("POST", `/sessions/${id}/finish`, body));
      }
      const changed = git(repo, "diff", "--name-only", "base", "main").split("\n");
      expect(changed.filter((path) => !path.startsWith(".nomos/")).sort()).toEqual(jobs.map(({ own }) => own).sort());
      const law = await stage.daemon().call<{ ok: boolean }>("GET", `/api/governance/verify?cwd=${repo}`);
      expect(expectOk(law).ok).toBe(true);
      await expectSound(stage.daemon());
    },
    MAX_MS,
  );
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" }).trim();
}

const textAt = (root: string, path: string): string | null =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null;

/** A clone of this repository with a law, whose checks would take minutes and are left out. */
async function realRepository(stage: Stage): Promise<string> {
  const repo = join(await stage.folder(), "real");
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${ROOT}`, repo]);
  git(repo, "checkout", "--quiet", "-B", "main");
  git(repo, "config", "user.name", "Ada");
  git(repo, "config", "user.email", "ada@example.org");
  const call = (verb: string) => stage.daemon().call("POST", `/api/governance/${verb}`, { cwd: repo });
  expectOk(await call("init"));
  const page = join(repo, ".nomos/CONSTITUTION.md");
  writeFileSync(page, readFileSync(page, "utf8").replace(/```yaml nomos-policy\nid: CHECK-001\n[\s\S]*?```\n/, ""));
  for (const verb of ["build", "compose"]) expectOk(await call(verb));
  git(repo, "commit", "--quiet", "-am", "Run no checks here");
  git(repo, "tag", "base");
  return repo;
}

async function begin(stage: Stage, cwd: string, { slug, title, allow, own }: Job): Promise<Session> {
  const checks = [["sh", "-c", `test -f ${own}`]];
  const body = { cwd, kind: "task", title, scope: { allow, deny: [] }, checks };
  const ticket = expectOk(await stage.daemon().call<{ id: string }>("POST", "/api/tickets", body), 201);
  const start = { adapter: slug, cwd, ticket: ticket.id, prompt: "@script\nsay hello" };
  const session = expectOk(await stage.daemon().call<Session>("POST", "/sessions/agent", start), 201);
  await quiet(stage, session.id);
  return session;
}

async function work(stage: Stage, { id, cwd }: Session, job: Job | undefined): Promise<void> {
  const { slug = "", own = "", outside = "" } = job ?? {};
  const at = (path: string) => join(cwd, path);
  await scripted(stage, id, [`write ${at(outside)} mine`, `shell echo mine > ${at(outside)}; echo tried`]);
  await scripted(stage, id, [`shell printf 'by ${slug}' > ${at(own)}; echo wrote`]);
}

async function noteOf(stage: Stage, id: string): Promise<string> {
  const events = await eventsOf(stage.daemon(), id, "types=turn.steered");
  return JSON.stringify(events.map(({ data }) => data));
}
