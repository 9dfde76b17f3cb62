import type { Attachment, EventData, EventType, Fact } from "../../kernel/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";

/** An event of a session's current path, with all that lies in blobs loaded: each `text` is whole. */
export interface PathEvent {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  /** Null: erased, or of no interest to a session. */
  readonly fact: LoadedFact | null;
}

export type LoadedFact =
  | Exclude<Fact, { readonly type: LoadedType }>
  | { readonly type: "turn.attached@1"; readonly data: LoadedAttached }
  | { readonly type: "tool.ended@1"; readonly data: LoadedEnd };

export type LoadedData<T extends EventType> = Extract<LoadedFact, { readonly type: T }>["data"];

export interface LoadedAttachment extends Pick<Attachment, "kind" | "name" | "mediaType"> {
  readonly uri?: string | null;
  /** The bytes. Absent for a link, and for what cannot be loaded. */
  readonly base64?: string;
}

export interface LoadedImage {
  readonly mediaType: string;
  /** Absent when it cannot be loaded. */
  readonly base64?: string;
}

type LoadedType = "turn.attached@1" | "tool.ended@1";

interface LoadedAttached {
  readonly turnId: string;
  readonly items: readonly LoadedAttachment[];
}

type LoadedEnd = Omit<EventData<"tool.ended@1">, "images"> & { readonly images?: readonly LoadedImage[] };

/** An event as the daemon loads it. Pictures and files arrive beside their fact, by blob. */
export function pathEvent({ id, seq, at, fact, bytes = {} }: LoadedEvent): PathEvent {
  const base64Of = (blob: string | null) => (blob === null || bytes[blob] === undefined ? {} : { base64: bytes[blob] });
  switch (fact.type) {
    case "turn.attached@1": {
      const items = fact.data.items.map(({ blob, ...item }) => ({ ...item, ...base64Of(blob) }));
      return { id, seq, at, fact: { type: fact.type, data: { turnId: fact.data.turnId, items } } };
    }
    case "tool.ended@1": {
      const { images, ...data } = fact.data;
      const loaded = images?.map(({ mediaType, blob }) => ({ mediaType, ...base64Of(blob) }));
      return {
        id,
        seq,
        at,
        fact: { type: fact.type, data: { ...data, ...(loaded === undefined ? {} : { images: loaded }) } },
      };
    }
    default:
      return { id, seq, at, fact };
  }
}
