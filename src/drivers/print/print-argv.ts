import { type DriverSettings, ownEntry } from "../../kernel/index.ts";
import type { Manifest } from "../manifests/manifest.ts";

/** Where the chosen mode, model and options go; at the end when the manifest does not say. */
const OPTIONS = "{options}";

/** The command line of one turn. Each value is one argument, so that it cannot become another option. */
export function printArgv(
  argv: readonly string[],
  manifest: Manifest,
  nativeId: string | null,
  settings: DriverSettings,
  isWalled: boolean,
): readonly string[] {
  const { args = [], resume_args: resumeArgs = [] } = manifest.print ?? {};
  const chosen = chosenArgs(manifest, settings, isWalled);
  const template = nativeId === null || resumeArgs.length === 0 ? args : resumeArgs;
  const placed = template.includes(OPTIONS) ? template : [...template, OPTIONS];
  const filled = placed.flatMap((arg) => (arg === OPTIONS ? chosen : [arg === "{id}" ? (nativeId ?? "") : arg]));
  return [...argv, ...filled];
}

/** The variables of the chosen mode. */
export function modeEnvironment(manifest: Manifest, { mode }: DriverSettings): Readonly<Record<string, string>> {
  return modeOf(manifest, mode)?.env ?? {};
}

function modeOf(manifest: Manifest, mode: string | null): Manifest["modes"][number] | undefined {
  const wanted = mode ?? manifest.default_mode ?? null;
  return manifest.modes.find(({ id }) => id === wanted);
}

function chosenArgs(
  manifest: Manifest,
  { mode, model, options }: DriverSettings,
  isWalled: boolean,
): readonly string[] {
  const { bin_args_append: plain = [], walled_args: walled = plain } = modeOf(manifest, mode) ?? {};
  const ofMode = isWalled ? walled : plain;
  const value = model ?? manifest.models.default ?? null;
  const ofModel = value === null ? [] : fill(manifest.models.bin_args_template ?? [], value);
  const ofOptions = manifest.options.flatMap(({ id, type, bin_args_template: template }) => {
    const chosen = ownEntry(options, id);
    if (chosen === undefined || (type === "boolean" && chosen !== true && chosen !== "true")) return [];
    return fill(template, String(chosen));
  });
  return [...ofMode, ...ofModel, ...ofOptions];
}

function fill(template: readonly string[], value: string): readonly string[] {
  return template.map((arg) => (arg === "{value}" ? value : arg));
}
