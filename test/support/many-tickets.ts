import { execFileSync } from "node:child_process";

/** A ticket's file as a person or we would write it. */
export function ticketText(id: string, more: Readonly<Record<string, string>> = {}): string {
  const fields: Readonly<Record<string, string>> = {
    id,
    kind: "task",
    title: `Do ${id}`,
    body: "|-\n  First line.\n  Second line: with a colon.",
    type: "feature",
    priority: "3",
    scope: "\n  allow:\n    - src/**\n  deny: []",
    fileBudget: "\n  files: 12\n  lines: 400",
    checks: "\n  - [npm, test]",
    acceptance: "\n  - id: ACC-1\n    text: It works\n    check: [npm, test]",
    createdAt: "2026-01-02T03:04:05.000Z",
    ...more,
  };
  const lines = Object.entries(fields).map(([key, value]) => `${key}:${value.startsWith("\n") ? "" : " "}${value}\n`);
  return lines.join("");
}

/** `TKT-20260102-030405-00A1`: the n-th of many. */
export function ticketIdOf(n: number): string {
  return `TKT-20260102-030405-${n.toString(36).toUpperCase().padStart(4, "0")}`;
}

/** Commits many files at once on `main`, as a person's pull would bring them. */
export function commitMany(repo: string, files: Iterable<readonly [path: string, text: string | null]>): void {
  const lines = [
    "feature done\ncommit refs/heads/main\ncommitter Ada Person <ada@example.org> 1767323045 +0000\ndata 4\nmany\n",
  ];
  lines.push("from refs/heads/main^0\n");
  for (const [path, text] of files) {
    if (text === null) lines.push(`D ${path}\n`);
    else lines.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  }
  lines.push("done\n");
  execFileSync("git", ["fast-import", "--quiet", "--done"], { cwd: repo, input: lines.join(""), maxBuffer: 1e9 });
}
