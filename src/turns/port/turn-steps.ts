import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import { reachQuota, startStep } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { Recorder } from "../recorder.ts";
import type { Steer, TurnSteps } from "../steps.ts";
import type { MessageFrames } from "./message-frames.ts";
import { loadText } from "./texts.ts";

interface StepScene {
  readonly sessionId: string;
  readonly turnId: string;
  readonly store: Store;
  readonly committer: Recorder;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly frames: Pick<MessageFrames, "endWith">;
}

export function createTurnSteps(scene: StepScene): TurnSteps {
  const { sessionId, turnId, store, committer, clock, newId } = scene;
  const by = { actor: `session:${sessionId}` };
  return {
    beginStep: async (step, before) => {
      scene.frames.endWith(before);
      let waiting: NonNullable<Awaited<ReturnType<Recorder["sessionState"]>>["steers"]> = [];
      const { events } = await committer.session(
        sessionId,
        (state) => {
          waiting = step.purpose === "answer" ? (state.steers ?? []) : [];
          const steers = waiting.map(({ steerId }) => steerId);
          return startStep(state, { turnId, ...step, steers }, before);
        },
        by,
      );
      const loaded = async ({ steerId, text }: (typeof waiting)[number]): Promise<Steer> => ({
        steerId,
        text: await loadText(store, text),
      });
      const places = events.map(({ id, seq, at }) => ({ id, seq, at }));
      const at = places.at(-1);
      if (at === undefined) throw new NomosError("internal", { reason: "no step was started" });
      return { before: places.slice(0, -1), at, steers: await Promise.all(waiting.map(loaded)) };
    },
    isSteered: async () => (await committer.sessionState(sessionId)).steers !== undefined,
    park: async (waitMs, reason) => {
      const until = clock.iso(clock.nowMs() + Math.min(waitMs, PARK_MAX_MS));
      const quota = { turnId, until, reason, onReset: "resume", nextTurnId: newId() } as const;
      await committer.session(sessionId, (state) => reachQuota(state, quota), by);
    },
    load: (text) => loadText(store, text),
  };
}

/** A provider that asks for longer is asked again after this. */
const PARK_MAX_MS = 8 * 86_400_000;
