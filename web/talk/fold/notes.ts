import type { LogEvent } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";
import type { Entry, NoteEntry } from "../entry.ts";
import { listIn, numberOrNull, placeOf, storedIn, textIn } from "../reading.ts";
import { momentText } from "../time-text.ts";

type Said = Partial<Pick<NoteEntry, "tone" | "more" | "names" | "session" | "code">> & { readonly text: string };

/** Events whose facts stand elsewhere on the page, or that only the log needs. The list of raw events has them. */
const QUIET: ReadonlySet<string> = new Set([
  ...["session.started@1", "effect.begun@1", "approval.joined@1", "gate.allowed@1", "driver.offered@1"],
  ...["snapshot.taken@1", "restore.begun@1", "call.made@1", "call.begun@1", "turn.started@1", "usage.reported@1"],
  ...["context.composed@1", "turn.settled@1"],
]);

/** What a person should know of an event that is no talk; null when it is nothing. */
export function noteIn(event: LogEvent): Entry | null {
  if (QUIET.has(event.type)) return null;
  const said = event.data === null ? ERASED : NOTES[event.type]?.(event.data);
  if (said === null) return null;
  if (said === undefined) return { ...placeOf(event), kind: "other", type: event.type, data: event.data };
  const rest = { tone: "plain", more: null, names: [], session: null, code: null } as const;
  return { ...placeOf(event), kind: "note", ...rest, ...said };
}

const ERASED: Said = { text: "The data of this event was erased." };

const NOTES: { readonly [type: string]: (data: unknown) => Said | null } = {
  "session.opened@1": (data) => started("Started", memberOf(data, "spec")),
  "session.forked@1": (data) => {
    const id = textIn(memberOf(data, "from"), "sessionId");
    return { text: "Forked from", session: { id, name: id.slice(-8) } };
  },
  "session.suspended@1": (data) => ({ text: because("Suspended", data) }),
  "session.resumed@1": () => ({ text: "Resumed" }),
  "session.hibernated@1": (data) => ({ text: because("Went to sleep", data) }),
  "session.woken@1": () => ({ text: "Woke up" }),
  "session.exited@1": (data) => {
    const code = numberOrNull(data, "exitCode");
    return { text: code === null ? "Ended" : `Ended with exit code ${code}` };
  },
  "session.killed@1": (data) => ({ text: because("Killed", data), tone: "warn" }),
  "session.failed@1": (data) => ({ text: textIn(data, "message"), tone: "bad", code: textIn(data, "code") }),
  "session.forgotten@1": () => ({ text: "Removed from every list" }),
  "session.labelled@1": (data) => ({ text: named("Label", textIn(data, "label")) }),
  "session.titled@1": (data) => ({ text: named("Title", textIn(data, "title")) }),
  "session.archived@1": () => ({ text: "Archived: what it said and did has left the log" }),
  "session.rewound@1": () => ({ text: "Rewound: the turns after that point no longer count", tone: "warn" }),
  "session.delegated@1": (data) => {
    const id = textIn(data, "childId");
    return { text: `Started a session of ${textIn(data, "agent")}`, session: { id, name: id.slice(-8) } };
  },
  "turn.interrupt_requested@1": () => ({ text: "Interrupted" }),
  "driver.attached@1": (data) =>
    memberOf(data, "continuity") === "digest"
      ? { text: because("The agent starts from a digest of the conversation", data), tone: "warn" }
      : null,
  "driver.configured@1": (data) => ({ text: named("Settings", settingsIn(data)) }),
  "driver.switched@1": (data) => ({ text: `From here on with ${textIn(data, "agent")}` }),
  "turn.resumed@1": (data) => ({ text: because("The turn goes on from the log", data) }),
  "quota.reached@1": (data) => {
    const reason = textIn(data, "reason").replace(/[.]$/, "");
    const then = ON_RESET[textIn(data, "onReset")] ?? "";
    return {
      text: `${reason}. Waits for the usage limit until ${momentText(textIn(data, "until"))}${then}`,
      tone: "warn",
    };
  },
  "quota.reset@1": () => ({ text: "The usage limit has reset" }),
  "driver.noticed@1": (data) => ({
    text: textIn(data, "title"),
    tone: ({ warning: "warn", error: "bad" } as const)[textIn(data, "severity")] ?? "plain",
    more: storedIn(memberOf(data, "body")),
  }),
  "gate.denied@1": (data) =>
    listIn(data, "rules").includes("not_offered")
      ? null
      : { text: `Denied: ${textIn(data, "verb")} ${textIn(data, "resource")}`, tone: "bad" },
  "artifact.written@1": (data) => ({
    text: `Artifact ${textIn(data, "path")}, version ${String(memberOf(data, "version") ?? "")}`,
  }),
  "snapshot.skipped@1": (data) => ({ text: because("The files were not kept", data), tone: "warn" }),
  "restore.settled@1": restored,
  "worktree.created@1": (data) => ({ text: `Own worktree in ${textIn(data, "path")}` }),
  "worktree.attached@1": (data) => ({ text: `Worktree ${textIn(data, "path")}` }),
  "worktree.kept@1": () => ({ text: "The worktree is kept: it holds work" }),
  "worktree.removed@1": () => ({ text: "The worktree was removed" }),
  "scope.reverted@1": (data) => {
    const files = listIn(data, "files").map((file) => ({ name: textIn(file, "path"), why: textIn(file, "rule") }));
    const count = files.length + (numberOrNull(data, "more") ?? 0);
    return { text: `Reverted ${counted(count, "file")} outside of the scope`, tone: "warn", names: files };
  },
  "data.erased@1": (data) => ({ text: `Erased the data of ${counted(listIn(data, "events").length, "event")}` }),
  "x.note@1": (data) => {
    const payload = memberOf(data, "payload");
    return { text: `Note: ${typeof payload === "string" ? payload : textIn(payload, "text")}` };
  },
};

const ON_RESET: { readonly [onReset: string]: string } = {
  resume: "; then the turn goes on",
  continue: "; then it is told to continue",
  tell: "; then you are told",
};

function started(word: string, spec: unknown): Said {
  const where = textIn(spec, "cwd");
  return { text: `${word} ${textIn(spec, "agent")}${where === "" ? "" : ` in ${where}`}` };
}

function restored(data: unknown): Said {
  const files = memberOf(data, "files");
  const names = (["restored", "removed", "kept"] as const).flatMap((why) =>
    listIn(files, why).map((name) => ({ name: String(name), why })),
  );
  const isBack = memberOf(data, "outcome") === "restored";
  return {
    text: isBack ? "The files are as they were then" : because("The files could not be restored", data),
    tone: isBack ? "plain" : "bad",
    names,
  };
}

function settingsIn(data: unknown): string {
  const options = Object.entries(Object(memberOf(data, "options") ?? {})).map(
    ([id, value]) => `${id} ${String(value)}`,
  );
  return [textIn(data, "mode"), textIn(data, "model"), ...options].filter((part) => part !== "").join(", ");
}

function because(text: string, data: unknown): string {
  const reason = textIn(data, "reason");
  return reason === "" ? text : `${text}: ${reason}`;
}

function named(what: string, value: string): string {
  return value === "" ? `${what} removed` : `${what}: ${value}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
