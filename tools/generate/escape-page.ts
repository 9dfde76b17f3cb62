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
    `\`npm run test:walls\` makes ${count} attempts to get out of \`strict\` sessions, by a command of a session, by a driver and by a foreign agent. Attempts through the proxy attack the door itself; the fake agent sends requests to the client. Each attempt first runs without a sandbox, as the same user with the same files (against a careless proxy or a client that obeys), where it must get out; otherwise the run fails, because the attempt proves nothing. Then it runs inside, where it must not get out.`,
    "",
    "Attempts marked * work only for root, even without a sandbox. An attempt on a file that the machine does not have is skipped.",
    "",
    "How the test sees that an attempt got out:",
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
