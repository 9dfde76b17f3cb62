import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { REGISTRY_PASSWORD } from "./hostile-commands.ts";
import { agentsCache, installedAgent } from "./install.ts";
import { type ScriptedModel, startModel } from "./model/server.ts";
import type { Recipe } from "./recipes.ts";

/** Real agents, installed in a daemon's home as by `nomos driver install`, and their model. */
export interface Stage extends AsyncDisposable {
  readonly root: string;
  readonly model: ScriptedModel;
  readonly daemon: () => TestDaemon;
  readonly daemonPid: () => number;
  /** Kills the daemon like a power cut, and starts it on the same home. */
  readonly crash: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Wipes everything the agent kept in the person's home, and writes its settings again. */
  readonly forget: () => Promise<void>;
  /** A new directory for a session. */
  readonly folder: () => Promise<string>;
}

/** The person's home is that of the first agent; each further one keeps its state in a home of its own. */
export async function setStage(recipe: Recipe, ...others: readonly Recipe[]): Promise<Stage> {
  // Not below the machine's temp directory: some agents refuse to keep their state there.
  const stages = join(agentsCache(), "stages");
  await mkdir(stages, { recursive: true });
  const root = await realpath(await mkdtemp(join(stages, `${recipe.slug}-`)));
  const [home, person, tmp] = ["home", "person", "tmp"].map((name) => join(root, name));
  for (const folder of [join(home ?? "", "agents"), person ?? "", tmp ?? "", join(root, "work")])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  await using made = new AsyncDisposableStack();
  // Uses `rm`, because paths may be longer than Node can handle.
  made.defer(async () => void (await promisify(execFile)("rm", ["-rf", root])));
  const model = made.use(await startModel());
  const drivers: Record<string, object> = {};
  for (const [at, { slug, prepare }] of [recipe, ...others].entries()) {
    // Hard links: nothing is copied, and the agent cannot write to them.
    await promisify(execFile)("cp", ["-al", await installedAgent(slug), join(home ?? "", "agents", slug)]);
    const own = at === 0 ? (person ?? "") : join(root, `person-${slug}`);
    await mkdir(own, { recursive: true, mode: 0o700 });
    drivers[slug] = { env: await prepare(own, model.url), home: own };
  }
  const config = { drivers };
  await writeFile(join(home ?? "", "config.json"), JSON.stringify(config));
  const daemonEnv = {
    ...{ TMPDIR: tmp ?? "", HOME: person ?? "" },
    // Nothing listens there: sessions must not see this address.
    npm_config_registry: `http://person:${REGISTRY_PASSWORD}@127.0.0.1:9/`,
  };
  const start = () => startDaemon({ home: home ?? "", env: daemonEnv, outlivesTest: true });
  let daemon = await start();
  made.defer(() => daemon[Symbol.asyncDispose]());
  const kept = made.move();
  let folders = 0;
  return {
    root,
    model,
    daemon: () => daemon,
    daemonPid: () => daemon.pid,
    crash: async () => {
      await daemon.kill9();
      daemon = await start();
    },
    restart: async () => {
      await daemon.stop();
      daemon = await start();
    },
    forget: async () => {
      await rm(person ?? "", { recursive: true });
      await mkdir(person ?? "", { mode: 0o700 });
      await recipe.prepare(person ?? "", model.url);
    },
    folder: async () => {
      folders += 1;
      const folder = join(root, "work", String(folders));
      await mkdir(folder);
      return folder;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
