import type { Json } from "../../kernel/index.ts";
import type { ScriptMethod } from "./protocol.ts";

/** What a driver file's function is handed: its turn. Every call is answered by the daemon, which keeps the ledger. */
export interface ScriptTurn {
  readonly input: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** Aborts when a person interrupts; the process is killed a few seconds later. */
  readonly signal: AbortSignal;
  readonly say: (text: string, role?: "assistant" | "thought") => Promise<void>;
  readonly stream: (text: string) => Promise<void>;
  /** A fact of your own making, kept in the session's log as `x.<name>@1`. */
  readonly event: (name: string, payload: Json) => Promise<void>;
  readonly ask: (
    question: string,
    options?: readonly string[],
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
    readonly run: (command: string) => Promise<ScriptResult>;
    readonly write: (path: string, text: string) => Promise<ScriptResult>;
    readonly read: (path: string) => Promise<string>;
    /** Any tool by name; an unknown one is refused with `tool_unknown` and the turn goes on. */
    readonly call: (name: string, args: Json) => Promise<Json>;
  };
  /** A process beside the turn: write to it, read what it prints, wait for it or cancel it. */
  readonly process: (argv: readonly string[]) => Promise<ScriptProcess>;
}

export interface ScriptResult {
  readonly outcome: "done" | "failed" | "refused";
  readonly exitCode: number | null;
  readonly output: string;
  readonly message: string | null;
}

export interface ScriptProcess {
  readonly onOutput: (listener: (text: string, stream: "stdout" | "stderr") => void) => void;
  readonly write: (text: string) => Promise<void>;
  readonly closeInput: () => Promise<void>;
  readonly wait: () => Promise<ScriptResult>;
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

  const process = async (argv: readonly string[]): Promise<ScriptProcess> => {
    const id = await answer<string>("start", [[...argv]]);
    return {
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
    context: (order: {
      readonly input: string;
      readonly sessionId: string;
      readonly turnId: string;
      readonly cwd: string;
    }): ScriptTurn => ({
      ...order,
      signal: controller.signal,
      say: (text, role = "assistant") => done("say", [text, role]),
      stream: (text) => done("stream", [text]),
      event: (name, payload) => done("event", [name, payload]),
      ask: (question, options = ["yes", "no"]) => answer("ask", [question, [...options]]),
      artifact: (path, text, mediaType = "text/plain") => answer("artifact", [path, text, mediaType]),
      todo: (items) => done("todo", [items.map(({ text, status }) => ({ text, status }))]),
      tools: {
        run: (command) => answer("run", [command]),
        write: (path, text) => answer("write", [path, text]),
        read: (path) => answer("read", [path]),
        call: (name, args) => call(`tool:${name}`, [args]),
      },
      process,
    }),
  };
}
