import { type Actor, compilePolicy, decideGate, type Policy, type Request, type Rule } from "../src/domains/index.ts";
import { type Benchmark, interleave, median, percentile, seededRandom } from "./harness.ts";

const RULES = 1000;
const VERBS = ["session.read", "session.kill", "tool.run", "tool.write", "tool.process", "audit.read"];
const OPERATOR: Actor = { principal: "operator", capabilities: ["*"], sessionId: null };

/** The time of one decision under a thousand rules, against one under a single rule. */
export const gateBenchmark: Benchmark = {
  name: "gate",
  run: async ({ quick }) => {
    const requests = requestsOf(quick ? 2000 : 20_000);
    const only: Rule = { id: "all", effect: "allow", verb: "*", resource: "**" };
    const samples = await interleave(quick ? 3 : 7, {
      one: decisions(compilePolicy(VERBS, [only]), requests),
      thousand: decisions(compilePolicy(VERBS, [only, ...rulesOf(RULES - 1)]), requests),
    });
    return [
      {
        name: "gate.1000",
        what: `p99 of one decision at ${RULES} rules`,
        unit: "us",
        value: median(samples.thousand.map((taken) => percentile(taken, 99))),
        baseline: { what: "p99 at 1 rule", value: median(samples.one.map((taken) => percentile(taken, 99))) },
        aim: { valueAtMost: 50 },
        details: { p50: median(samples.thousand.map((taken) => percentile(taken, 50))), requests: requests.length },
      },
    ];
  },
};

function decisions(policy: Policy, requests: readonly Request[]): () => Promise<readonly number[]> {
  return async () =>
    requests.map((request) => {
      const start = process.hrtime.bigint();
      decideGate(OPERATOR, request, policy);
      return Number(process.hrtime.bigint() - start) / 1000;
    });
}

/** Typical rules: named files, folders, file types anywhere, one session, and a family of verbs each. */
function rulesOf(count: number): readonly Rule[] {
  const random = seededRandom(11);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? only(from);
  const shapes = [
    (n: number) => `session/*/path/src/module-${n}/file-${n % 7}.ts`,
    (n: number) => `session/*/path/src/module-${n}/**`,
    (n: number) => `session/*/path/**/secret-${n % 50}.*`,
    (n: number) => `session/*/path/src/*/generated-${n % 90}/*`,
    (n: number) => `session/s${n}/**`,
  ];
  return Array.from({ length: count }, (_, n) => ({
    id: `r${n}`,
    effect: pick(["allow", "deny", "ask"] as const),
    verb: pick([...VERBS, "tool.*", "session.*"]),
    resource: pick(shapes)(n),
  }));
}

function requestsOf(count: number): readonly Request[] {
  const random = seededRandom(12);
  return Array.from({ length: count }, () => {
    const n = Math.floor(random() * RULES);
    const verb = VERBS[n % VERBS.length] ?? "tool.run";
    const resource = `session/s${n}/path/src/module-${n}/generated-${n % 90}/file-${n % 7}.ts`;
    return { verb, resource, tool: verb.startsWith("tool.") ? { policy: "auto" as const, granted: false } : null };
  });
}

function only<T>(from: readonly T[]): T {
  const [first] = from;
  if (first === undefined) throw new Error("nothing to pick from");
  return first;
}
