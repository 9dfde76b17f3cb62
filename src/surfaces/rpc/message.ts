import * as z from "zod";
import { type ErrorBody, NomosError } from "../../contract/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { parseJsonBytes } from "../json-bytes.ts";

/** One message of a client. Unknown members are ignored. */
const Message = z.object({
  id: z.union([z.string().max(200), z.number()]),
  method: z.string().max(200),
  params: z.record(z.string(), z.unknown()).optional(),
  key: z.string().optional(),
});

export type RpcId = string | number;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The idempotency key, for writes. */
  readonly key: string | null;
}

export type RpcAnswer =
  | { readonly id: RpcId; readonly result: unknown; readonly unknownMembers?: readonly string[] }
  | ({ readonly id: RpcId | null } & ErrorBody)
  | { readonly event: string; readonly subscription: string; readonly data: unknown; readonly cursor?: number };

/** Answers a message that cannot be parsed; the id is null unless it could be read. */
export function readRequest(bytes: Uint8Array): RpcRequest | { readonly id: RpcId | null; readonly error: NomosError } {
  try {
    const value = parseJsonBytes(bytes);
    const parsed = Message.safeParse(value);
    if (parsed.success) {
      const { id, method, params = {}, key = null } = parsed.data;
      return { id, method, params, key };
    }
    const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
    return { id: idOf(value), error: new NomosError("invalid_request", { issues }) };
  } catch (thrown) {
    if (thrown instanceof NomosError) return { id: null, error: thrown };
    throw thrown;
  }
}

function idOf(value: unknown): RpcId | null {
  const id = memberOf(value, "id");
  return Message.shape.id.safeParse(id).data ?? null;
}
