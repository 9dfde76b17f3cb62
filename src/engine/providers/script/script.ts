import { ModelError, type ModelErrorClass } from "../../model.ts";

/** One line of a script. What is no command is said as it stands. */
export type Command =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "think"; readonly text: string }
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "recall" }
  | { readonly do: "fail"; readonly error: ModelError }
  | ScriptCall;

export interface ScriptCall {
  readonly do: "call";
  readonly tool: string;
  /** JSON, or whatever else stood there. */
  readonly input: string;
}

/** What the model does in one answer: commands, of which the calls are the last. */
export type Step = readonly Command[];

const SCRIPT_LINES_MAX = 10_000;
const SLEEP_MS_MAX = 3_600_000;

/**
 * An answer ends with a call, because its result has to be seen before the script goes on. After `parallel` all calls until
 * a blank line belong to one answer.
 */
export function stepsOf(script: string): readonly Step[] {
  const steps: Command[][] = [];
  let step: Command[] = [];
  let isParallel = false;
  const close = (): void => {
    if (step.some((command) => command.do === "call")) {
      steps.push(step);
      step = [];
    }
  };
  for (const line of linesOf(script)) {
    if (line === "") {
      isParallel = false;
      close();
    } else if (line === "parallel") {
      close();
      isParallel = true;
    } else {
      step.push(commandOf(line));
      if (!isParallel) close();
    }
  }
  close();
  return step.length === 0 ? steps : [...steps, step];
}

/** Everything after a line `@script`, or the whole text. */
function linesOf(script: string): readonly string[] {
  const lines = script.split("\n").map((line) => line.trim());
  return lines.slice(lines.lastIndexOf("@script") + 1, SCRIPT_LINES_MAX);
}

function commandOf(line: string): Command {
  const [, word = "", rest = ""] = /^(\S+)\s?(.*)$/s.exec(line) ?? [];
  const [, first = "", more = ""] = /^(\S+)\s?(.*)$/s.exec(rest) ?? [];
  switch (word) {
    case "say":
    case "think":
      return { do: word, text: unescaped(rest) };
    case "sleep":
      return { do: "sleep", ms: Math.min(SLEEP_MS_MAX, Math.max(0, Number(rest) || 0)) };
    case "recall":
      return rest === "" ? { do: "recall" } : { do: "say", text: line };
    case "fail":
      return { do: "fail", error: failure(first) };
    case "read":
      return call("read", { path: rest });
    case "write":
      return call("write", { path: first, content: unescaped(more) });
    case "edit": {
      const [old = "", ...news] = more.split(" => ");
      return call("edit", { path: first, edits: [{ old: unescaped(old), new: unescaped(news.join(" => ")) }] });
    }
    case "run":
      return call("terminal", { command: rest });
    case "ask":
      return call("ask_user", { question: rest });
    case "call":
      return { do: "call", tool: first, input: more === "" ? "{}" : more };
    default:
      return { do: "say", text: line };
  }
}

function call(tool: string, input: object): ScriptCall {
  return { do: "call", tool, input: JSON.stringify(input) };
}

/** A script has one command a line, so line breaks inside of a text are written `\n`. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([nt\\])/g, (_all, letter: string) =>
    letter === "n" ? "\n" : letter === "t" ? "\t" : "\\",
  );
}

const CLASSES: ReadonlySet<string> = new Set<ModelErrorClass>([
  "auth",
  "billing",
  "rate_limit",
  "overloaded",
  "timeout",
  "unreachable",
  "overflow",
  "refused",
  "malformed",
  "model_unknown",
  "invalid",
]);

function failure(word: string): ModelError {
  return new ModelError(isClass(word) ? word : "invalid", `The script says: fail ${word}.`);
}

function isClass(word: string): word is ModelErrorClass {
  return CLASSES.has(word);
}
