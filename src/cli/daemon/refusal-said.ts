import { ClientError } from "../../client/index.ts";

const SHOWN_LINES = 12;

/**
 * Why a daemon that has ended did not start. Several processes that start one at once share the output, so each reads
 * what the others' daemons said too; null when another daemon has the home and may still come up.
 */
export function refusalSaid(said: string, ending: number | string | null): ClientError | null {
  const refusals = said.split("\n").flatMap((line) => (line.startsWith('{"error"') ? [errorOf(line)] : []));
  if (refusals.length > 0) return refusals.findLast(({ code }) => code !== "home_in_use") ?? null;
  return new ClientError("daemon_unreachable", {
    status: 0,
    message: `The daemon ended (${ending}) before it was up.`,
    details: { said: lastLines(said) },
  });
}

export function lastLines(said: string): string {
  return said.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
}

function errorOf(line: string): ClientError {
  const { error }: { error: { code: string; message: string; remedy: string; details: Record<string, unknown> } } =
    JSON.parse(line);
  return new ClientError(error.code, error);
}
