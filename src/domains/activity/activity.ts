import { memberOf } from "../../kernel/index.ts";

/** What a session does now, from its last event; null when the event says nothing about it. */
export function activityOf({ type, data }: { readonly type: string; readonly data: unknown }): string | null {
  const text = (key: string): string => String(memberOf(data, key) ?? "");
  switch (type) {
    case "tool.called@1":
    case "effect.intended@1":
      return toolTitle(data);
    case "message.completed@1":
      return memberOf(data, "role") === "thought" ? null : lastLine(text("text"));
    case "turn.started@1":
      return "working";
    case "turn.ended@1":
      return text("outcome") === "completed" ? null : text("outcome");
    case "x.note@1":
      return `✉ ${lastLine(String(memberOf(memberOf(data, "payload"), "text") ?? ""))}`;
    case "session.failed@1":
      return text("message");
    default:
      return null;
  }
}

/** A tool call in a few words: the action and its target. As the agent wrote it: make it harmless before you show it. */
export function toolTitle(data: unknown): string {
  const title = memberOf(data, "title");
  if (typeof title === "string" && title !== "") return title;
  const detail = memberOf(data, "detail");
  const what = memberOf(detail, "command") ?? memberOf(detail, "path") ?? memberOf(detail, "argv") ?? "";
  return `${String(memberOf(data, "kind") ?? "tool")} ${Array.isArray(what) ? what.join(" ") : String(what)}`;
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
