import { plainLines } from "./code/code-lines.ts";
import { parseMarkdown } from "./markdown/parse-markdown.ts";
import type { Answers, Ask, FromThread, ToThread } from "./thread/messages.ts";

/** The part of a worker's scope that is used; the page's types do not have it. */
interface Scope {
  onmessage: ((message: { readonly data: ToThread }) => void) | null;
  readonly postMessage: (message: FromThread) => void;
}

type Highlight = (text: string, grammar: string) => Answers["code"];
let highlight: Promise<Highlight> | undefined;

const scope = globalThis as unknown as Scope;
scope.onmessage = ({ data: { id, ask } }) => {
  void answerTo(ask)
    .catch(() => null)
    .then((answer) => scope.postMessage({ id, answer }));
};

async function answerTo(ask: Ask): Promise<Answers[Ask["what"]]> {
  if (ask.what === "markdown") return parseMarkdown(ask.text);
  highlight ??= import("./code/highlight.ts").then(({ createHighlighter }) => createHighlighter());
  return highlight.then(
    (run) => run(ask.text, ask.grammar),
    () => plainLines(ask.text),
  );
}
