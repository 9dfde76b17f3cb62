import type { Scan } from "../scan/scan-files.ts";
import { flow } from "./constitution-text.ts";

export interface ConfigWish {
  readonly branch: string;
  readonly budget: Scan["budget"];
  readonly checks: readonly (readonly string[])[];
}

/** One setting with the comment that explains it. `key`: what has to be missing for an upgrade to add it. */
interface Setting {
  readonly key: string;
  readonly text: (wish: ConfigWish) => string;
}

const SETTINGS: readonly Setting[] = [
  { key: "version", text: () => "version: 1" },
  {
    key: "branch",
    text: ({ branch }) => `# The branch whose last commit is the law.\nbranch: ${JSON.stringify(branch)}`,
  },
  {
    key: "budgets",
    text: ({ budget: { files, lines } }) =>
      `# What one ticket may change, if it says nothing else.\nbudgets:\n  files: ${files}\n  lines: ${lines}`,
  },
  {
    key: "checks",
    text: ({ checks }) => {
      const commands = checks.map((argv) => `\n  - ${flow(argv)}`).join("");
      return `# Commands that every landing has to pass, beside those of the constitution.\nchecks:${commands || " []"}`;
    },
  },
  {
    key: "lanes",
    text: () =>
      `# How many tickets of some types may be worked on at once, such as\n#   - { name: features, types: [feature], count: 3 }\nlanes: []`,
  },
  {
    key: "ticketsAtOnceMax",
    text: () => "# How many tickets may be worked on at once in all; null: any number.\nticketsAtOnceMax: null",
  },
  {
    key: "leases",
    text: () =>
      "# How long a lease holds without a sign of life. `remote: origin` shares leases with other clones.\nleases:\n  minutes: 120\n  remote: null",
  },
  {
    key: "coUpdates",
    text: () =>
      "# Files that change together, such as\n#   - { label: schema, files: [schema.sql, src/schema.ts] }\ncoUpdates: []",
  },
];

export function configText(wish: ConfigWish): string {
  const head = "# Settings of this repository's law. `nomos governance config` checks this file.";
  return `${[head, ...SETTINGS.map(({ text }) => text(wish))].join("\n\n")}\n`;
}

/** Adds the settings that a file does not have, and leaves what people wrote as it is. Null: nothing is missing. */
export function backfilled(text: string, has: (key: string) => boolean, wish: ConfigWish): string | null {
  const missing = SETTINGS.filter(({ key }) => !has(key));
  if (missing.length === 0) return null;
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${end}\n${missing.map((one) => one.text(wish)).join("\n\n")}\n`;
}
