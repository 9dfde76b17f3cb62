import { compileRules, type LawRule, type RuleBlock, type RuleFault } from "../../domains/index.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";

export interface Constitution {
  /** Empty when there is a fault. */
  readonly rules: readonly LawRule[];
  readonly faults: readonly RuleFault[];
  readonly notes: readonly RuleFault[];
}

/** The rules of a constitution: Markdown, in which each block marked `yaml nomos-policy` is one rule. */
export function readConstitution(text: string): Constitution {
  const { blocks, faults, notes } = policyBlocks(text);
  const parsed: RuleBlock[] = [];
  const unread: RuleFault[] = [...faults];
  for (const { body, line, dialect } of blocks) {
    const yaml = parseYaml(body);
    if (yaml.ok) parsed.push({ value: yaml.value, line, dialect });
    else unread.push({ line: line + yaml.line, id: null, reason: yaml.reason });
  }
  const compiled = compileRules(parsed);
  const all = [...unread, ...compiled.faults];
  return { rules: all.length > 0 ? [] : compiled.rules, faults: all, notes: [...notes, ...compiled.notes] };
}

export interface PolicyBlock {
  readonly body: string;
  /** Of the opening fence, and of the closing one. */
  readonly line: number;
  readonly end: number;
  readonly dialect: RuleBlock["dialect"];
}

interface Fence {
  readonly indent: number;
  readonly mark: string;
  readonly info: string;
  readonly line: number;
  readonly isInComment: boolean;
  readonly lines: string[];
}

const OPENING = /^([ \t]*)(`{3,}|~{3,})([^\n]*)$/;
const POLICY = /^ya?ml\s+(nomos|exo)-policy$/i;
/** A rule's fence behind a list mark, a quote mark or what is not shown: Markdown renders a block, and we would not. */
const BEHIND = /^(?:[\s>\p{Cf}]|[-+*](?=\s)|\d{1,9}[.)](?=\s))+(?:`{3,}|~{3,})\s*ya?ml\s+(?:nomos|exo)-policy\s*$/iu;

/** A page's lines, whatever ends them. A byte order mark belongs to none. */
export const linesOf = (text: string): string[] => text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);

interface Found {
  readonly blocks: PolicyBlock[];
  readonly faults: RuleFault[];
  readonly notes: RuleFault[];
}

/** Fences as in CommonMark: one is closed by the same mark, at least as long; what is in one opens no other. */
export function policyBlocks(text: string): Found {
  const found: Found = { blocks: [], faults: [], notes: [] };
  let fence: Fence | null = null;
  let isInComment = false;
  for (const [at, line] of linesOf(text).entries()) {
    if (fence !== null) {
      if (!isClosing(line, fence)) {
        fence.lines.push(line);
        if (opensWithin(line, fence)) found.faults.push(swallowed(at + 1, fence));
      } else {
        close(fence, at + 1, found);
        fence = null;
      }
      continue;
    }
    const [, indent = "", mark = "", info = ""] = OPENING.exec(line) ?? [];
    if (mark === "" && BEHIND.test(line)) found.faults.push({ line: at + 1, id: null, reason: NOT_ITS_LINE });
    if (mark === "" || (mark.startsWith("`") && info.includes("`"))) isInComment = staysInComment(line, isInComment);
    else fence = { indent: indent.length, mark, info: info.trim(), line: at + 1, isInComment, lines: [] };
  }
  if (fence !== null && /policy/i.test(fence.info))
    found.faults.push({ line: fence.line, id: null, reason: "its block is not closed" });
  return found;
}

const NOT_ITS_LINE =
  "its block does not begin its line, so the rule would not count: put the fence on a line of its own";

/** A rule's fence that an open block of the same mark swallows: whoever nests examples takes a longer mark outside. */
function opensWithin(line: string, { mark }: Fence): boolean {
  const [, , own = "", info = ""] = OPENING.exec(line) ?? [];
  return own.length >= mark.length && own[0] === mark[0] && POLICY.test(info.trim());
}

function swallowed(line: number, outer: Fence): RuleFault {
  return { line, id: null, reason: `its block lies in the block of line ${outer.line}, which is not closed before it` };
}

function isClosing(line: string, { mark }: Fence): boolean {
  const [, own = ""] = /^[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return own.length >= mark.length && own[0] === mark[0];
}

function close(fence: Fence, end: number, { blocks, faults, notes }: Found): void {
  const { indent, info, line, isInComment, lines } = fence;
  const [, dialect] = POLICY.exec(info) ?? [];
  if (dialect === undefined) {
    if (/policy/i.test(info))
      notes.push({
        line,
        id: null,
        reason: `\`${info.slice(0, SHOWN)}\` is no rule; rules are marked \`yaml nomos-policy\``,
      });
    return;
  }
  if (isInComment) {
    faults.push({ line, id: null, reason: "its block is in a comment: nobody who reads the page would see the rule" });
    return;
  }
  const body = lines.map((one) => one.slice(Math.min(indent, one.length - one.trimStart().length))).join("\n");
  blocks.push({ body, line, end, dialect: dialect.toLowerCase() === "exo" ? "exo" : "nomos" });
}

const SHOWN = 60;

function staysInComment(line: string, wasInComment: boolean): boolean {
  const [opened, closed] = [line.lastIndexOf("<!--"), line.lastIndexOf("-->")];
  return opened < 0 && closed < 0 ? wasInComment : opened > closed;
}
