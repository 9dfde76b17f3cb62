/**
 * `npm run test:agents -- [--all | --print] [--only name,...] [--verbs verb,...] [--cycles n] [--sandbox mode]
 * [--record]`:
 * installs real agents outside the repository and drives them through a real daemon, against a scripted model on
 * loopback.
 * An agent that cannot be installed fails the run. `--record` rewrites the table in docs/reference/agents.md.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installedAgent, packagesOf } from "./install.ts";
import { RECIPES, type Recipe, recipeOf } from "./recipes.ts";

const ROOT = join(import.meta.dirname, "../..");

/** At once in one repository. */
const TOGETHER = ["claude", "codex", "opencode"];

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      all: { type: "boolean", default: false },
      print: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      verbs: { type: "string", default: "" },
      record: { type: "boolean", default: false },
      cycles: { type: "string", default: "" },
      sandbox: { type: "string", default: "off" },
    },
  });
  const named = values.only.split(",").filter((name) => name !== "");
  const chosen = named.length > 0 ? named.map(recipeOf) : RECIPES.filter((recipe) => isWanted(recipe, values));
  const isChosen = (one: string): boolean => chosen.some(({ slug }) => slug === one);
  for (const { slug } of chosen) {
    const startMs = performance.now();
    console.log(`${slug}: ${packagesOf(slug).join(" ")}`);
    await installedAgent(slug);
    console.log(`${slug}: there after ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  }
  const env = {
    ...process.env,
    NOMOS_TEST_AGENTS: "1",
    NOMOS_AGENTS_SANDBOX: values.sandbox,
    ...(values.record ? { NOMOS_AGENTS_RECORD: "1" } : {}),
    ...(values.cycles === "" ? {} : { NOMOS_AGENTS_CYCLES: values.cycles }),
  };
  const proofs = [...chosen.map(({ slug }) => slug), ...(TOGETHER.every((slug) => isChosen(slug)) ? ["together"] : [])];
  const files = proofs.map((name) => join("test/agents/proof", `${name}.test.ts`));
  const verbs = values.verbs === "" ? [] : ["-t", ` (${values.verbs.replaceAll(",", "|")}): `];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "agents", ...verbs, ...files];
  const exitCode = await node(args, env);
  if (values.record) {
    await node(["node_modules/@biomejs/biome/bin/biome", "format", "--write", "test/agents/results"], process.env);
    await node(["tools/docs.ts"], process.env);
  }
  return exitCode;
}

function isWanted({ always, writesIn }: Recipe, { all, print }: { readonly all: boolean; readonly print: boolean }) {
  if (all) return true;
  return print ? writesIn !== undefined : always;
}

async function node(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
  const [exitCode]: (number | null)[] = await once(child, "exit");
  return exitCode ?? 1;
}
