import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import type { ServedResult, ServedTool } from "../../turns/index.ts";
import { type Caller, callerOf, codeOf, orRefusal, type SessionCall, said } from "./session-call.ts";
import { parseInput, schemaOf } from "./tool-input.ts";

const PERSON = "person";
const TEXT_CHARS = 4000;

const Input = z.strictObject({
  to: z.string().min(1).max(200).describe("`person`, or a session below this one, by its name or id."),
  text: z.string().min(1).max(TEXT_CHARS).describe("The message, complete in itself."),
});

/** A message to a person or to a session below. Both are facts in the log, so a message is sent once. */
export function sendTool(call: SessionCall): ServedTool {
  return {
    name: "send",
    description:
      "Sends a message and does not wait. To `person`: a note that the user sees with this session, also later. To a session " +
      "that this one started: its running turn takes the message up with its next step, or it becomes its next prompt.",
    input: schemaOf(Input),
    kind: "send",
    redo: "safe",
    mode: "sequential",
    resource: (input) => {
      const { to = "" } = Input.partial().safeParse(input).data ?? {};
      return to === PERSON ? PERSON : `session/${to}`;
    },
    shown: (input) => {
      const { to = "", text = "" } = Input.partial().safeParse(input).data ?? {};
      return `to ${to}: ${text}`;
    },
    run: (input, about) =>
      orRefusal(async () => {
        const { to, text } = parseInput(Input, input);
        const caller = callerOf(call, about);
        return to === PERSON ? toPerson(caller, text) : toSession(caller, to, text);
      }),
  };
}

async function toPerson({ write }: Caller, text: string): Promise<ServedResult> {
  await write("session.note", { id: "self", text });
  return said("The user will see it.");
}

const Shown = z.object({ id: z.string(), name: z.string() });
const Prompted = z.object({ queued: z.boolean(), steered: z.boolean().optional() });

async function toSession({ read, write }: Caller, to: string, text: string): Promise<ServedResult> {
  const self = Shown.parse(await read("session.show", { id: "self" }));
  const { id, name } = Shown.parse(await read("session.show", { id: to }));
  if (id === self.id) throw new NomosError("invalid_request", { to }, { message: "That is this session itself." });
  const prompt = `Message from the session ${self.name}:\n${text}`;
  const sent = await write("session.prompt", { id, prompt, steer: true }).catch((thrown: unknown) => {
    // Its driver takes no messages in a turn. An earlier run of this turn may have found the same and queued it.
    const code = codeOf(thrown);
    if (code !== "steer_unsupported" && code !== "idempotency_key_reused") throw thrown;
    return write("session.prompt", { id, prompt, queue: true });
  });
  const { queued, steered } = Prompted.parse(sent);
  if (steered === true) return said(`${name} takes it up with its next step.`);
  return said(queued ? `${name} takes it when its turn has ended.` : `${name} works on it.`);
}
