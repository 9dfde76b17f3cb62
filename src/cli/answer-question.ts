import { type Client, ClientError } from "../client/index.ts";
import { connect } from "./daemon/connect.ts";
import { entryOf, findSyscall } from "./syscall/find-syscall.ts";
import { readInput } from "./syscall/read-input.ts";
import { answer } from "./syscall/run-syscall.ts";
import type { Invocation, Terminal } from "./terminal.ts";

/** `approval approve` and `reject`, which also accept a part of the approval's id or its session. */
export async function answerQuestion(
  terminal: Terminal,
  { args, json }: Invocation,
  verb: "approve" | "reject",
): Promise<number> {
  const found = findSyscall([verb, ...args]);
  if (found === null) throw new ClientError("usage");
  const entry = await entryOf(found.name);
  const { input, idempotencyKey } = await readInput(terminal, found, entry);
  const client = await connect(terminal);
  const approvalId = await fullId(client, String(input["approvalId"]));
  const options = idempotencyKey === null ? {} : { idempotencyKey };
  const sinceMs = Date.now();
  const output = await client.callByName(found.name, { ...input, approvalId }, options);
  return answer(terminal, entry, { output, input, tookMs: Date.now() - sinceMs }, json);
}

const FULL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function fullId(client: Client, given: string): Promise<string> {
  const { approvals } = await client.call("approval.list", { status: "pending" });
  const session = await client.call("session.show", { id: given }).then(
    (session) => session,
    () => null,
  );
  const matching = approvals.filter((one) => one.id.startsWith(given) || one.sessionId === session?.id);
  if (matching.length > 1)
    throw new ClientError("ambiguous_id", {
      message: "More than one question matches.",
      remedy: "Run `nomos approval list`, then name the question by its id.",
      details: { matching: matching.map(({ id }) => id) },
    });
  if (matching[0] !== undefined) return matching[0].id;
  // A complete id that is not pending: let the daemon say whether it was answered or never existed.
  if (session === null && FULL_ID.test(given)) return given;
  const message =
    session === null ? `There is no question and no session \`${given}\`.` : `${session.name} has no open question.`;
  throw new ClientError("approval_not_found", { message, details: { given } });
}
