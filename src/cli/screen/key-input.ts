import { readFileSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Terminal } from "../terminal.ts";
import { createKeyDecoder, type Key } from "./keys.ts";

export interface KeyInput {
  /** Gives the terminal back, for another program or because this one stops. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
}

/** Longer than the pause inside one key on a slow line, shorter than a person notices. */
const HALF_KEY_MS = 40;
const BRACKETED_PASTE = ["\u001b[?2004h", "\u001b[?2004l"] as const;

const SHOW_CURSOR = "\u001b[?25h";

/** Reads single keys. The terminal's own line editing is off until `pause` or `close`, and whenever the process ends. */
export function openKeyInput(terminal: Terminal, hear: (key: Key) => void, onEnd: () => void): KeyInput {
  const { stdin } = process;
  const output = terminal.rawOutput;
  const decoder = createKeyDecoder();
  const utf8 = new StringDecoder("utf8");
  let timer: NodeJS.Timeout | undefined;
  let isOpen = false;
  const hearAll = (keys: readonly Key[]): void => {
    for (const key of keys) if (isOpen) hear(key);
  };
  const onData = (bytes: Buffer): void => {
    clearTimeout(timer);
    hearAll(decoder.feed(utf8.write(bytes)));
    if (decoder.isHalf()) timer = setTimeout(() => hearAll(decoder.flush()), HALF_KEY_MS);
  };
  const release = (): void => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    // Whatever was drawn last, also before a crash: the cursor is there again.
    output.write(BRACKETED_PASTE[1] + SHOW_CURSOR);
    stdin.off("data", onData);
    stdin.off("end", onEnd);
    stdin.setRawMode?.(false);
    stdin.pause();
  };
  const take = (): void => {
    if (isOpen) return;
    isOpen = true;
    stdin.setRawMode?.(true);
    output.write(BRACKETED_PASTE[0]);
    stdin.on("data", onData);
    stdin.on("end", onEnd);
    stdin.ref?.();
    stdin.resume();
  };
  process.on("exit", release);
  take();
  return {
    pause: release,
    resume: take,
    close: () => {
      release();
      process.off("exit", release);
      stdin.unref?.();
    },
  };
}

/** Suspends this program as Ctrl-Z does in a shell; resolves when it goes on. */
export function suspendProcess(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGCONT", () => resolve());
    process.kill(process.pid, "SIGTSTP");
  });
}

/** A background job that changes the terminal's settings is stopped by the kernel. */
export function isForeground(): boolean {
  try {
    const [, , pgrp, , , tpgid] = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return tpgid === "-1" || pgrp === tpgid;
  } catch {
    // Not Linux.
    return true;
  }
}
