import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, expectOk } from "../e2e/support/talk.ts";
import type { TestDaemon } from "./daemon.ts";

export interface ShownCandidate {
  readonly sessionId: string;
  readonly name?: string;
  readonly agent: string;
  readonly state: string;
  readonly rank?: number;
  readonly reason?: string;
  readonly passes?: boolean;
  readonly outcome?: string;
  readonly checks?: string;
  readonly findings: readonly { readonly rule: string; readonly message: string }[];
  readonly files?: number;
  readonly added?: number;
  readonly removed?: number;
  readonly paths: readonly string[];
  readonly turnMs?: number;
  readonly landing?: { readonly id: string; readonly state: string };
  readonly error?: { readonly code: string; readonly message: string };
  readonly gone?: { readonly files: readonly string[]; readonly more: number; readonly snapshot: string | null };
}

export interface ShownFanout {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly base: string | null;
  readonly candidates: readonly ShownCandidate[];
  readonly best: { readonly sessionId: string; readonly reason: string } | null;
  readonly chosen: { readonly sessionId: string; readonly landingId: string } | null;
  readonly overlap: readonly { readonly path: string; readonly sessions: readonly string[] }[];
}

/** What each agent does with the prompt, by its name: the demo's words, a line each. */
export type Script = { readonly [agent: string]: readonly string[] };

/** Agents that read their own part of the prompt, so that one prompt makes each do something else. */
export async function addAgents(daemon: TestDaemon, names: readonly string[]): Promise<AsyncDisposable> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-agents-")));
  const drivers = Object.fromEntries(names.map((name) => [name, { file: join(folder, `${name}.ts`) }]));
  for (const name of names) await writeFile(join(folder, `${name}.ts`), driverText(name));
  const { config } = expectOk(await daemon.call<{ config: { drivers?: object } }>("GET", "/api/config"));
  expectOk(await daemon.call("PUT", "/api/config", { config: { drivers: { ...config.drivers, ...drivers } } }));
  return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

export function promptOf(script: Script): string {
  return JSON.stringify(script);
}

export async function fanOut(daemon: TestDaemon, body: object, key?: string): Promise<ShownFanout> {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return expectOk(await daemon.call<ShownFanout>("POST", "/api/fan-outs", body, headers), 201);
}

export async function shown(daemon: TestDaemon, id: string): Promise<ShownFanout> {
  return expectOk(await daemon.call<ShownFanout>("GET", `/api/fan-outs/${id}`));
}

export async function judged(daemon: TestDaemon, id: string): Promise<ShownFanout> {
  return expectOk(await daemon.call<ShownFanout>("GET", `/api/fan-outs/${id}/wait?timeoutMs=60000`));
}

export function reached(daemon: TestDaemon, id: string, what: (now: ShownFanout) => boolean): Promise<ShownFanout> {
  return eventually(`fan-out ${id}`, async () => {
    const now = await shown(daemon, id);
    return what(now) ? now : null;
  });
}

export function candidateOf({ candidates }: ShownFanout, agent: string): ShownCandidate {
  const found = candidates.find((one) => one.agent === agent);
  if (found === undefined) throw new Error(`no candidate ${agent}`);
  return found;
}

function driverText(name: string): string {
  return `
const NAME = ${JSON.stringify(name)};
export default async (turn) => {
  const steps = turn.input.startsWith("{") ? (JSON.parse(turn.input)[NAME] ?? []) : turn.input.split("\\n");
  for (const step of steps) {
    const [, command, rest] = /^(\\S+) ?(.*)$/s.exec(step);
    if (command === "write") {
      const [, path, text] = /^(\\S+) ?(.*)$/s.exec(rest);
      await turn.tools.write(path, text + "\\n");
    } else if (command === "run") await turn.tools.run(rest);
    else if (command === "sleep") await new Promise((resolve) => setTimeout(resolve, Number(rest)));
    else if (command === "ask") await turn.ask(rest, ["yes", "no"]);
    else if (command === "fail") throw new Error(rest);
    else await turn.say(step);
  }
};
`;
}
