import type { Reply, ToolSession } from "../../turns/index.ts";
import type { FileAnswers } from "./file-answers.ts";
import type { FoundFiles, ToolFile } from "./tool-files.ts";

/**
 * The files that may run: a person's own, and those of a repository that a person said yes to. New and changed ones are
 * asked for in one question, before anything of them runs; the answer is remembered by their bytes.
 */
export async function agreedFiles(
  files: readonly ToolFile[],
  answers: FileAnswers,
  ask: ToolSession["ask"],
): Promise<FoundFiles> {
  const known = new Map<ToolFile, "yes" | "no" | null>();
  for (const file of files) known.set(file, file.isAlone ? await answers.of(file.sha256) : "yes");
  const unasked = files.filter((file) => known.get(file) === null).slice(0, ASKED_MAX);
  const said = unasked.length === 0 || ask === null ? null : await ask(questionAbout(unasked), []);
  const answer = said === null ? null : answerIn(said);
  if (answer !== null)
    await answers.remember(
      unasked.map(({ sha256 }) => sha256),
      answer,
    );
  const standing = (file: ToolFile) => known.get(file) ?? (unasked.includes(file) ? answer : null);
  return {
    files: files.filter((file) => standing(file) === "yes"),
    // A no is no problem: the person knows.
    problems: files.flatMap((file) =>
      standing(file) === null ? [`${file.shownPath}: no person has agreed to it yet`] : [],
    ),
  };
}

/** So that the question stays one that can be put. */
const ASKED_MAX = 40;

function questionAbout(files: readonly ToolFile[]): string {
  const one = files.length === 1;
  const lines = files.map(({ shownPath, sha256, source }) => {
    const bytes = Buffer.byteLength(source);
    return `  ${JSON.stringify(shownPath)} (${bytes} bytes, sha256 ${sha256})`;
  });
  return [
    `This repository brings ${one ? "a tool" : `${files.length} tools`} that Nomos would run as ${one ? "a program" : "programs"} with this session's rights:`,
    ...lines,
    `Read ${one ? "it" : "them"} first. May ${one ? "it" : "they"} run?`,
  ].join("\n");
}

/** Only a person's word is remembered, and not that nobody answered or may be asked. */
function answerIn(reply: Reply): "yes" | "no" | null {
  if (reply.approved) return "yes";
  return reply.reason === null || reply.isSaid === true ? "no" : null;
}
