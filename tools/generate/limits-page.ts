import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DEFAULTS, Config, LIMIT_DEFAULTS } from "../../src/contract/index.ts";
import { AGGREGATES } from "../../src/domains/index.ts";
import { LIMITS } from "../../src/kernel/index.ts";
import { schemaOf } from "./json-schema.ts";
import { code, page, table } from "./markdown.ts";

/** All limits: configurable ones, those of the folds, and constants in the sources. */
export function limitsPage(root: string): string {
  const fixed = fixedLimits(root);
  return page(
    "Limits",
    "Everything has a limit, and its name carries the unit. This page lists them all; where one is reached, the error names it. For what happens when space runs out, see [metrics and quotas](../guide/metrics.md#when-room-is-short).",
    "## What can be set",
    "Change them with `nomos config set KEY VALUE`. Those under `limits` apply at once; the others after a restart, unless [configuration](configuration.md) says otherwise.",
    table(
      ["key", "default", "meaning"],
      settable().map(({ key, value, meaning }) => [code(key), code(grouped(value)), meaning]),
    ),
    "## What a session's state is bounded by",
    "These are fixed, because the folds of old logs depend on them.",
    table(
      ["name", "value", "meaning"],
      Object.entries(LIMITS).map(([name, value]) => [code(name), code(grouped(value)), meaningOf(name)]),
    ),
    "## What the states of other kinds are bounded by",
    table(
      ["kind", "name", "value", "meaning"],
      AGGREGATES.flatMap(({ kind, limits }) =>
        Object.entries(limits).map(([name, { max, of }]) => [code(kind), code(name), code(grouped(max)), of]),
      ),
    ),
    "## What is fixed elsewhere",
    "Constants in the source code: queues, pages, buffers, connections.",
    table(
      ["name", "value", "where"],
      fixed.map(({ name, value, file }) => [code(name), code(grouped(value)), code(file)]),
    ),
  );
}

const MEANINGS: { readonly [K in keyof typeof LIMITS]: string } = {
  promptInlineBytes: "a longer prompt stands in a blob, and its beginning in the event",
  promptBytes: "the longest prompt",
  eventDataBytes: "the data of one event",
  messageInlineBytes: "a longer message or piece of output stands in a blob",
  queuedTurnsMax: "turns that wait in one session; one more is refused as `queue_full`",
  pendingApprovalsMax: "open questions of one session",
  steersMax: "steering messages of one turn that no step contains yet",
  resumesMax: "how often a turn goes on without finishing a step after its driver's process ended",
  restartsMax: "the same, after the daemon ended",
  openEffectsMax: "effects of one session that are under way at once",
  grantsMax: "verbs that are allowed for good in one session",
  widenedMax: "patterns that people added to one session's scope",
  artifactPathsMax: "paths of artifacts in one session",
  artifactPathChars: "the longest path of an artifact",
  artifactVersionsMax: "versions of artifacts that a session remembers",
  artifactIdsMax: "artifacts whose numbering a session remembers",
  artifactBytes: "one artifact, one blob, one message",
  todoItemsMax: "items of a todo",
  todoItemChars: "the text of one item",
  labelChars: "a label",
  pointLabelChars: "a label of a point",
  pointLabelsMax: "labelled points of a session",
  titleChars: "a title; one that comes from the first prompt has at most 80",
  childrenMax: "living sessions that a session remembers to have started",
  pastChildrenMax: "ended sessions that a session remembers to have started",
  delegatesMax: "agents that an agent's sessions may start sessions of",
  pathSegmentsMax: "stretches that rewinds divide a session's path into",
  optionChars: "one option of a question",
  optionsMax: "options of a question",
  questionChars: "a question to a person; a longer one is refused and not cut short",
  diffChars: "the diff that a question brings; a longer one is cut and says how many lines are missing",
  snapshotEveryEvents: "events between two kept folds of a stream",
  idempotencyKeyChars: "an Idempotency-Key",
  driverOptionsMax: "options that a session's agent is set to",
  attachmentsMax: "things beside the text of one prompt",
  attachmentBytes: "one of those",
  callNotesReserveBytes: "what notes of calls that changed nothing may take up beyond a home's quota",
};

function meaningOf(name: string): string {
  const meanings: { readonly [name: string]: string } = MEANINGS;
  return meanings[name] ?? "";
}

interface Settable {
  readonly key: string;
  readonly value: number;
  readonly meaning: string;
}

function settable(): readonly Settable[] {
  const { properties = {} } = schemaOf(Config, "input");
  const inner = properties["limits"]?.properties ?? {};
  const plain = Object.entries(CONFIG_DEFAULTS).flatMap(([key, value]) =>
    /Max$/.test(key) ? [{ key, value, meaning: properties[key]?.description ?? "" }] : [],
  );
  const limits = Object.entries(LIMIT_DEFAULTS).map(([key, value]) => ({
    key: `limits.${key}`,
    value,
    meaning: inner[key]?.description ?? "",
  }));
  return [...limits, ...plain];
}

/** Found by name: plain numbers whose name ends like a limit. */
function fixedLimits(
  root: string,
): readonly { readonly name: string; readonly value: number; readonly file: string }[] {
  const files = globSync("{src,packages/*/src}/**/*.ts", { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .toSorted();
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(LIMIT)].map(([, name = "", value = ""]) => ({
      name,
      value: product(value),
      file,
    })),
  );
}

const LIMIT = /^(?:export )?const ([A-Z][A-Z0-9_]*_(?:MAX|KEPT)(?:_[A-Z]+)?) = ([\d_ *]+);/gm;

function product(text: string): number {
  return text.split("*").reduce((all, factor) => all * Number(factor.replaceAll("_", "")), 1);
}

function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+(?!\d))/g, "_");
}
