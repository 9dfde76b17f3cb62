import { closeSync, openSync, writeSync } from "node:fs";

/** Everything the daemon has acknowledged. It must not be lost, whatever happens to the daemon. */
export type Fact =
  | { readonly what: "session"; readonly id: string }
  | { readonly what: "forgotten"; readonly id: string }
  | { readonly what: "killed"; readonly id: string }
  | { readonly what: "turn"; readonly sessionId: string; readonly turnId: string; readonly mark: string }
  | { readonly what: "fork"; readonly id: string; readonly from: string; readonly eventId: string }
  | { readonly what: "rewound"; readonly sessionId: string; readonly to: string }
  | { readonly what: "artifact"; readonly eventId: string; readonly path: string; readonly version: number }
  | { readonly what: "answer"; readonly approvalId: string; readonly status: string }
  | { readonly what: "event"; readonly id: string }
  | { readonly what: "seen"; readonly id: string; readonly seq: number; readonly hash: string };

export interface Ledger {
  readonly note: (fact: Fact) => void;
  readonly facts: () => readonly Fact[];
  readonly close: () => void;
}

/** Each fact is written before the next request is sent. */
export function openLedger(path: string): Ledger {
  const file = openSync(path, "a");
  const facts: Fact[] = [];
  return {
    note: (fact) => {
      facts.push(fact);
      writeSync(file, `${JSON.stringify(fact)}\n`);
    },
    facts: () => facts,
    close: () => closeSync(file),
  };
}
