import { stat } from "node:fs/promises";
import type { SessionSpec } from "../../kernel/index.ts";
import { type Driver, DriverError, runLineTurn, type TurnPort } from "../../turns/index.ts";
import { refuseAttachments, refuseSettings } from "../text-only.ts";

/** A user's TypeScript file as a driver: one exported function that runs a turn, in its own process. */
export function scriptDriver(slug = "script", file: string | null = null): Driver {
  return {
    slug,
    summary: file === null ? "a TypeScript file of yours drives the turns" : `drives the turns by ${file}`,
    continuity: "digest",
    check: checkFile,
    checkSettings: refuseSettings(slug),
    runTurn,
  };
}

async function checkFile(spec: SessionSpec): Promise<void> {
  if (spec.file === null) throw new DriverError("invalid_request", "the script driver needs a `file`");
  const found = await stat(spec.file).catch(() => null);
  if (found === null || !found.isFile())
    throw new DriverError("driver_file_invalid", `there is no file ${spec.file}`, { file: spec.file });
}

async function runTurn(port: TurnPort): Promise<void> {
  refuseAttachments(port.spec.adapter, port.attachments);
  if (port.spec.file === null) throw new DriverError("driver_file_invalid", "the script driver needs a `file`");
  await runLineTurn(port, port.spec.file);
}
