import { ClientError } from "../client/index.ts";

export function closedError(): ClientError {
  return new ClientError("embedding_closed");
}
