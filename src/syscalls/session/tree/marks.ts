import * as z from "zod";
import { NomosError, SessionId } from "../../../contract/index.ts";
import { dataIn, isUuid, LIMITS, SESSION_EVENTS, Session } from "../../../kernel/index.ts";
import { pointLabels, pointNamed } from "../../../supervisor/index.ts";
import { read, type Syscall, write } from "../../define.ts";
import { Limit } from "../../query-text.ts";
import { byOf, sessionRowOf } from "../answer.ts";

const PointName = z.string().min(1).max(LIMITS.pointLabelChars);

/** Names points of a session's history. */
export const sessionMarks: readonly Syscall[] = [
  write({
    name: "session.mark",
    summary: "Label a point of a session's history, so that rewind and fork find it; an empty label is removed",
    permission: "session.label",
    roles: ["session"],
    needs: ["store", "supervisor"],
    about: "session",
    input: z.object({
      id: SessionId,
      event: PointName.describe("an event id, or the label that the point has"),
      label: z
        .string()
        .max(LIMITS.pointLabelChars)
        .nullable()
        .describe("a label that is at another point moves here; null or empty: removed"),
    }),
    output: z.object({ id: z.string(), eventId: z.string(), label: z.string().nullable() }),
    errors: ["session_not_found", "event_not_found", "labels_full", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/marks" },
    cli: {
      positional: ["id", "event", "label"],
      says: [
        "{eventId} is labelled: {label}",
        ["label", null, "{eventId} has no label now."],
        "Next: nomos session marks {id}",
      ],
    },
    idempotent: true,
    commit: (context, { id, event, label }) =>
      context.services.supervisor.mark(id, event, labelIn(label), byOf(context)),
    answer: async ({ services: { store } }, { id, event, label }, events) => {
      const marked = dataIn(SESSION_EVENTS, events, "point.labelled@1");
      // Nothing was recorded: the point had this label already.
      const eventId = marked?.eventId ?? (await pointNamed(store, await store.fold(Session, id), event)).eventId;
      return { id, eventId, label: labelIn(label) };
    },
  }),
  read({
    name: "session.marks",
    summary: "List the labelled points of a session's history, with those that a fork inherited",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["store"],
    about: "session",
    input: z.object({
      id: SessionId,
      after: z.coerce.number().int().min(0).optional().describe("the `next` of the previous page"),
      limit: Limit(LIMITS.pointLabelsMax),
    }),
    output: z.object({
      marks: z.array(
        z.object({
          eventId: z.string(),
          label: z.string(),
          at: z.string().describe("when it was labelled"),
          isOnPath: z.boolean().describe("false: a rewind went back behind it"),
        }),
      ),
      next: z.number().int().nullable(),
    }),
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/sessions/:id/marks" },
    cli: { positional: ["id"] },
    answer: async (context, { id, after = 0, limit = 100 }) => {
      await sessionRowOf(context, id);
      const { store } = context.services;
      const rest = (await pointLabels(store, await store.fold(Session, id))).filter(({ seq }) => seq > after);
      const page = rest.slice(0, limit);
      const next = rest.length > page.length ? (page.at(-1)?.seq ?? null) : null;
      return { marks: page.map(({ seq: _seq, ...mark }) => mark), next };
    },
  }),
];

/** An id of an event would hide the event. */
function labelIn(label: string | null): string | null {
  const given = label?.trim() ?? "";
  if (isUuid(given)) throw new NomosError("invalid_request", { reason: "a label is no event id" });
  return given === "" ? null : given;
}
