import { begin, type Scene, type Stage } from "../../e2e/engine/support/scenes.ts";
import { eventsOf, newFolder, prompt } from "../../e2e/support/talk.ts";

/** A session of the engine with a turn, and the model behind it. */
export interface Working extends Scene {
  readonly id: string;
  readonly cwd: string;
  readonly turnId: string;
}

export interface WorkOptions {
  readonly text?: string;
  readonly model?: "model" | "small";
  readonly agent?: string;
}

/** Starts a session with its own model, and its first turn. */
export async function work(
  stage: Stage,
  choose: Parameters<Scene["decide"]>[0],
  { text = "go", model = "model", ...body }: WorkOptions = {},
): Promise<Working> {
  const scene = stage.scene();
  scene.decide(choose);
  const cwd = await newFolder();
  const { id } = await begin(stage.daemon(), scene[model], { cwd, ...body });
  const { turnId } = await prompt(stage.daemon(), id, text);
  return { ...scene, id, cwd, turnId };
}

/** How many events of this family the session has. */
export async function countOf(stage: Stage, id: string, family: string): Promise<number> {
  const found = await eventsOf(stage.daemon(), id, `types=${family}`);
  return found.filter(({ type }) => type === `${family}@1`).length;
}
