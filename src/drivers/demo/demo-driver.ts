import type { Json } from "../../kernel/index.ts";
import { type Driver, DriverError, type TurnPort } from "../../turns/index.ts";
import { refuseAttachments, refuseSettings } from "../text-only.ts";

/** The prompt is the script, one command per line. It needs no key and no model, and has effects like any agent. */
export function demoDriver(): Driver {
  return {
    slug: "demo",
    summary: "runs the prompt as a script: say, write, run, sleep, ask, fail",
    continuity: "native",
    actsByEffects: true,
    check: async () => undefined,
    checkSettings: refuseSettings("demo"),
    runTurn,
  };
}

async function runTurn(port: TurnPort): Promise<void> {
  refuseAttachments("demo", port.attachments);
  const lines = port.prompt.split("\n").filter((line) => line.trim() !== "");
  for (const [step, line] of lines.entries()) {
    if (step < firstStep(port.checkpoint)) continue;
    port.signal.throwIfAborted();
    port.reach({ step });
    await obey(port, line);
  }
}

async function obey(port: TurnPort, line: string): Promise<void> {
  const [, command = "", rest = ""] = /^\s*(\S+)\s?(.*)$/s.exec(line) ?? [];
  switch (command) {
    case "say":
      return port.say(rest);
    case "write": {
      const [, path = "", text = ""] = /^(\S+)\s?(.*)$/s.exec(rest) ?? [];
      await port.write(path, text);
      return;
    }
    case "run":
      await port.run(rest);
      return;
    case "sleep":
      return port.sleep(Number.parseInt(rest, 10) || 0);
    case "ask": {
      const reply = await port.ask(rest, ["yes", "no"]);
      return port.say(
        reply.approved
          ? `approved${reply.option === null ? "" : `: ${reply.option}`}`
          : `rejected${reply.reason === null ? "" : `: ${reply.reason}`}`,
      );
    }
    case "fail":
      throw new DriverError("driver_failed", rest);
    default:
      return port.say(line);
  }
}

function firstStep(checkpoint: Json): number {
  if (typeof checkpoint !== "object" || checkpoint === null || !("step" in checkpoint)) return 0;
  return typeof checkpoint["step"] === "number" ? checkpoint["step"] : 0;
}
