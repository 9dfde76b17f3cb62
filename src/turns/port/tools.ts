import { HostError, shellQuoted } from "../../host/index.ts";
import type { TurnEffects } from "../effects.ts";
import { commandResource } from "../permission/resources.ts";
import type { EffectLedger, EffectScene } from "./effect-ledger.ts";
import { recordOutput } from "./output-recorder.ts";
import { storeText } from "./texts.ts";

/** The tools that every driver has. An engine adds others with `effect`. */
export function createTools(scene: EffectScene, ledger: EffectLedger): Pick<TurnEffects, "run" | "write"> {
  const run: TurnEffects["run"] = (command, place = {}) => {
    const resource = commandResource(command);
    const order = { ...place, kind: "run", detail: { command }, resource, shown: command, redo: "ask" } as const;
    return ledger.effect(order, async ({ print }) => {
      await using process = scene.spawn(["sh", "-c", command], "none");
      const output = await recordOutput(process, { show: scene.show, record: print }, scene.clock);
      const { exitCode, signal, failure } = await process.exited;
      if (failure !== undefined) throw failure;
      return { exitCode, output, message: exitCode === null ? `ended by ${signal ?? "a signal"}` : null };
    });
  };

  const write: TurnEffects["write"] = async (path, text, place = {}) => {
    const call = scene.names.take(place);
    const inside = placeOf(path);
    if (inside === null) return ledger.deny("tool.write", `path/${path}`, ["path_outside"]);
    const body = await storeText(scene.committer.keeper(scene.sessionId, "course"), text);
    const about = { resource: `path/${inside}`, path: inside, shown: shellQuoted(inside) };
    const order = { ...place, kind: "write", detail: { path, ...body }, ...about, redo: "safe" } as const;
    const act = async () => {
      await scene.files.write(scene.cwd, path, text);
      return { exitCode: null, output: "", message: null };
    };
    return ledger.effect(order, act, call);
  };

  const placeOf = (path: string): string | null => {
    try {
      return scene.files.place(scene.cwd, path);
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "path_outside") return null;
      throw thrown;
    }
  };

  return { run, write };
}
