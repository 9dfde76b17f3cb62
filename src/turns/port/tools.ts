import { createHash } from "node:crypto";
import { HostError, shellQuoted } from "../../host/index.ts";
import { LIMITS } from "../../kernel/index.ts";
import type { EffectResult, TurnEffects } from "../effects.ts";
import { refusedByScope } from "../permission/ground.ts";
import { commandResource } from "../permission/resources.ts";
import { shownDiff } from "../permission/shown-diff.ts";
import type { EffectLedger, EffectScene } from "./effect-ledger.ts";
import { recordOutput } from "./output-recorder.ts";
import { storeText } from "./texts.ts";

/** The tools that every driver has. An engine adds others with `effect`. */
export function createTools(scene: EffectScene, ledger: EffectLedger): Pick<TurnEffects, "run" | "write" | "remove"> {
  const run: TurnEffects["run"] = (command, place = {}) => {
    const resource = commandResource(command);
    const order = { ...place, kind: "run", detail: { command }, resource, shown: command, redo: "ask" } as const;
    const preview = async () => ({ command });
    return ledger.effect({ ...order, preview }, async ({ print }) => {
      await using process = scene.spawn(["sh", "-c", command], "none", await scene.commandVariables());
      const output = await recordOutput(
        process,
        { show: scene.show, record: print },
        scene.clock,
        scene.committer.redactor,
      );
      const { exitCode, signal, failure } = await process.exited;
      if (failure !== undefined) throw failure;
      return { exitCode, output, message: exitCode === null ? `ended by ${signal ?? "a signal"}` : null };
    });
  };

  const write: TurnEffects["write"] = async (path, text, { kind = "write", ifHash, ...place } = {}) => {
    const call = scene.names.take(place);
    const inside = placeOf(path);
    if (inside === null) return ledger.deny(`tool.${kind}`, `path/${path}`, ["path_outside"]);
    const body = await storeText(scene.committer.keeper(scene.sessionId, "course"), text);
    const about = { resource: `path/${inside}`, path: inside, shown: shellQuoted(inside) };
    const order = { ...place, kind, detail: { path, ...body }, ...about, redo: "safe" } as const;
    const act = async () => {
      await requireUnchanged(path, ifHash);
      await scene.files.write(scene.cwd, path, text);
      return { exitCode: null, output: "", message: null };
    };
    const preview = async () => ({ path: inside, diff: shownDiff(inside, await contentNow(path), text) });
    return amended(inside, text, await ledger.effect({ ...order, preview }, act, call));
  };

  const remove: TurnEffects["remove"] = async (path, { kind = "edit", ifHash, ...place } = {}) => {
    const call = scene.names.take(place);
    const inside = placeOf(path);
    if (inside === null) return ledger.deny(`tool.${kind}`, `path/${path}`, ["path_outside"]);
    const about = { resource: `path/${inside}`, path: inside, shown: `remove ${shellQuoted(inside)}` };
    const order = { ...place, kind, detail: { path, remove: true }, ...about, removes: true, redo: "safe" } as const;
    const act = async () => {
      await requireUnchanged(path, ifHash);
      await scene.files.remove(scene.cwd, path);
      return { exitCode: null, output: "", message: null };
    };
    const preview = async () => ({ path: inside, diff: shownDiff(inside, await contentNow(path), "") });
    return amended(inside, "", await ledger.effect({ ...order, preview }, act, call));
  };

  /** What did not happen because of the scope alone may be allowed by a person, from the next turn on. */
  const amended = async (path: string, after: string, result: EffectResult): Promise<EffectResult> => {
    if (result.outcome === "done" || scene.ground.scope === null) return result;
    const { widened = [] } = await scene.committer.sessionState(scene.sessionId);
    const refused = refusedByScope({ ...scene.ground, widened }, path);
    if (refused !== null) scene.refusedOutside(refused, shownDiff(path, await contentNow(path), after));
    return result;
  };

  /** Somebody else may have changed the file since it was read. */
  const requireUnchanged = async (path: string, ifHash: string | null | undefined): Promise<void> => {
    if (ifHash === undefined) return;
    const now = await scene.files.range(scene.cwd, path, 0, LIMITS.artifactBytes).catch(nullIfMissing);
    const hash = now === null ? null : createHash("sha256").update(now.bytes).digest("hex");
    if (hash === ifHash) return;
    const problem = ifHash === null ? "was created" : now === null ? "was removed" : "was changed";
    throw Object.assign(new Error(`${path} ${problem} by somebody else meanwhile; read it again`), {
      code: "file_changed",
    });
  };

  /** Null: there is no such file. Empty: there is something that cannot be shown. */
  const contentNow = async (path: string): Promise<string | null> => {
    try {
      return await scene.files.read(scene.cwd, path, SHOWN_BYTES_MAX);
    } catch (thrown) {
      if (thrown instanceof Error) return "code" in thrown && thrown.code === "ENOENT" ? null : "";
      throw thrown;
    }
  };

  const placeOf = (path: string): string | null => {
    try {
      return scene.files.place(scene.cwd, path);
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "path_outside") return null;
      throw thrown;
    }
  };

  return { run, write, remove };
}

const SHOWN_BYTES_MAX = 1_048_576;

function nullIfMissing(thrown: unknown): null {
  if (thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "file_missing"))
    return null;
  throw thrown;
}
