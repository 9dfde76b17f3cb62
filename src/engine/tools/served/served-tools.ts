import type { Json } from "../../../kernel/index.ts";
import type { Served, ServedContent } from "../../../turns/index.ts";
import type { ServedSpec } from "../../link/protocol.ts";
import type { AnyTool, Tool, ToolResult } from "../../tool.ts";
import { describedInput } from "../input/tool-specs.ts";
import { failed, notDone } from "../shared/results.ts";
import { cutChars, oneLine, RESULT_CHARS_MAX } from "../shared/shown.ts";

/** Tools of the daemon as the loop calls any other: the gate, the ledger and the work itself are on the other side. */
export function servedTools(specs: readonly ServedSpec[]): readonly AnyTool[] {
  return specs.map(servedTool);
}

function servedTool({ name, description, input, redo, mode }: ServedSpec): AnyTool {
  const tool: Omit<Tool<Input>, "input"> = {
    ...{ name, description, redo, mode },
    permission: "served",
    title: (given) => oneLine(`${name} ${firstText(given)}`),
    run: async (given, { world }) => resultOf(name, await world.serve(name, given)),
  };
  return { ...tool, input: describedInput(input) };
}

type Input = { readonly [key: string]: Json };

/** What a person recognizes the call by: the first text of its input. */
function firstText(input: Input): string {
  return Object.values(input).find((value) => typeof value === "string") ?? "";
}

function resultOf(name: string, { effect, content, ends }: Served): ToolResult {
  const problem = notDone(name, effect);
  if (problem !== null && content === null) return failed(`${problem}\n${effect.output}`.trim());
  const given: readonly ServedContent[] = content ?? [{ kind: "text", text: effect.output }];
  const isError = effect.outcome !== "done";
  if (given.length === 0)
    return { content: [{ kind: "text", text: isError ? `${name} failed` : "(no output)" }], isError };
  return { content: within(given), isError, ...(ends === true ? { ends } : {}) };
}

/** The texts together are no longer than any other result. */
function within(content: readonly ServedContent[]): ToolResult["content"] {
  let left = TEXT_CHARS_MAX;
  return content.map((part) => {
    if (part.kind === "image") return part;
    const text = part.text.length <= left ? part.text : `${cutChars(part.text, left)}\n${CUT}`;
    left = Math.max(0, left - part.text.length);
    return { kind: "text", text };
  });
}

const CUT = "[cut: the answer is longer than a result may be; ask for a part of it]";
const TEXT_CHARS_MAX = RESULT_CHARS_MAX - 700;
