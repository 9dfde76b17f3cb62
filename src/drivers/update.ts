/** One update as we understand it; what is not understood is `other`, kept as it came. */
export type Update =
  | {
      readonly is: "text";
      readonly role: "assistant" | "thought";
      readonly messageId: string | null;
      readonly text: string;
      /** Instead of what was said under this id so far, not behind it. */
      readonly whole?: true;
    }
  /** The agent's own word on whether it works; in version 2 of ACP this is how a turn ends. */
  | { readonly is: "state"; readonly state: string; readonly stopReason: string | null }
  | { readonly is: "tool"; readonly call: ToolChange }
  | {
      readonly is: "plan";
      readonly items: readonly { readonly text: string; readonly status: "open" | "active" | "done" }[];
    }
  | { readonly is: "tokens"; readonly input: number | null; readonly output: number | null; readonly cost: Cost | null }
  | { readonly is: "usage"; readonly used: number; readonly size: number; readonly cost: Cost | null }
  | {
      readonly is: "notice";
      readonly severity: "info" | "warning" | "error";
      readonly title: string;
      readonly text: string;
    }
  | { readonly is: "offer"; readonly kind: string; readonly update: unknown }
  /** Our own words coming back, or what only a screen needs. */
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
  /** The content comes behind what there is, not instead of it. */
  readonly appends?: true;
  readonly places: readonly { readonly path: string; readonly line: number | null }[] | null;
  readonly input: unknown;
  readonly output: unknown;
}

export type ToolContent =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "diff"; readonly path: string; readonly before: string | null; readonly after: string };
