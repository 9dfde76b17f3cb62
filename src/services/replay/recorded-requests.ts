import { isAbsolute, join, relative, resolve } from "node:path";
import { wishOf } from "../../drivers/index.ts";
import { HostError, isInside } from "../../host/index.ts";
import type { Fact } from "../../kernel/index.ts";
import { callResource, commandResource, type LoadedEvent, type Wish } from "../../turns/index.ts";

/** Something that a session did or wanted, as the gate would be asked about it. */
export interface RecordedRequest {
  readonly event: LoadedEvent;
  readonly turnId: string;
  readonly callId: string | null;
  readonly title: string;
  readonly was: "allowed" | "asked" | "refused";
  readonly about: RequestAbout;
}

/** `look`: a search over many files at once. */
export type RequestAbout =
  | { readonly kind: "own"; readonly verb: string; readonly resource: string; readonly path: string | null }
  | { readonly kind: "look" }
  /** Of a foreign agent. `isGates`: as the gate recorded it, and not as the agent's call says. */
  | { readonly kind: "wish"; readonly wish: Wish; readonly isGates: boolean };

type Called = Extract<Fact, { readonly type: "tool.called@1" }>;
type Intended = Extract<Fact, { readonly type: "effect.intended@1" }>;

/** Everything on a recorded path that the gate decides about, in the order of the log. */
export function recordedRequests(events: readonly LoadedEvent[], cwd: string): readonly RecordedRequest[] {
  const names = callNames(events);
  const diffs = changedPaths(events);
  const questions = new Map(events.flatMap(({ fact }) => questionOf(fact)));
  return events.flatMap((event): readonly RecordedRequest[] => {
    const { fact } = event;
    switch (fact.type) {
      case "effect.intended@1":
        return [ofEffect(event, fact, questions.get(fact.data.effectId) ?? null, cwd)];
      case "gate.denied@1":
        if (fact.data.turnId === null) return [];
        return [isForeign(fact.data.verb) ? ofWish(event, fact.data, "refused") : ofDenial(event, fact.data)];
      case "gate.allowed@1":
        return [ofWish(event, fact.data, "allowed")];
      case "approval.requested@1": {
        const { action, effectId, turnId } = fact.data;
        return action === null || effectId !== null ? [] : [ofWish(event, { ...action, turnId }, "asked")];
      }
      case "tool.called@1": {
        const name = names.get(idOf(fact.data));
        if (name === undefined) return [ofForeign(event, fact, diffs.get(idOf(fact.data)) ?? [])];
        return fact.data.kind === "read" ? [ofRead(event, fact, name, cwd)] : [];
      }
      default:
        return [];
    }
  });
}

const isForeign = (verb: string): boolean => verb.startsWith("agent.");
const idOf = ({ turnId, callId }: { readonly turnId: string; readonly callId: string }) => `${turnId} ${callId}`;

/** The tools of the engine's calls, by call. A call that is not in here is a foreign agent's. */
function callNames(events: readonly LoadedEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap(({ fact }) =>
      fact.type !== "step.ended@1"
        ? []
        : fact.data.parts.flatMap((part): [string, string][] =>
            part.kind === "call" ? [[idOf({ turnId: fact.data.turnId, callId: part.callId }), part.name]] : [],
          ),
    ),
  );
}

function changedPaths(events: readonly LoadedEvent[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    events.flatMap(({ fact }): [string, readonly string[]][] =>
      fact.type === "tool.ended@1" ? [[idOf(fact.data), fact.data.diffs.map(({ path }) => path)]] : [],
    ),
  );
}

function questionOf(fact: Fact): readonly [string, string][] {
  if (fact.type !== "approval.requested@1" || fact.data.effectId === null || fact.data.action === null) return [];
  return [[fact.data.effectId, fact.data.action.resource]];
}

function ofEffect(event: LoadedEvent, { data }: Intended, asked: string | null, cwd: string): RecordedRequest {
  const { kind, detail, verdict, turnId, callId = null } = data;
  const { resource, path } = aboutEffect(kind, detail, cwd);
  return {
    ...{ event, turnId, callId, title: `${kind}: ${titleOf(detail)}`, was: verdict === "ask" ? "asked" : "allowed" },
    about: { kind: "own", verb: `tool.${kind}`, resource: asked ?? resource, path },
  };
}

/** Only tools of the daemon record their resource; for all others the detail says what it was. */
function aboutEffect(kind: string, detail: unknown, cwd: string): { resource: string; path: string | null } {
  const [path, command, resource] = ["path", "command", "resource"].map((key) => textAt(detail, key));
  if (resource != null) return { resource, path: null };
  if (command != null) return { resource: commandResource(command), path: null };
  if (path != null) return { resource: placed(cwd, path), path };
  const argv = argvIn(detail);
  const [program = "", flag, line] = argv;
  const isShell = kind === "process" && program === "sh" && flag === "-c" && line !== undefined;
  if (argv.length > 0) return { resource: isShell ? commandResource(line) : `command/${program}`, path: null };
  return { resource: callResource(kind), path: null };
}

function ofDenial(
  event: LoadedEvent,
  { verb, resource, turnId }: { readonly verb: string; readonly resource: string; readonly turnId: string | null },
): RecordedRequest {
  const about = { kind: "own", verb, resource, path: pathIn(resource) } as const;
  return { event, turnId: turnId ?? "", callId: null, title: `${verb} ${resource}`, was: "refused", about };
}

function ofRead(event: LoadedEvent, { data }: Called, name: string, cwd: string): RecordedRequest {
  const { turnId, callId, title, input } = data;
  const path = textAt(parsed(input?.text ?? null), "path");
  const about =
    name === "read" && path !== null
      ? ({ kind: "own", verb: "tool.read", resource: placed(cwd, path), path: null } as const)
      : ({ kind: "look" } as const);
  return { event, turnId, callId, title, was: "allowed", about };
}

function ofForeign(event: LoadedEvent, { data }: Called, changed: readonly string[]): RecordedRequest {
  const { turnId, callId, title, kind, places, input } = data;
  const content = changed.map((path) => ({ is: "diff", path, before: null, after: "" }) as const);
  const call = { callId, title, kind, places, content, input: parsed(input?.text ?? null), output: null };
  const wish = { ...wishOf(call), question: title, options: [] };
  return { event, turnId, callId, title, was: "allowed", about: { kind: "wish", wish, isGates: false } };
}

interface RecordedWish {
  readonly turnId: string | null;
  readonly verb: string;
  readonly resource: string;
}

/** A wish that the gate has decided on: an agent may ask without ever reporting the call. */
function ofWish(
  event: LoadedEvent,
  { turnId, verb, resource }: RecordedWish,
  was: RecordedRequest["was"],
): RecordedRequest {
  const path = pathIn(resource);
  const wish = {
    ...{ tool: verb.slice("agent.".length), question: resource, options: [], resource },
    ...(resource.startsWith("command/") ? { command: resource } : {}),
    paths: path === null ? [] : [{ path, isChanged: false }],
  };
  const title = `${verb} ${resource}`.slice(0, TITLE_CHARS);
  return { event, turnId: turnId ?? "", callId: null, title, was, about: { kind: "wish", wish, isGates: true } };
}

function pathIn(resource: string): string | null {
  if (resource.startsWith("path/")) return resource.slice("path/".length);
  return resource.startsWith("outside/") ? resource.slice("outside".length) : null;
}

/** Without a look at any file: links are as they are named. */
function placed(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  if (!isInside(cwd, absolute)) return `outside${absolute}`;
  const below = relative(cwd, absolute);
  return `path/${below === "" ? "." : below}`;
}

/** As the real files name places, on names alone: a replay looks at no file. */
export const NAMES_ONLY = {
  place: (root: string, path: string): string => {
    const absolute = isAbsolute(path) ? path : join(root, path);
    if (isInside(root, absolute)) return relative(root, absolute);
    throw new HostError("path_outside", `${path} lies outside ${root}`, {
      remedy: "Name a path below the session's directory.",
      details: { place: absolute },
    });
  },
};

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // An agent may write anything as its input.
    return null;
  }
}

function textAt(given: unknown, key: string): string | null {
  const value: unknown = typeof given === "object" && given !== null ? Reflect.get(given, key) : null;
  return typeof value === "string" ? value : null;
}

function argvIn(detail: unknown): readonly string[] {
  const argv: unknown = typeof detail === "object" && detail !== null ? Reflect.get(detail, "argv") : null;
  return Array.isArray(argv) ? argv.map(String) : [];
}

const TITLE_CHARS = 200;

function titleOf(detail: unknown): string {
  const text =
    textAt(detail, "command") ?? textAt(detail, "path") ?? textAt(detail, "tool") ?? argvIn(detail).join(" ");
  return text.slice(0, TITLE_CHARS);
}
