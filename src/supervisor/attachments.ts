import type { Attachment } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";

/** What a person adds to a prompt, as it arrives. */
export interface GivenAttachment {
  readonly kind: Attachment["kind"];
  readonly name: string;
  readonly mediaType: string;
  readonly uri: string | null;
  /** Null for a link. */
  readonly bytes: Uint8Array | null;
}

/** The bytes go to blobs before the event that names them. */
export async function storeAttachments(
  store: Store,
  given: readonly GivenAttachment[],
): Promise<readonly Attachment[]> {
  return Promise.all(
    given.map(async ({ bytes, ...rest }) => ({
      ...rest,
      blob: bytes === null ? null : await store.putBlob(bytes),
      bytes: bytes?.length ?? 0,
    })),
  );
}
