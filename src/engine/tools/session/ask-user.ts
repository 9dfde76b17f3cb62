import * as z from "zod";
import { LIMITS } from "../../../kernel/index.ts";
import type { Reply } from "../../../turns/index.ts";
import type { Tool } from "../../tool.ts";
import { done } from "../shared/results.ts";
import { oneLine } from "../shared/shown.ts";

const Input = z.strictObject({
  question: z
    .string()
    .min(1)
    .max(LIMITS.questionChars)
    .describe("One clear question, with what the user needs to decide."),
  options: z
    .array(z.string().min(1).max(LIMITS.optionChars))
    .max(LIMITS.optionsMax)
    .optional()
    .describe("Possible answers. Leave out for a question of yes or no."),
});

type Input = z.infer<typeof Input>;

export const askUser: Tool<Input> = {
  name: "ask_user",
  description:
    "Asks the user and waits for the answer. Use it for a decision that is the user's: what they want, or something that " +
    "cannot be undone. Do not ask what you can find out yourself.",
  input: Input,
  permission: "ask",
  redo: "safe",
  mode: "sequential",
  title: ({ question }) => oneLine(`Ask: ${question}`),
  run: async ({ question, options = [] }, { world }) => done(spellReply(await world.ask(question, options))),
};

/** A no is an answer and not a failure: the model goes on with it. */
function spellReply(reply: Reply): string {
  if (reply.approved) return reply.option === null ? "The user said yes." : `The user chose: ${reply.option}`;
  if (reply.reason === null || reply.reason === "") return "The user said no, without a reason.";
  return reply.isSaid === true
    ? `The user said no, or something else, in these words: ${reply.reason}`
    : `The question was declined: ${reply.reason}`;
}
