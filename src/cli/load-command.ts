import type { EverydayName } from "./everyday.ts";
import type { RunCommand } from "./terminal.ts";

/** Loads each command on first use, to keep start-up fast. */
export const LOAD: { readonly [name in EverydayName]: () => Promise<{ readonly run: RunCommand }> } = {
  up: () => import("./commands/daemon/up.ts"),
  down: () => import("./commands/daemon/down.ts"),
  rpc: () => import("./commands/rpc.ts"),
  restart: () => import("./commands/daemon/restart.ts"),
  status: () => import("./commands/daemon/status.ts"),
  doctor: () => import("./commands/daemon/doctor.ts"),
  restore: () => import("./commands/daemon/restore.ts"),
  daemon: () => import("./commands/daemon/daemon-logs.ts"),
  config: () => import("./commands/daemon/config.ts"),
  run: () => import("./commands/session/run.ts"),
  chat: () => import("./commands/session/chat.ts"),
  board: () => import("./commands/board.ts"),
  sandbox: () => import("./commands/sandbox.ts"),
  worktree: () => import("./commands/worktree.ts"),
  land: () => import("./commands/session/land.ts"),
  ps: () => import("./commands/ps.ts"),
  attach: () => import("./commands/session/attach.ts"),
  steer: () => import("./commands/session/steer.ts"),
  model: () => import("./commands/model.ts"),
  secret: () => import("./commands/secret.ts"),
  logs: () => import("./commands/logs.ts"),
  mcp: () => import("./commands/mcp.ts"),
  open: () => import("./commands/open.ts"),
  conformance: () => import("./commands/conformance.ts"),
  eval: () => import("./commands/eval.ts"),
  completion: () => import("./commands/completion.ts"),
  version: () => import("./commands/version.ts"),
  help: () => import("./commands/help.ts"),
};
