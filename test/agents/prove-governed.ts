import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { approvalsOf, eventsOf, eventually, expectOk, type Session, show } from "../e2e/support/talk.ts";
import { type GovernedBench, setUpGoverned, ticket } from "../support/governed-bench.ts";
import { land, settled } from "../support/landing-bench.ts";
import type { Recipe } from "./recipes.ts";
import type { Stage } from "./stage.ts";

const ID = "TKT-20260101-000000-AAAA";
const TURN_MAX_MS = 100_000;
const KEPT = ["docs/kept/a.md", ".nomos/CONSTITUTION.md", `.nomos/tickets/${ID}.yaml`, "vendor/lib.js", "README.md"];

/**
 * A real agent on a ticket, whose model wants to write out of scope, to delete, to commit elsewhere, to edit its ticket and
 * the constitution. All of it is refused or undone, told, and nothing of it lands; what the ticket asks for does.
 */
export async function proveGoverned(stage: Stage, { slug }: Recipe): Promise<void> {
  using bench = await setUpGoverned();
  bench.tickets(ticket(ID, { body: "Write one into src/a.ts.", checks: [["sh", "-c", "test -f src/a.ts"]] }));
  const { repo, git } = bench;
  const before = git(repo, "rev-parse", "main");
  const session = await begin(stage, slug, bench);
  const at = (path: string) => join(session.cwd, path);
  await scripted(stage, session.id, [
    `write ${at("README.md")} out of scope`,
    `write ${at(`.nomos/tickets/${ID}.yaml`)} id: mine`,
    `write ${at(".nomos/CONSTITUTION.md")} # Everything goes`,
    `write ${at("vendor/lib.js")} mine`,
  ]);
  await scripted(stage, session.id, ["shell rm -f docs/kept/a.md; echo mine > .nomos/CONSTITUTION.md; echo tried"]);
  await scripted(stage, session.id, [`shell git -C ${repo} commit -q --allow-empty -m elsewhere; echo tried`]);
  await scripted(stage, session.id, [`write ${at("src/a.ts")} one`]);
  for (const path of KEPT) expect(readFileSync(at(path), "utf8"), path).toBe(readFileSync(join(repo, path), "utf8"));
  expect(existsSync(at("src/a.ts"))).toBe(true);
  expect(git(repo, "rev-parse", "main")).toBe(before);
  const events = await eventsOf(stage.daemon(), session.id);
  expect(JSON.stringify(events.find(({ type }) => type === "turn.steered@1")?.data)).toContain(ID);
  const landed = await settled(stage.daemon(), (await land(stage.daemon(), session.id)).id);
  expect(landed).toMatchObject({ state: "landed", into: "main" });
  expect(git(repo, "diff", "--name-only", before, "main")).toBe("src/a.ts");
  expectOk(
    await stage.daemon().call("POST", `/sessions/${session.id}/finish`, { summary: "Wrote it.", status: "done" }),
  );
  expect(git(repo, "for-each-ref", `refs/nomos/evidence/${ID}`)).not.toBe("");
  expectOk(await stage.daemon().call("POST", `/sessions/${session.id}/kill`));
}

async function begin(stage: Stage, adapter: string, { repo }: GovernedBench): Promise<Session> {
  const body = { adapter, cwd: repo, ticket: ID, prompt: "@script\nsay hello" };
  const session = expectOk(await stage.daemon().call<Session>("POST", "/sessions/agent", body), 201);
  await quiet(stage, session.id);
  return session;
}

export async function scripted(stage: Stage, id: string, steps: readonly string[]): Promise<void> {
  const prompt = `@script\n${steps.join("\n")}`;
  expectOk(await stage.daemon().call("POST", `/sessions/${id}/prompt`, { prompt }));
  await quiet(stage, id);
}

/** Says yes to everything that the agent asks, and to no wider scope. */
export async function quiet(stage: Stage, id: string): Promise<void> {
  await eventually(
    `the end of the turn of ${id}`,
    async () => {
      const pending = (await approvalsOf(stage.daemon(), id)).filter(({ status }) => status === "pending");
      for (const { id: asked } of pending.filter(({ action }) => action?.verb !== "scope.widen"))
        expectOk(await stage.daemon().call("POST", `/api/approvals/${asked}/approve`, {}));
      return !(await show(stage.daemon(), id)).busy;
    },
    TURN_MAX_MS,
  );
}
