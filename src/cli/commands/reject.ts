import { answerQuestion } from "../answer-question.ts";
import type { RunCommand } from "../terminal.ts";

export const run: RunCommand = (terminal, invocation) => answerQuestion(terminal, invocation, "reject");
