import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EndedTurn, expectOk, start, turn } from "../e2e/support/talk.ts";
import { HOSTILE_COMMANDS, type HostileCommand } from "./hostile-commands.ts";
import type { Recipe } from "./recipes.ts";
import type { Stage } from "./stage.ts";

/** Lets a real agent run all hostile commands in strict sessions. Returns the names of those that got through. */
export async function hostileProblems(
  stage: Stage,
  recipe: Recipe,
  allowed: (id: string, text: string) => Promise<EndedTurn>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const hostile of HOSTILE_COMMANDS) {
    const problem = await tryOne(stage, recipe, hostile, allowed).catch((thrown: unknown) => String(thrown));
    if (problem !== null) problems.push(`${hostile.name}: ${problem}`);
  }
  return problems;
}

async function tryOne(
  stage: Stage,
  { slug, writesIn }: Recipe,
  { name, session, prepare, command, nextTurnAfterMs, restarts, problem }: HostileCommand,
  allowed: (id: string, text: string) => Promise<EndedTurn>,
): Promise<string | null> {
  const ground = await stage.folder();
  const outside = join(stage.root, `outside-${name}`);
  await mkdir(outside);
  await prepare?.({ cwd: ground, outside });
  const mode = writesIn === undefined ? {} : { mode: writesIn };
  const { id, cwd } = await start(stage.daemon(), {
    adapter: slug,
    cwd: ground,
    sandbox: "strict",
    ...mode,
    ...session,
  });
  await writeFile(join(cwd, "attack.sh"), command);
  await allowed(id, "@script\nshell sh attack.sh");
  if (nextTurnAfterMs !== undefined) {
    await sleep(nextTurnAfterMs);
    await turn(stage.daemon(), id, "@script\nsay next");
  }
  expectOk(await stage.daemon().call("POST", `/sessions/${id}/kill`));
  if (restarts === true) await stage.restart();
  return problem({ cwd, outside });
}
