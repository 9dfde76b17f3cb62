import type { Json } from "../../kernel/index.ts";
import type { CallPlace, EffectResult, OutputPage, OutputQuery } from "../effects.ts";
import type { ResumedQuestion } from "../identity.ts";
import type { ScriptMethod, TurnOrder } from "./protocol.ts";

/** The turn that a driver file's function is given. The daemon answers every call and keeps the effect ledger. */
export interface ScriptTurn {
  readonly input: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** Aborts when a person interrupts; the process is killed a few seconds later. */
  readonly signal: AbortSignal;
  /** The driver checkpoint of the first open question of an earlier run; null for a new turn. */
  readonly checkpoint: Json;
  /** Questions that an earlier run of this turn left open. */
  readonly resumed: readonly ResumedQuestion[];
  /** A driver checkpoint: from here the turn can continue after a restart if it then waits for a person. */
  readonly reach: (checkpoint: Json) => Promise<void>;
  readonly say: (text: string, role?: "assistant" | "thought") => Promise<void>;
  readonly stream: (text: string) => Promise<void>;
  /** A custom fact, stored in the session's log as `x.<name>@1`. */
  readonly event: (name: string, payload: Json) => Promise<void>;
  readonly ask: (
    question: string,
    options?: readonly string[],
    place?: CallPlace,
  ) => Promise<{ readonly approved: boolean; readonly option?: string | null; readonly reason?: string | null }>;
  readonly artifact: (
    path: string,
    text: string,
    mediaType?: string,
  ) => Promise<{ readonly artifactId: string; readonly version: number }>;
  readonly todo: (
    items: readonly { readonly text: string; readonly status: "open" | "active" | "done" }[],
  ) => Promise<void>;
  readonly tools: {
    readonly run: (command: string, place?: CallPlace) => Promise<EffectResult>;
    readonly write: (path: string, text: string, place?: CallPlace) => Promise<EffectResult>;
    readonly read: (path: string) => Promise<string>;
    /** Any tool by name; an unknown one is refused with `tool_unknown` and the turn goes on. */
    readonly call: (name: string, args: Json) => Promise<Json>;
  };
  /** A process beside the turn: write to it, read its output, wait for it or cancel it. */
  readonly process: (argv: readonly string[], place?: CallPlace) => Promise<ScriptProcess>;
  /** An effect's complete output, page by page. */
  readonly output: (effectId: string, page?: OutputQuery) => Promise<OutputPage>;
}

export interface ScriptProcess {
  readonly effectId: string;
  readonly onOutput: (listener: (text: string, stream: "stdout" | "stderr") => void) => void;
  readonly write: (text: string) => Promise<void>;
  readonly closeInput: () => Promise<void>;
  readonly wait: () => Promise<EffectResult>;
  readonly cancel: () => Promise<void>;
}

type Call = (method: ScriptMethod, args: readonly Json[]) => Promise<Json>;
type Listener = (text: string, stream: "stdout" | "stderr") => void;

export function createScriptTurn(call: Call) {
  const controller = new AbortController();
  const listeners = new Map<string, Listener[]>();
  const early = new Map<string, Parameters<Listener>[]>();
  const done = async (method: ScriptMethod, args: readonly Json[]): Promise<void> => {
    await call(method, args);
  };
  const answer = <T>(method: ScriptMethod, args: readonly Json[]): Promise<T> => call(method, args) as Promise<T>;

  const process = async (argv: readonly string[], place: CallPlace = {}): Promise<ScriptProcess> => {
    const id = await answer<string>("start", [[...argv], sent(place)]);
    return {
      effectId: id,
      onOutput: (listener) => {
        listeners.set(id, [...(listeners.get(id) ?? []), listener]);
        for (const piece of early.get(id) ?? []) listener(...piece);
        early.delete(id);
      },
      write: (text) => done("processWrite", [id, text]),
      closeInput: () => done("processCloseInput", [id]),
      wait: () => answer("processWait", [id]),
      cancel: () => done("processCancel", [id]),
    };
  };

  return {
    abort: () => controller.abort(),
    deliver: (id: string, stream: "stdout" | "stderr", text: string): void => {
      const known = listeners.get(id);
      if (known === undefined) early.set(id, [...(early.get(id) ?? []), [text, stream]]);
      for (const listener of known ?? []) listener(text, stream);
    },
    context: ({ input, sessionId, turnId, cwd, checkpoint, resumed }: TurnOrder): ScriptTurn => ({
      input,
      sessionId,
      turnId,
      cwd,
      checkpoint,
      resumed,
      signal: controller.signal,
      say: (text, role = "assistant") => done("say", [text, role]),
      stream: (text) => done("stream", [text]),
      event: (name, payload) => done("event", [name, payload]),
      reach: (reached) => done("reach", [reached]),
      output: (effectId, page = {}) => answer("output", [effectId, asked(page)]),
      ask: (question, options = ["yes", "no"], place = {}) => answer("ask", [question, [...options], sent(place)]),
      artifact: (path, text, mediaType = "text/plain") => answer("artifact", [path, text, mediaType]),
      todo: (items) => done("todo", [items.map(({ text, status }) => ({ text, status }))]),
      tools: {
        run: (command, place = {}) => answer("run", [command, sent(place)]),
        write: (path, text, place = {}) => answer("write", [path, text, sent(place)]),
        read: (path) => answer("read", [path]),
        call: (name, args) => call(`tool:${name}`, [args]),
      },
      process,
    }),
  };
}

/** Extra members in a person's file are not sent. */
function sent({ key, checkpoint }: CallPlace): { readonly [name: string]: Json } {
  return { ...(key === undefined ? {} : { key }), ...(checkpoint === undefined ? {} : { checkpoint }) };
}

function asked({ after, limit }: OutputQuery): { readonly [name: string]: Json } {
  return { ...(after === undefined ? {} : { after }), ...(limit === undefined ? {} : { limit }) };
}
