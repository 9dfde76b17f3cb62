import type { TodoItem } from "../../kernel/index.ts";

/** The items that are not done, one per line; empty when there is none. */
export function todoText(items: readonly TodoItem[]): string {
  return items
    .filter(({ status }) => status !== "done")
    .map(({ text, status }) => `- [${status}] ${text}`)
    .join("\n");
}
