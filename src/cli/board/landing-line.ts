import { type Collision, needingPerson, type OpenLandings } from "../landing/open-landings.ts";
import { cutTo } from "../print/screen-text.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import { dim, type Text, yellow } from "../screen/styled.ts";
import type { WorkInNeed } from "../work/works-in-need.ts";

/** The queues of all branches in one line, and whom a refusal waits for; null when nothing lands. */
export function landingLine(landings: OpenLandings, columns: number): Text | null {
  const branches = Map.groupBy(landings.open, ({ into, repository }) => `${repository}\n${into}`);
  const queues = [...branches.values()].map((line) => {
    const checked = line.filter(({ state }) => state === "checking").map(({ sessionName }) => sessionName);
    const held = line.filter(({ held }) => held !== undefined).length;
    const waiting = line.length - checked.length - held;
    const parts = [
      checked.length === 0 ? "" : `checking ${checked.join(", ")}`,
      waiting === 0 ? "" : `${waiting} queued`,
      held === 0 ? "" : `${held} held`,
    ];
    return `${line[0]?.into ?? ""}: ${parts.filter((part) => part !== "").join(", ")}`;
  });
  const stuck = needingPerson(landings).map(({ sessionName }) => sessionName);
  const mended = landings.refused.length - stuck.length;
  const text = [
    ...queues,
    ...(stuck.length === 0 ? [] : [`refused: ${stuck.join(", ")}`]),
    ...(mended === 0 ? [] : [`${mended} being mended`]),
  ].join(" · ");
  if (text === "") return null;
  const line = cutTo(inOneLine(harmless(`landings  ${text}`)), columns);
  return stuck.length === 0 ? dim(line) : yellow(line);
}

/** Work on tickets that waits for a person; null when none does. */
export function workLine(
  works: readonly WorkInNeed[],
  nameOf: (sessionId: string) => string,
  columns: number,
): Text | null {
  if (works.length === 0) return null;
  const told = works.slice(0, WORKS_SHOWN).map(({ sessionId, why }) => `${nameOf(sessionId)} ${why}`);
  const more = works.length > told.length ? [`${works.length - told.length} more`] : [];
  return yellow(cutTo(inOneLine(harmless(`tickets   ${[...told, ...more].join(" · ")}`)), columns));
}

const WORKS_SHOWN = 3;
const COLLISIONS_SHOWN = 3;

/** Sessions whose work collides with each other or with their branch, with the first place of each pair; null when none does. */
export function collisionLine(
  collisions: readonly Collision[],
  nameOf: (sessionId: string) => string,
  columns: number,
): Text | null {
  if (collisions.length === 0) return null;
  const told = collisions.slice(0, COLLISIONS_SHOWN).map(({ sessions, branch, path, line }) => {
    const parties = [...sessions.map(nameOf), ...(branch === null ? [] : [branch])];
    return `${parties.join(" + ")} in ${path}${line === null ? "" : `:${line}`}`;
  });
  const more = collisions.length > told.length ? [`${collisions.length - told.length} more`] : [];
  return yellow(cutTo(inOneLine(harmless(`collide   ${[...told, ...more].join(" · ")}`)), columns));
}
