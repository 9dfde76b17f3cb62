import * as z from "zod";
import { LIMITS, type TodoItem } from "../../../kernel/index.ts";
import type { Tool } from "../../tool.ts";
import { done } from "../shared/results.ts";
import { oneLine } from "../shared/shown.ts";

const Item = z.strictObject({
  text: z.string().min(1).max(LIMITS.todoItemChars),
  status: z.enum(["open", "active", "done"]),
});

const Input = z.strictObject({
  items: z.array(Item).max(LIMITS.todoItemsMax).optional().describe("The whole new list. Leave out to read the list."),
});

type Input = z.infer<typeof Input>;

export const todo: Tool<Input> = {
  name: "todo",
  description:
    "The session's list of things to do, which the user sees. With `items` it replaces the whole list, without it answers " +
    "with the list. Keep one item active; mark items done as soon as they are. Use it for work of three steps or more.",
  input: Input,
  permission: "none",
  redo: "safe",
  mode: "sequential",
  title: ({ items }) => (items === undefined ? "Read the todo list" : `Update the todo list (${spellCount(items)})`),
  run: async ({ items }, { world }) => {
    if (items !== undefined) await world.todo(items);
    const now = items ?? (await world.todoNow());
    if (now.length === 0) return done("The todo list is empty.");
    const lines = now.map(({ text, status }) => `${MARKS[status]} ${oneLine(text, LIMITS.todoItemChars)}`);
    return done([`Todo list (${spellCount(now)}):`, ...lines].join("\n"));
  },
};

const MARKS: Readonly<Record<TodoItem["status"], string>> = { open: "[ ]", active: "[>]", done: "[x]" };

function spellCount(items: readonly TodoItem[]): string {
  return `${items.filter(({ status }) => status === "done").length} of ${items.length} done`;
}
