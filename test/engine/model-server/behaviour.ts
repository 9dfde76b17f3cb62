/** What the server does with one request. */
export type Behaviour = Answering | Failing;

export interface Answering {
  readonly do: "answer";
  readonly text?: string;
  readonly thought?: string;
  /** Gemini's, Anthropic's or OpenAI's proof of a thought. */
  readonly signature?: string;
  readonly calls?: readonly AnsweredCall[];
  readonly stop?: "stop" | "length" | "refused";
  /** Null: the endpoint reports none. */
  readonly usage?: WireUsage | null;
  /** Bytes before the first event. */
  readonly prefix?: string;
  /** Waits this long before each event. */
  readonly paceMs?: number;
  /** Keeps the connection open for so long after the last event. */
  readonly lingerMs?: number;
  /** Waits once in the middle of the answer. */
  readonly pauseMs?: number;
  /** Where it breaks, counted in events; whole unless it says so. */
  readonly breaks?: Breakage;
}

export interface AnsweredCall {
  readonly id?: string;
  readonly name: string;
  /** As the model writes it: it may be no JSON. */
  readonly input: string;
}

/** As the wire counts, before anything is normalised. `input` has no cached tokens. */
export interface WireUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export type Breakage = { readonly afterEvents: number } & (
  | { readonly by: "stall" }
  | { readonly by: "reset" }
  /** The stream ends as if all had been said. */
  | { readonly by: "end" }
  | { readonly by: "bytes"; readonly bytes: string | Uint8Array }
  /** An error in the format of the wire, with status 200. */
  | { readonly by: "error"; readonly error: WireError }
);

export interface WireError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
}

export type Failing =
  | {
      readonly do: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | object;
    }
  | { readonly do: "html"; readonly status?: number }
  /** Accepts the request and says nothing, not even a status. */
  | { readonly do: "silence" }
  /** Closes the connection before a byte of the answer. */
  | { readonly do: "hang_up" }
  | { readonly do: "bytes"; readonly contentType?: string; readonly bytes: string | Uint8Array };

export function answer(text: string, more: Omit<Answering, "do" | "text"> = {}): Answering {
  return { do: "answer", text, ...more };
}

export function calling(...calls: readonly AnsweredCall[]): Answering {
  return { do: "answer", calls };
}

export function failing(
  status: number,
  body: string | object = {},
  headers: Readonly<Record<string, string>> = {},
): Failing {
  return { do: "status", status, body, headers };
}
