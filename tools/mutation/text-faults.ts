import type { Fault } from "./fault.ts";

const SAFE = ["web/text/safe"];
const MARKDOWN = ["web/text/markdown"];

/** In what the dashboard shows of hostile texts. */
export const TEXT_FAULTS: readonly Fault[] = [
  {
    name: "direction controls are shown as they are",
    file: "web/text/safe/safe-runs.ts",
    from: "\\\\p{Zp}\\\\p{Bidi_Control}\\\\p{Default_Ignorable_Code_Point}",
    to: "\\\\p{Zp}",
    project: "unit",
    tests: SAFE,
  },
  {
    name: "marks pile up without a limit",
    file: "web/text/safe/safe-runs.ts",
    from: "(?<=[\\\\p{Mn}\\\\p{Me}]{4})",
    to: "(?<=[\\\\p{Mn}\\\\p{Me}]{400})",
    project: "unit",
    tests: SAFE,
  },
  {
    name: "a whole word of look-alikes is not marked",
    file: "web/text/safe/look-alikes.ts",
    from: "return isTwin && isNearLatin ?",
    to: "return isTwin && !isNearLatin ?",
    project: "unit",
    tests: SAFE,
  },
  {
    name: "a link may have any scheme",
    file: "web/text/markdown/safe-link.ts",
    from: "|| !/^(?:https?:\\/\\/|mailto:)/i.test(href)) return null;",
    to: ") return null;",
    project: "unit",
    tests: MARKDOWN,
  },
  {
    name: "a link that names another host is not told",
    file: "web/text/markdown/safe-link.ts",
    from: "realHost: isDisguised || misleads(visible, url.host) ?",
    to: "realHost: isDisguised ?",
    project: "unit",
    tests: MARKDOWN,
  },
  {
    name: "quotes in quotes are parsed to any depth",
    file: "web/text/markdown/bounded-lexer.ts",
    from: "if (this.#depth >= DEPTH_MAX) return undefined;",
    to: "if (this.#depth >= Number.MAX_VALUE) return undefined;",
    project: "unit",
    tests: MARKDOWN,
  },
  {
    name: "a string escape that never ends swallows the output",
    file: "web/text/ansi/ansi-reader.ts",
    from: "length > ESCAPE_CHARS_MAX",
    to: "length > Number.MAX_VALUE",
    project: "unit",
    tests: ["web/text/ansi"],
  },
  {
    name: "lines beyond the count of a hunk are dropped",
    file: "web/text/diff/parse-diff.ts",
    from: "if (isInside || !readHead(reading, line, following)) readBody(reading, line);",
    to: "if (isInside) readBody(reading, line); else readHead(reading, line, following);",
    project: "unit",
    tests: ["web/text/diff"],
  },
  {
    name: "a fold hides changed lines too",
    file: "web/text/diff/diff-rows.ts",
    from: 'const isChange = line.sign !== " ";',
    to: 'const isChange = line.sign === "+";',
    project: "unit",
    tests: ["web/text/diff"],
  },
  {
    name: "the text that stopped the thread is tried again",
    file: "web/text/thread/thread-client.ts",
    from: "kept.keep(ask, answer);",
    to: "if (answer !== null) kept.keep(ask, answer);",
    project: "unit",
    tests: ["web/text/thread"],
  },
];
