import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CompactionOrder, prepareCompaction } from "../../../src/engine/compaction/prepare.ts";
import { summaryRequests } from "../../../src/engine/compaction/summary.ts";
import type { PathEvent } from "../../../src/engine/view/path-event.ts";
import { createTranscript } from "../../../src/engine/view/transcript.ts";

/**
 * Recorded histories, and the exact messages that a model is given for them. A changed byte breaks the providers' caches
 * of all running sessions, so it has to be wanted. To write the files anew, then look at the difference:
 *
 *   NOMOS_WRITE_GOLDEN=1 npx vitest run test/golden/prompts
 *
 * A new file needs `about` and `events`, and `compact` where the requests for its summary belong into it.
 */
interface Golden {
  readonly about: string;
  readonly compact?: CompactionOrder & { readonly focus: string | null };
  readonly events: readonly PathEvent[];
  readonly system: string;
  readonly messages: readonly unknown[];
  readonly requests?: readonly unknown[];
}

const isWriting = process.env["NOMOS_WRITE_GOLDEN"] === "1";

for (const name of readdirSync(import.meta.dirname).filter((file) => file.endsWith(".json")))
  test(`${name}: the history gives exactly these messages`, () => {
    const file = join(import.meta.dirname, name);
    const golden: Golden = JSON.parse(readFileSync(file, "utf8"));
    const made = { ...golden, ...shown(golden) };
    if (isWriting) writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
    // As text too: the order of members is part of the bytes.
    else expect(JSON.stringify(made, null, 2)).toBe(JSON.stringify(golden, null, 2));
  });

function shown({ events, compact }: Golden): Partial<Golden> {
  const transcript = createTranscript();
  for (const event of events) transcript.add(event);
  const prepared = compact === undefined ? null : prepareCompaction(transcript, compact);
  const requests = prepared === null ? {} : { requests: summaryRequests(prepared, compact?.focus ?? null) };
  return { system: transcript.system(), messages: transcript.messages(), ...requests };
}
