import type { Store } from "../../store/index.ts";
import type { Explained, ExplainedLine } from "./explain-lines.ts";
import type { LandingFacts } from "./landing-facts.ts";
import { lineHash } from "./line-hash.ts";

/** What a proof of lines needs, beside the proofs of its events. */
export interface ProofParts {
  readonly lines: readonly ProvenLine[];
  readonly blobs: readonly { readonly sha256: string; readonly text: string }[];
  /** The events that the lines rest on. */
  readonly eventIds: readonly string[];
}

/** Each member can be checked: against the recorded lines, and those against the log. */
export interface ProvenLine {
  readonly line: number;
  /** In base64, because a line need not be text; without its end, and without a `\r` there. */
  readonly bytes: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly eventId: string;
  readonly agent: string;
  readonly model: string | null;
  readonly approver: string | null;
  /** The landing's `landing.landed@1`. */
  readonly landedEventId: string;
}

/** Lines whose text and turn were recorded at their landing. Of others the log proves less. */
export async function proofLines(
  { blob }: Pick<Store, "blob">,
  facts: Pick<LandingFacts, "finder">,
  lines: readonly ExplainedLine[],
): Promise<ProofParts> {
  const proven: ProvenLine[] = [];
  const [blobs, eventIds] = [new Set<string>(), new Set<string>()];
  for (const { line, text, explained } of lines) {
    const told = fullyTold(explained);
    if (told === null) continue;
    const { sessionId, turnId, eventId, agent, model, approver, landing } = told;
    const finder = await facts.finder(landing.blob);
    const isRecorded = finder?.turns(lineHash(text)).some((turn) => turn.eventId === eventId) === true;
    if (!isRecorded) continue;
    blobs.add(landing.blob);
    for (const id of [landing.eventId, eventId]) eventIds.add(id);
    const bytes = Buffer.from(text.replace(/\r$/, ""), "latin1").toString("base64");
    proven.push({ line, bytes, sessionId, turnId, eventId, agent, model, approver, landedEventId: landing.eventId });
  }
  const texts: { sha256: string; text: string }[] = [];
  for (const sha256 of blobs) {
    const bytes = await blob(sha256);
    if (bytes !== null) texts.push({ sha256, text: Buffer.from(bytes).toString("utf8") });
  }
  return { lines: proven, blobs: texts, eventIds: [...eventIds] };
}

function fullyTold(explained: Explained) {
  if (explained.by !== "session" || !explained.proven) return null;
  const { turnId, eventId, agent, landing } = explained;
  const blob = landing?.blob ?? null;
  if (turnId === null || eventId === null || agent === null || landing === null || blob === null) return null;
  return { ...explained, turnId, eventId, agent, landing: { ...landing, blob } };
}
