import type { ComponentType } from "preact";
import { Agents } from "./agents/agents.tsx";
import { Backups } from "./care/backups.tsx";
import { DaemonLog } from "./care/daemon-log.tsx";
import { Doctor } from "./care/doctor.tsx";
import { Metrics } from "./metrics/metrics.tsx";
import { Overview } from "./overview.tsx";
import { Queue } from "./queue.tsx";
import { Sandbox } from "./sandbox.tsx";
import { Settings } from "./settings/settings.tsx";
import { Devices } from "./tokens/devices.tsx";
import { Tokens } from "./tokens/tokens.tsx";
import { Workspaces } from "./workspaces.tsx";

interface Section {
  readonly id: string;
  readonly name: string;
  readonly View: ComponentType;
}

/** The sections, in the order of their list. A new one is a file and a line here. */
export const SECTIONS: readonly Section[] = [
  { id: "overview", name: "Overview", View: Overview },
  { id: "agents", name: "Agents", View: Agents },
  { id: "workspaces", name: "Workspaces", View: Workspaces },
  { id: "sandbox", name: "Sandbox", View: Sandbox },
  { id: "devices", name: "Browsers and phones", View: Devices },
  { id: "tokens", name: "Tokens", View: Tokens },
  { id: "settings", name: "Settings", View: Settings },
  { id: "queue", name: "Queue", View: Queue },
  { id: "backups", name: "Backups", View: Backups },
  { id: "doctor", name: "Doctor", View: Doctor },
  { id: "log", name: "Daemon's log", View: DaemonLog },
  { id: "metrics", name: "Metrics", View: Metrics },
];
