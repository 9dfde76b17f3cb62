import { memberOf } from "../../kernel/index.ts";
import { wrap } from "../print/screen-text.ts";
import { withoutRuns } from "../print/without-runs.ts";
import { harmless } from "../screen/harmless.ts";
import { bold, dim, type Text, yellow } from "../screen/styled.ts";
import { patchLines } from "../transcript/patch-lines.ts";
import { questionLines } from "./question-lines.ts";

/** An open question, from its event or from the list of approvals. */
export interface AskedQuestion {
  readonly id: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly action: { readonly verb: string; readonly resource: string } | null;
  readonly detail: { readonly command?: string; readonly path?: string; readonly diff?: string };
}

const ALWAYS = "always";

export function askedQuestion(data: unknown): AskedQuestion {
  const text = (of: unknown, key: string): string | undefined => {
    const value = memberOf(of, key);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const options = memberOf(data, "options");
  const [verb, resource] = [text(memberOf(data, "action"), "verb"), text(memberOf(data, "action"), "resource")];
  const detail = memberOf(data, "detail");
  const [command, path, diff] = [text(detail, "command"), text(detail, "path"), text(detail, "diff")];
  return {
    id: text(data, "approvalId") ?? text(data, "id") ?? "",
    question: text(data, "question") ?? "",
    options: Array.isArray(options) ? options.map(String) : [],
    action: verb === undefined || resource === undefined ? null : { verb, resource },
    detail: {
      ...(command === undefined ? {} : { command }),
      ...(path === undefined ? {} : { path }),
      ...(diff === undefined ? {} : { diff }),
    },
  };
}

interface Asked {
  readonly who?: string;
  /** How it is answered: by typed words, by single keys of the board, or not any more. */
  readonly keys: "typed" | "board" | null;
}

/** The facts first, in full: who asks, the diff, the command, the path; then what each answer allows. */
export function questionFacts(columns: number, asked: AskedQuestion, { who, keys }: Asked): readonly Text[] {
  const { detail, action } = asked;
  const labelled = (label: string, value: string): readonly Text[] =>
    wrap(withoutRuns(harmless(value)), columns - LABEL_COLUMNS).map((line, at) =>
      yellow(`│ ${(at === 0 ? label : "").padEnd(LABEL_COLUMNS - 2)}${line}`),
    );
  return [
    ...questionLines(columns, asked.question, []).map((line) => bold(yellow(line))),
    ...(who === undefined ? [] : labelled("asked by", who)),
    ...(detail.path === undefined ? [] : labelled("file", detail.path)),
    ...(detail.command === undefined ? [] : labelled("command", detail.command)),
    ...(action === null || detail.command !== undefined ? [] : labelled("action", `${action.verb} ${action.resource}`)),
    ...(detail.diff === undefined ? [] : patchLines(detail.diff, columns)),
    ...(keys === null ? [] : answerLines(asked, keys)).flatMap((line) => wrap(line, columns).map((part) => dim(part))),
  ];
}

const LABEL_COLUMNS = 12;

/** What to type, and what it allows. */
function answerLines({ options, action }: AskedQuestion, keys: "typed" | "board"): readonly string[] {
  const others = options.filter((option) => !PLAIN_ANSWERS.includes(option.toLowerCase()));
  return [
    options.length === 0 && action === null ? "  y  yes, or your own words" : "  y  yes, this once",
    ...(options.includes(ALWAYS)
      ? [`  a  always: every ${action === null ? "question like this" : `\`${action.verb}\``} until this session ends`]
      : []),
    ...others.map((option, at) => `  ${at + 1}  ${harmless(option)}`),
    keys === "typed" ? "  n  no; `n` and a reason tells the agent why" : "  x  no, and why",
  ];
}

const PLAIN_ANSWERS: readonly string[] = ["once", "yes", "no", ALWAYS];

export type Answer =
  | { readonly verdict: "approve"; readonly option: string | null }
  | { readonly verdict: "reject"; readonly reason: string | null };

/** Reads what a person typed as an answer; null when it is none of the answers. */
export function readAnswer({ options, action }: AskedQuestion, typed: string): Answer | null {
  const text = typed.trim();
  const word = text.toLowerCase();
  const exact = options.find((option) => option.toLowerCase() === word);
  const others = options.filter((option) => !PLAIN_ANSWERS.includes(option.toLowerCase()));
  if (/^(n|no)$/.test(word)) return { verdict: "reject", reason: null };
  if (exact !== undefined) return { verdict: "approve", option: exact };
  if (/^(y|yes|once)$/.test(word)) return { verdict: "approve", option: null };
  if (/^(a|always)$/.test(word)) return options.includes(ALWAYS) ? { verdict: "approve", option: ALWAYS } : null;
  const [, reason] = /^(?:n|no)(?:[,:.;]\s*|\s+)(\S[\s\S]*)$/i.exec(text) ?? [];
  if (reason !== undefined) return { verdict: "reject", reason };
  const numbered = /^[1-9]$/.test(word) ? others[Number(word) - 1] : undefined;
  if (numbered !== undefined) return { verdict: "approve", option: numbered };
  const isOpen = options.length === 0 && action === null;
  return isOpen && text !== "" ? { verdict: "approve", option: text } : null;
}
