import { chooseCall, type OfferedTool } from "./tool-choice.ts";

/**
 * The model follows a script in the prompt, after a line `@script`, one step per line:
 * `write PATH TEXT`, `shell COMMAND`, `escalate PATH TEXT` (a write that asks to leave the agent's own sandbox),
 * `call TOOL JSON`, `slow MS` (starts to answer, then waits), `recall` (the code word said earlier), `say TEXT`.
 * Without a script the answer is `ok`.
 */
export type Said =
  | { readonly is: "person"; readonly text: string }
  | { readonly is: "model"; readonly text: string }
  | { readonly is: "call" }
  | { readonly is: "result"; readonly text: string };

export interface Asked {
  readonly said: readonly Said[];
  readonly tools: readonly OfferedTool[];
}

export type Reply =
  | { readonly is: "text"; readonly text: string; readonly pauseMs: number }
  | { readonly is: "call"; readonly tool: OfferedTool; readonly input: object };

const SCRIPT = "@script\n";
const RESULT_SHOWN_CHARS = 400;

/** Stateless: the conversation itself shows how far the script has come. */
export function nextReply({ said, tools }: Asked): Reply {
  const at = said.findLastIndex((one) => one.is === "person" && one.text.includes(SCRIPT));
  const prompt = said[at];
  // Agents ask for titles and summaries without tools.
  if (prompt?.is !== "person" || tools.length === 0) return text("ok");
  const steps = stepsIn(prompt.text);
  const results = said.slice(at + 1).flatMap((one) => (one.is === "result" ? [one.text] : []));
  const [step, rest = ""] = steps[results.length] ?? ["end"];
  switch (step) {
    case "slow":
      return { ...text("at last"), pauseMs: Number(rest) };
    case "say":
      return text(rest);
    case "recall":
      return text(`the code word is ${codeWord(said) ?? "unknown"}`);
    case "end":
      return text(results.length === 0 ? "ok" : `done: ${(results.at(-1) ?? "").slice(0, RESULT_SHOWN_CHARS)}`);
    default: {
      const call = chooseCall(step, rest, tools);
      return call ?? text(`no tool for ${step} among ${tools.map(({ name }) => name).join(" ")}`);
    }
  }
}

function text(words: string): Extract<Reply, { is: "text" }> {
  return { is: "text", text: words, pauseMs: 0 };
}

function stepsIn(prompt: string): readonly (readonly [string, string])[] {
  const script = prompt.slice(prompt.lastIndexOf(SCRIPT) + SCRIPT.length);
  return script.split("\n").flatMap((line) => {
    const [, step = "", rest = ""] = /^([a-z]+) ?(.*)$/.exec(line.trim()) ?? [];
    return STEPS.has(step) ? [[step, rest] as const] : [];
  });
}

const STEPS: ReadonlySet<string> = new Set(["write", "shell", "escalate", "call", "slow", "recall", "say"]);

function codeWord(said: readonly Said[]): string | null {
  const all = said.flatMap((one) => (one.is === "call" ? [] : [one.text])).join("\n");
  return [...all.matchAll(/CODEWORD=(\w+)/g)].at(-1)?.[1] ?? null;
}
