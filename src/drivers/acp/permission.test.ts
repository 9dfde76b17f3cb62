import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Wish } from "../../turns/index.ts";
import { createPermissions } from "./permission.ts";

async function questionFor(toolCall: object): Promise<string> {
  const wishes: Wish[] = [];
  const permit = async (wish: Wish) => {
    wishes.push(wish);
    return { approved: false, reason: null } as const;
  };
  const answer = createPermissions({ permit }, { toolAsked: async (call) => call }, () => undefined);
  await answer({ toolCall, options: [{ optionId: "a", name: "Allow", kind: "allow_once" }] });
  return wishes[0]?.question ?? "nothing was asked";
}

proves("T11", "a permission request shows in full what the agent will do, whatever its title says", async () => {
  const call = { toolCallId: "1", kind: "execute" };
  const command = `echo ${"word ".repeat(1000)}; rm -rf x`;
  expect(await questionFor({ ...call, title: "List files", rawInput: { command } })).toContain(`\n${command}`);
  const quiet = { ...call, title: "Do not run rm -rf x", rawInput: { command: "rm -rf x" } };
  expect(await questionFor(quiet)).toBe("May the agent: Do not run rm -rf x?\nrm -rf x");
  expect(await questionFor({ ...call, title: "rm -rf x", rawInput: { command: "rm -rf x" } })).toBe(
    "May the agent: rm -rf x?",
  );
  const words = { ...call, title: "Say", rawInput: { command: ["sh", "-c", "rm -rf 'a b'"] } };
  expect(await questionFor(words)).toContain(`"sh" "-c" "rm -rf 'a b'"`);
  expect(await questionFor({ ...call, kind: "fetch", title: "Look up", rawInput: { url: "http://evil" } })).toContain(
    '{"url":"http://evil"}',
  );
  const long = await questionFor({ ...call, title: "Look up", rawInput: { body: "x".repeat(5000) } });
  expect(long).toMatch(/\[1011 more characters are not shown\]$/);
});
