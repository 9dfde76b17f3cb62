import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { installedAgent, packagesOf } from "../../test/agents/install.ts";
import type { Bench, Benchmark, Figure, Skipped } from "../harness.ts";
import type { Arena } from "./arena.ts";
import { bareContender } from "./bare.ts";
import type { Contender, ContenderName, Setting } from "./contender.ts";
import { measureFirstToken } from "./first-token.ts";
import { measureLongSession } from "./long-session.ts";
import { measureMemory } from "./memory.ts";
import { startModel } from "./model.ts";
import { nomosContender } from "./nomos.ts";
import { opencodeContender } from "./opencode.ts";
import { piContender } from "./pi.ts";
import { measureStart } from "./start.ts";
import { measureSteps, READS } from "./steps.ts";
import { measureStreaming } from "./streaming.ts";
import { layFiles } from "./task.ts";

const MAKERS = { pi: piContender, opencode: opencodeContender } as const;

interface Measurement {
  readonly name: string;
  readonly measure: (arena: Arena) => Promise<readonly Figure[]>;
}

const MEASUREMENTS: readonly Measurement[] = [
  { name: "steps", measure: measureSteps },
  { name: "first token", measure: measureFirstToken },
  { name: "start", measure: measureStart },
  { name: "memory", measure: measureMemory },
  { name: "streaming", measure: measureStreaming },
  { name: "long session", measure: measureLongSession },
];

/** Our engine against pi and opencode: the same scripted model, the same task. Runs only when named: it installs them. */
export const engineBenchmark: Benchmark = {
  name: "engine",
  run: async (bench) => {
    await using model = await startModel();
    const setting = settingOf(bench, model.url);
    const missing: string[] = [];
    const contenders: Contender[] = [bareContender(setting), nomosContender(setting)];
    for (const [name, make] of Object.entries(MAKERS))
      try {
        contenders.push(make(setting, await installedAgent(name)));
      } catch (cause) {
        // The cause stays out of the results: it can name hosts and paths of this machine.
        bench.say(`${name} cannot be installed: ${String(cause)}`);
        missing.push(`${packagesOf(name).join(" ")} needs npm, and a network in which it finds this package`);
      }
    let conversations = 0;
    const conversation = (): string => {
      conversations += 1;
      return `conversation-${conversations}`;
    };
    const figures: Figure[] = [];
    for (const { name, measure } of MEASUREMENTS) {
      const failed = new Set<ContenderName>();
      const drop: Arena["drop"] = (who, cause) => {
        bench.say(`${who} failed in ${name}: ${String(cause)}`);
        missing.push(`${who} failed in ${name}`);
        failed.add(who);
      };
      const taking = () => contenders.filter((contender) => !failed.has(contender.name));
      const arena: Arena = { bench, model, setting, contenders: taking, drop, conversation };
      const startMs = performance.now();
      try {
        figures.push(...(await measure(arena)));
      } catch (cause) {
        // What our engine does alone has no contenders to drop.
        drop("nomos", cause);
      }
      bench.say(`${name} took ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
    }
    return outcome(figures, missing);
  },
};

function outcome(figures: readonly Figure[], missing: readonly string[]): readonly Figure[] | Skipped {
  return missing.length === 0 ? figures : { skipped: missing.join("; "), figures };
}

function settingOf({ product, scratch }: Bench, modelUrl: string): Setting {
  const folder = (name: string): string => {
    const made = join(scratch, `engine-${name}`);
    mkdirSync(made, { recursive: true, mode: 0o700 });
    return made;
  };
  const cwd = folder("work");
  layFiles(cwd, READS);
  return { product, modelUrl, folder, cwd };
}
