import { admitTurn, type Decision, type SessionState } from "../../kernel/index.ts";

/** Asks the session's agent what came of the branch that a rewind leaves. */
export interface SummaryOrder {
  readonly turnId: string;
  /** What the summary should keep above all. */
  readonly focus: string | null;
}

/**
 * A rewind, and in the same append the turn that summarises what it leaves. The rewind stands alone where no turn can be
 * admitted: its files are restored by then.
 */
export function withSummary(rewound: Decision, state: SessionState, order: SummaryOrder | null): Decision {
  if ("refused" in rewound || order === null || state.headId === null) return rewound;
  const { restoring: _settled, ...settled } = state;
  const text = ["/branch", state.headId, order.focus?.trim() ?? ""].join(" ").trim();
  const prompt = { text, blob: null, bytes: new TextEncoder().encode(text).length };
  // The command is no title.
  const untitled = { ...settled, title: state.title ?? null };
  const admitted = admitTurn(untitled, { turnId: order.turnId, prompt, queue: true });
  return "refused" in admitted ? rewound : [...rewound, ...admitted];
}
