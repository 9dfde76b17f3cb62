import { keep, kept } from "../../frame/index.ts";

/** A prompt that was not accepted yet. */
export interface Draft {
  readonly text: string;
  /** The key of a send whose answer was lost: the same content is sent with the same key. */
  readonly sent: { readonly key: string; readonly content: string } | null;
}

const NO_DRAFT: Draft = { text: "", sent: null };
const KEPT_CHARS_MAX = 100_000;

export function readDraft(id: string): Draft {
  const text = kept(`draft.${id}`);
  if (text === null) return NO_DRAFT;
  try {
    const found: unknown = JSON.parse(text);
    return isDraft(found) ? found : NO_DRAFT;
  } catch {
    return NO_DRAFT;
  }
}

export function writeDraft(id: string, draft: Draft): void {
  const isNothing = draft.text === "" || draft.text.length > KEPT_CHARS_MAX;
  keep(`draft.${id}`, isNothing ? null : JSON.stringify(draft));
}

function isDraft(found: unknown): found is Draft {
  if (typeof found !== "object" || found === null || !("text" in found) || !("sent" in found)) return false;
  const { text, sent } = found;
  if (typeof text !== "string") return false;
  if (sent === null) return true;
  return (
    typeof sent === "object" && sent !== undefined && "key" in sent && typeof sent.key === "string" && "content" in sent
  );
}
