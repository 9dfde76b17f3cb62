import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CompiledLaw, compileLaw, compileRules, judgeLaw } from "../src/domains/index.ts";
import { buildLaw, composeLaw } from "../src/governance/index.ts";
import { createGitRunner } from "../src/host/index.ts";
import type { ApiClient } from "./api-client.ts";
import { startDaemon } from "./daemon.ts";
import { type Bench, type Benchmark, type Figure, interleave, median, percentile, seededRandom } from "./harness.ts";

const RULES = 1000;
const RECORDS = 100_000;
const FEW_RECORDS = 1000;

/** One answer of the law: alone, and as a call on a daemon with a short and a long log. */
export const lawBenchmark: Benchmark = {
  name: "law",
  run: async (bench) => {
    const questions = questionsOf(bench.quick ? 500 : 20_000);
    const samples = await interleave(bench.quick ? 3 : 7, {
      one: answers(lawOf(1), questions),
      thousand: answers(lawOf(RULES), questions),
    });
    return [
      {
        name: "law.1000",
        what: `p99 of one answer at ${RULES} rules`,
        unit: "us",
        value: median(samples.thousand.map((taken) => percentile(taken, 99))),
        baseline: { what: "p99 at 1 rule", value: median(samples.one.map((taken) => percentile(taken, 99))) },
        aim: { valueAtMost: 1000 },
        details: { p50: median(samples.thousand.map((taken) => percentile(taken, 50))), questions: questions.length },
      },
      await recordsFigure(bench, questions.slice(0, bench.quick ? 200 : 2000)),
    ];
  },
};

interface Question {
  readonly verb: string;
  readonly path: string;
}

/** A check asks no log: with a hundred times the records it takes the same time. */
async function recordsFigure(
  { quick, scratch, homes, product }: Bench,
  questions: readonly Question[],
): Promise<Figure> {
  const repository = join(scratch, "law-repository");
  await plant(repository);
  const [few, many] = [await homes.history(FEW_RECORDS), await homes.history(quick ? RECORDS / 10 : RECORDS)];
  const program = await product();
  await using short = await startDaemon(program, few.home);
  await using long = await startDaemon(program, many.home);
  const samples = await interleave(quick ? 3 : 7, {
    few: calls(short.api, repository, questions),
    many: calls(long.api, repository, questions),
  });
  return {
    name: "law.records",
    what: `p99 of \`governance.check\` over HTTP at ${RULES} rules and ${many.events} events`,
    unit: "ms",
    value: median(samples.many.map((taken) => percentile(taken, 99))),
    baseline: {
      what: `the same at ${few.events} events`,
      value: median(samples.few.map((taken) => percentile(taken, 99))),
    },
    aim: { ratioAtMost: 1.5 },
    details: { p50: median(samples.many.map((taken) => percentile(taken, 50))), questions: questions.length },
  };
}

function calls(api: ApiClient, cwd: string, questions: readonly Question[]): () => Promise<readonly number[]> {
  return async () => {
    const taken: number[] = [];
    for (const question of questions) {
      const start = performance.now();
      await api.call("POST", "/api/governance/check", { cwd, ...question });
      taken.push(performance.now() - start);
    }
    return taken;
  };
}

function answers(law: CompiledLaw, questions: readonly Question[]): () => Promise<readonly number[]> {
  const rest = { resolved: null, ticket: null, hasLease: true, evidence: [] };
  return async () =>
    questions.map((question) => {
      const start = process.hrtime.bigint();
      judgeLaw(law, { ...question, ...rest });
      return Number(process.hrtime.bigint() - start) / 1000;
    });
}

function lawOf(count: number): CompiledLaw {
  const blocks = rulesOf(count).map((value) => ({ value, line: 1, dialect: "nomos" as const }));
  return compileLaw(compileRules(blocks).rules, { root: "/repository", home: "/home/ada" });
}

/** Typical rules: named files, folders, file types anywhere, places of the home. */
function rulesOf(count: number) {
  const random = seededRandom(19);
  const shapes = [
    (n: number) => `src/module-${n}/file-${n % 7}.ts`,
    (n: number) => `src/module-${n}/**`,
    (n: number) => `**/secret-${n % 50}.*`,
    (n: number) => `src/*/generated-${n % 90}/*`,
    (n: number) => `~/.config/program-${n}/**`,
  ];
  return Array.from({ length: count }, (_, n) => ({
    id: `RULE-${n}`,
    type: random() < 0.9 ? "filesystem_deny" : "filesystem_allow",
    patterns: shapes.map((shape) => shape(n)),
    actions: [["read"], ["write"], ["delete"], ["write", "delete"]][n % 4] ?? [],
    message: `Rule ${n} says no.`,
  }));
}

function questionsOf(count: number): readonly Question[] {
  const random = seededRandom(23);
  const at = (max: number): number => Math.floor(random() * max);
  return Array.from({ length: count }, () => ({
    verb: ["read", "write", "delete", "rename"][at(4)] ?? "read",
    path:
      [`src/module-${at(2000)}/file-${at(9)}.ts`, `packages/a/b/c/d/secret-${at(60)}.txt`, `docs/é-${at(99)}.md`][
        at(3)
      ] ?? "a",
  }));
}

async function plant(repository: string): Promise<void> {
  mkdirSync(join(repository, ".nomos"), { recursive: true });
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", repository, ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  const blocks = rulesOf(RULES).map((rule) => `\`\`\`yaml nomos-policy\n${JSON.stringify(rule)}\n\`\`\`\n`);
  writeFileSync(join(repository, ".nomos/CONSTITUTION.md"), blocks.join("\n"));
  const runner = createGitRunner(process.env);
  await buildLaw(runner, repository);
  await composeLaw(runner, repository, { signer: null, nowMs: Date.now() });
  git("add", "-A");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-qm", "law");
}
