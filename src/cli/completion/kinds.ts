import type { Member, SyscallEntry } from "../../client/index.ts";

/** What a word stands for. The values of a kind come from the daemon, except for files and commands. */
export type Kind =
  | ("session" | "question" | "agent" | "driver" | "workspace" | "worktree" | "token" | "turn" | "setting" | "page")
  | ("file" | "command");

/** Placeholders in the usages of everyday commands. */
const PLACEHOLDERS: { readonly [word: string]: Kind } = {
  SESSION: "session",
  APPROVAL: "question",
  AGENT: "agent",
  WORKSPACE: "workspace",
  SLUG: "workspace",
  KEY: "setting",
  DIR: "file",
  FILE: "file",
  BACKUP: "file",
  COMMAND: "command",
  SUBJECT: "command",
};

export function kindOfPlaceholder(word: string): Kind | null {
  return Object.hasOwn(PLACEHOLDERS, word) ? (PLACEHOLDERS[word] ?? null) : null;
}

const MEMBERS: { readonly [name: string]: Kind } = {
  sessionId: "session",
  adapter: "driver",
  driver: "driver",
  agent: "agent",
  workspaceSlug: "workspace",
  approvalId: "question",
  tokenId: "token",
  turn: "turn",
};

/** By the member's name; an id, a slug, a key or a path is of the thing that the route is about. */
export function kindOfMember({ name: syscall, http, cli }: SyscallEntry, { name }: Member): Kind | null {
  if (cli.paths?.includes(name) || cli.files?.includes(name)) return "file";
  if (Object.hasOwn(MEMBERS, name)) return MEMBERS[name] ?? null;
  const [family] = syscall.split(".");
  if (name === "id" && http.path.startsWith("/sessions/:id")) return "session";
  if (family === "landing" && (name === "id" || name === "before" || name === "session")) return "session";
  if (name === "id" && (family === "worktree" || family === "sandbox" || family === "archive"))
    return family === "worktree" ? "worktree" : "session";
  if (name === "id" && http.path.startsWith("/api/audit/agent")) return "agent";
  if (name === "slug" && (family === "agent" || family === "driver" || family === "workspace")) return family;
  if (name === "key" && family === "config") return "setting";
  return name === "path" && family === "doc" ? "page" : null;
}
