/** One update as we understand it; anything else is `other`, kept as it came. */
export type Update =
  | {
      readonly is: "text";
      readonly role: "assistant" | "thought";
      readonly messageId: string | null;
      readonly text: string;
      /** Replaces the text under this id instead of adding to it. */
      readonly whole?: true;
    }
  /** Whether the agent works, as it says; in version 2 of ACP this is how a turn ends. */
  | { readonly is: "state"; readonly state: string; readonly stopReason: string | null; readonly usage: unknown }
  | { readonly is: "tool"; readonly call: ToolChange }
  | {
      readonly is: "plan";
      readonly items: readonly { readonly text: string; readonly status: "open" | "active" | "done" }[];
    }
  | {
      readonly is: "tokens";
      readonly input: number | null;
      readonly output: number | null;
      readonly cacheRead?: number | null;
      readonly cacheWrite?: number | null;
      /** Cached ones are counted among `input`. */
      readonly isInputWhole?: true;
      readonly cost: Cost | null;
    }
  | { readonly is: "usage"; readonly used: number; readonly size: number; readonly cost: Cost | null }
  | {
      readonly is: "notice";
      readonly severity: "info" | "warning" | "error";
      readonly title: string;
      readonly text: string;
    }
  | { readonly is: "offer"; readonly kind: string; readonly update: unknown }
  /** An echo of our own prompt, or for screens only. */
  | { readonly is: "nothing" }
  | { readonly is: "other"; readonly kind: string; readonly update: unknown };

export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

export interface ToolChange {
  readonly callId: string;
  readonly title: string | null;
  readonly kind: string | null;
  readonly status: "pending" | "in_progress" | "completed" | "failed" | null;
  readonly content: readonly ToolContent[] | null;
  /** The content is added to the existing one, not in its place. */
  readonly appends?: true;
  readonly places: readonly { readonly path: string; readonly line: number | null }[] | null;
  readonly input: unknown;
  readonly output: unknown;
}

export type ToolContent =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "diff"; readonly path: string; readonly before: string | null; readonly after: string };
