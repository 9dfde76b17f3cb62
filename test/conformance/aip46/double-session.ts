import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";

export interface DoubleRecord {
  readonly id: string;
  readonly adapterSlug: string;
  readonly workspaceSlug: string;
  readonly ground: string;
  readonly cwd: string;
  readonly startedAt: string;
  readonly label?: string;
  readonly agentSlug?: string;
  readonly parentSessionId?: string;
  readonly depth: number;
  status: string;
  endedAt?: string;
  exitCode?: number;
}

interface Line {
  readonly line: string;
  readonly stream: "stdout" | "stderr";
}

const READER_BYTES_MAX = 1_000_000;

/** A session of the test server, with a tiny agent. `broken(n)` says whether case n must fail. */
export class DoubleSession {
  readonly record: DoubleRecord;
  readonly lines: Line[] = [];
  readonly readers = new Set<ServerResponse>();
  readonly broken: (number: number) => boolean;
  busy = false;
  memory = "";
  #stop: () => void = () => undefined;
  #processes: ChildProcess[] = [];
  #dying: number[] = [];

  constructor(record: Omit<DoubleRecord, "id" | "startedAt" | "status">, broken: (number: number) => boolean) {
    this.record = { ...record, id: randomUUID(), startedAt: new Date().toISOString(), status: "starting" };
    this.broken = broken;
  }

  get isOver(): boolean {
    return ["exited", "killed", "error"].includes(this.record.status);
  }

  begin(): void {
    if (this.record.adapterSlug.endsWith("-stillborn") && !this.broken(6)) {
      this.say(`[error] ${this.record.label}`, "stderr");
      this.end("error");
    } else if (!this.isOver) this.record.status = "running";
  }

  async run(prompt: string): Promise<void> {
    this.busy = true;
    if (this.broken(3)) this.record.status = "busy";
    const [, verb = "", rest = ""] = /^(\S+)\s?(.*)$/s.exec(prompt) ?? [];
    const stopped = new Promise<void>((resolve) => {
      this.#stop = resolve;
    });
    await new Promise((resolve) => setImmediate(resolve));
    let reason = "completed";
    if (verb === "say") this.say(rest, "stdout");
    else if (verb === "err") this.say(rest, "stderr");
    else if (verb === "remember") this.memory = rest;
    else if (verb === "recall") this.say(this.memory, "stdout");
    else if (verb === "exit") {
      if (!this.broken(17)) this.record.exitCode = Number(rest);
      return this.end("exited");
    } else {
      if (verb === "breed") this.#breed(rest);
      reason = "cancelled";
      await stopped;
    }
    this.busy = false;
    if (this.broken(15)) this.memory = "";
    if (this.isOver) return;
    this.record.status = "running";
    this.say(`── turn-end (${reason}) ──`, "stdout");
  }

  async cancel(): Promise<void> {
    this.#stop();
    while (this.busy) await new Promise((resolve) => setImmediate(resolve));
  }

  end(status: string): void {
    this.record.status = status;
    this.record.endedAt = new Date().toISOString();
    this.busy = false;
    this.#stop();
    for (const { pid } of this.#processes) {
      if (pid === undefined) continue;
      // The leader alone, or its whole process group.
      process.kill(this.broken(16) ? pid : -pid, "SIGKILL");
      if (!this.broken(16)) this.#dying.push(-pid);
    }
    this.#processes = [];
  }

  /** Resolves when the killed processes are gone. */
  async buried(): Promise<void> {
    while (this.#dying.some((pid) => isThere(pid))) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  say(line: string, stream: Line["stream"]): void {
    this.lines.push({ line, stream });
    for (const reader of this.readers) this.#send(reader, this.lines.length, { line, stream });
  }

  read(response: ServerResponse, after: number): void {
    for (const [at, line] of this.lines.entries())
      if (at >= after) this.#send(response, at + 1, this.broken(23) ? { ...line, stream: "stdout" } : line);
    this.readers.add(response);
    response.once("close", () => this.readers.delete(response));
  }

  #send(reader: ServerResponse, id: number, line: Line): void {
    const blocked = this.broken(25) && [...this.readers].some((one) => one.writableLength > READER_BYTES_MAX);
    if (blocked) return;
    if (!this.broken(25) && reader.writableLength > READER_BYTES_MAX) return void reader.destroy();
    reader.write(`id: ${id}\n${this.broken(22) ? "" : "event: line\n"}data: ${JSON.stringify(line)}\n\n`);
  }

  #breed(mark: string): void {
    const script = `(: ${mark}; sleep 30; :) & : ${mark}; sleep 30; :`;
    this.#processes.push(spawn("sh", ["-c", script], { detached: true, stdio: "ignore" }));
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
