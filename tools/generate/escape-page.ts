import { type AttemptGroup, idOf, PROOFS } from "../../test/walls/attempt.ts";
import { GROUPS } from "../../test/walls/attempts/all.ts";
import { PROXY } from "../../test/walls/attempts/proxy.ts";
import { REQUESTS } from "../../test/walls/attempts/requests.ts";

/** Lists every attempt of the escape suite. */
export function escapePage(): string {
  const groups = [...GROUPS, PROXY, REQUESTS];
  const count = groups.reduce((sum, { attempts }) => sum + attempts.length, 0);
  const proofs = Object.entries(PROOFS).map(([proof, means]) => `- **${proof}**: ${means}`);
  return [
    "# Attempts to get out",
    "",
    `What \`npm run test:walls\` tries from inside \`strict\` sessions: ${count} attempts, by a command of a session, by a driver and by a foreign agent; those through the proxy at the door itself, against a careless proxy; requests to the client by the fake agent, against a client that obeys. Each of them first runs without walls, as the same user with the same files, where it has to get out; one that does not, for whatever reason, fails the run as one that was not tried. Then none may.`,
    "",
    "Those marked * work for root alone, also without walls. What is about a file that a machine does not have is not tried there.",
    "",
    "How it is seen that one got out:",
    "",
    ...proofs,
    "",
    ...groups.flatMap(section),
  ].join("\n");
}

function section(group: AttemptGroup): string[] {
  const rows = group.attempts.map(
    (attempt) =>
      `| \`${idOf(group, attempt)}\`${attempt.asRoot ? " \\*" : ""} | ${attempt.tries} | ${attempt.by} | ${attempt.proof} |`,
  );
  return [
    `## ${group.title}`,
    "",
    `${group.attempts.length} attempts.`,
    "",
    "| id | tries | by | seen by |",
    "|---|---|---|---|",
    ...rows,
    "",
  ];
}
