import { SecretStream } from "../../domains/index.ts";
import { idIn } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Context } from "../define.ts";

/**
 * Events as this caller may see them. The names of secrets are their owners': to everybody but the operator the data of a
 * secret's events reads as erased. Headers and hashes stay, so that the log can still be verified.
 */
export async function eventsFor({
  services,
  actor,
}: Context<"secrets">): Promise<{ readonly isHidden: (stream: string) => boolean; readonly shown: ShowEvent }> {
  const isOperator = (await services.secrets.owners.ofPrincipal(actor.principal)) === "operator";
  const isHidden = (stream: string): boolean => !isOperator && idIn(SecretStream, stream) !== null;
  return { isHidden, shown: (event) => (isHidden(event.stream) ? { ...event, data: null } : event) };
}

export type ShowEvent = (event: RecordedEvent) => RecordedEvent;
