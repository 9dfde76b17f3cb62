import type { Json } from "../../../kernel/index.ts";
import type { RowQuery, StoreErrorCode } from "../../port.ts";

export type ToReader =
  | { readonly kind: "advance" | "position" | "restart"; readonly ask: number }
  | { readonly kind: "forget"; readonly ask: number; readonly seqs: readonly number[] }
  | {
      readonly kind: "search";
      readonly ask: number;
      readonly text: string;
      readonly limit: number;
      readonly of: string;
    }
  | { readonly kind: "verify"; readonly ask: number }
  | { readonly kind: "rebuild"; readonly ask: number }
  | {
      readonly kind: "counts";
      readonly ask: number;
      readonly list: string;
      readonly by: string;
      readonly where: RowQuery["where"];
    }
  | { readonly kind: "close" };
export interface ReaderOptions {
  readonly path: string;
  readonly searchPath: string;
  readonly blobFolder: string;
  readonly definitions: string | null;
}

export type FromReader =
  | { readonly kind: "answer"; readonly ask: number; readonly value: unknown }
  | { readonly kind: "progress"; readonly ask: number; readonly done: number; readonly of: number }
  | {
      readonly kind: "failed";
      readonly ask: number;
      readonly code: StoreErrorCode;
      readonly details: { readonly [key: string]: Json };
    }
  | { readonly kind: "closed" };
