import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  admitTurnWith,
  askInTurn,
  configureDriver,
  type DriverSettings,
  type NewId,
  requestInterrupt,
  type SessionState,
  steerTurn,
} from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { OpeningDeps } from "../life/open-session.ts";
import { type GivenPrompt, isKept, keepPrompt } from "./given-prompt.ts";
import { interruptedIn, settleTurn } from "./interrupt-turn.ts";
import { refuseUnoffered } from "./offered-settings.ts";
import type { TurnRunner } from "./turn-runner.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Prompts and other input for a session from outside its turns. */
export interface Prompting {
  readonly prompt: (
    id: string,
    input: GivenPrompt & { readonly queue: boolean; readonly interrupt: boolean; readonly steer?: boolean },
    by: By,
  ) => Events;
  /** A question that the session puts to a person in its running turn. */
  readonly ask: (id: string, question: string, options: readonly string[], by: By) => Events;
  /** Settings of the session's agent, used from its next turn on. */
  readonly configure: (id: string, settings: Partial<DriverSettings>, by: By) => Events;
  readonly interrupt: (id: string, by: By) => Events;
  /** Ends that turn if it still runs; resolves when it is over. */
  readonly settled: (id: string, turnId: string) => Promise<void>;
}

export interface PromptingDeps {
  readonly committer: Committer;
  readonly clock: Clock;
  readonly runner: TurnRunner;
  readonly specs: OpeningDeps["specs"];
  readonly newId: NewId;
}

export function createPrompting(deps: PromptingDeps): Prompting {
  const { committer, runner, specs, newId } = deps;
  const change = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events =>
    (await committer.session(id, decide, by)).events;

  const requirePromptable = ({ id, spec }: SessionState): void => {
    if (specs.driver(spec?.adapter ?? "").runTurn === null) throw new NomosError("not_promptable", { id });
  };

  const requireSteerable = ({ id, spec }: SessionState, attachments: number): void => {
    if (specs.driver(spec?.adapter ?? "").continues !== true) throw new NomosError("steer_unsupported", { id });
    if (attachments > 0)
      throw new NomosError("content_unsupported", { id }, { message: "A steering message takes no attachments." });
  };

  /** A turn that runs elsewhere can only be ended there; an idle session has no turn to end. */
  const isReported = ({ spec, phase }: SessionState) => phase.at === "busy" && spec?.external != null;

  return {
    prompt: async (id, input, by) => {
      // A small prompt is checked only when it is admitted; this saves a read.
      if (input.interrupt || isKept(input)) requirePromptable(await committer.sessionState(id));
      const cut = input.interrupt ? interruptedIn(await change(id, requestInterrupt, { ...by, call: null })) : null;
      if (cut !== null) await settleTurn(deps, id, cut);
      const { prompt, items } = await keepPrompt(committer.keeper(id, "start"), input);
      const isSteer = input.steer === true;
      const turn = { turnId: newId(), prompt, queue: input.queue || input.interrupt || isSteer };
      const admission = (now: SessionState) => {
        requirePromptable(now);
        if (!isSteer || now.phase.at !== "busy") return admitTurnWith(now, turn, items);
        requireSteerable(now, items.length);
        return steerTurn(now, { steerId: turn.turnId, text: prompt });
      };
      return runner.admit(id, turn.turnId, admission, by);
    },
    ask: (id, question, options, by) => {
      const put = { approvalId: newId(), question, options, action: null, effectId: null, checkpoint: null };
      return change(id, (state) => askInTurn(state, put), by);
    },
    configure: async (id, settings, by) => {
      const state = await committer.sessionState(id);
      specs.driver(state.spec?.adapter ?? "").checkSettings?.(settings);
      refuseUnoffered(state.driver?.offer ?? null, settings);
      return change(id, (now) => configureDriver(now, settings), by);
    },
    interrupt: (id, by) =>
      change(id, (state) => (isReported(state) ? refuseToInterrupt(state) : requestInterrupt(state)), by),
    settled: (id, turnId) => settleTurn(deps, id, turnId),
  };
}

function refuseToInterrupt({ id }: SessionState): never {
  throw new NomosError("not_interruptible", { id });
}
