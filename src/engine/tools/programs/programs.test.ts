import { describe, expect, test } from "vitest";
import { callTool } from "../../../../test/engine/call-tool.ts";
import { worldHere } from "../../../../test/engine/world-here.ts";
import { plantTree } from "../../../../test/support/plant-tree.ts";
import { process as processTool } from "./process.ts";
import { terminal } from "./terminal.ts";

describe("terminal", () => {
  test("output of both streams, without colours and progress; exit code 0 is no error", async () => {
    const { context } = worldHere(await plantTree({}));
    const command = String.raw`printf '\033[31mred\033[0m\n'; printf '10%%\r50%%\r100%%\n'; echo err >&2; printf '\001\n'`;
    const { text, isError } = await callTool(terminal, { command }, context);
    expect(text.split("\n").sort()).toEqual(["100%", String.raw`\u0001`, "err", "red"].sort());
    expect(isError).toBe(false);
    expect((await callTool(terminal, { command: "true" }, context)).text).toBe("(no output)");
  });

  test("another exit code is an error and is named", async () => {
    const { context } = worldHere(await plantTree({}));
    const { text, isError } = await callTool(terminal, { command: "echo no; exit 3" }, context);
    expect({ text, isError }).toEqual({ text: "no\n[exit code 3]", isError: true });
  });

  test("a flood is cut in the middle, and the rest can be read by its effect", async () => {
    const { context } = worldHere(await plantTree({}));
    const command = `i=0; while [ $i -lt 20000 ]; do echo "line $i äöü"; i=$((i+1)); done`;
    const { text } = await callTool(terminal, { command }, context);
    expect(Buffer.byteLength(text)).toBeLessThan(31_500);
    expect(text).toMatch(/^line 0 äöü\n/);
    expect(text).toMatch(/\nline 19999 äöü$/);
    expect(text).not.toContain("\uFFFD");
    const [, effectId, from] = /"effectId": "(\w+)", "from": (\d+)}/.exec(text) ?? [];
    const page = await callTool(processTool, { action: "output", effectId, from: Number(from) }, context);
    expect(page.text).toMatch(/\[bytes 10240-43008 of \d+; go on with from: 43008\]$/);
    expect(page.text).toContain("line 1000 ");
    const behind = await callTool(processTool, { action: "output", effectId, from: 10_000_000 }, context);
    expect(behind.isError).toBe(true);
  });

  test("after the time-out it goes on in the background, and can be followed and stopped", async () => {
    const { context } = worldHere(await plantTree({}));
    const { text, isError } = await callTool(terminal, { command: "echo begun; sleep 60", timeoutMs: 1000 }, context);
    expect(text).toMatch(/^begun\n\[still running after 1 s; it goes on in the background as process p1\]/);
    expect(isError).toBe(false);
    const listed = await callTool(processTool, { action: "list" }, context);
    expect(listed.text).toBe("p1  running  echo begun; sleep 60");
    const stopped = await callTool(processTool, { action: "stop", processId: "p1" }, context);
    expect(stopped.text).toBe("Stopped p1.");
    expect((await callTool(processTool, { action: "list" }, context)).text).toMatch(/^p1 {2}ended/);
  });

  test("a refused command says so and asks not to be tried again another way", async () => {
    const { context } = worldHere(await plantTree({}), { refuses: "no network" });
    const { text, isError } = await callTool(terminal, { command: "curl x" }, context);
    expect(text).toMatch(/^The command was refused: no network\./);
    expect(isError).toBe(true);
  });
});

describe("process", () => {
  test("starts, is written to, and its output is read in pages", async () => {
    const { context } = worldHere(await plantTree({}), { ports: [8080] });
    const started = await callTool(processTool, { action: "start", command: "read a; echo got $a; sleep 60" }, context);
    expect(started.text).toBe("Started as process p1.");
    await callTool(processTool, { action: "write", processId: "p1", text: "hello\n" }, context);
    await expect
      .poll(async () => (await callTool(processTool, { action: "output", processId: "p1" }, context)).text)
      .toBe("got hello\n[process p1 running; newer output with from: 10]");
    expect((await callTool(processTool, { action: "ports", processId: "p1" }, context)).text).toContain("8080");
  });

  test("an unknown process and a background command", async () => {
    const { context } = worldHere(await plantTree({}));
    const unknown = await callTool(processTool, { action: "output", processId: "p9" }, context);
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("no process p9") });
    const started = await callTool(terminal, { command: "sleep 60", background: true }, context);
    expect(started.text).toMatch(/^Started in the background as process p1\./);
  });

  test("60 KB are more than a page: the next one begins where it ended", async () => {
    const { context } = worldHere(await plantTree({}));
    const command = "head -c 60000 /dev/zero | tr '\\0' x; echo; echo end";
    await callTool(processTool, { action: "start", command }, context);
    const first = async (): Promise<string> =>
      (await callTool(processTool, { action: "output", processId: "p1" }, context)).text;
    await expect.poll(first).toMatch(/x\n\[process p1 ended with 0; go on with from: 32768\]$/);
    const rest = await callTool(processTool, { action: "output", processId: "p1", from: 32_768 }, context);
    expect(rest.text).toMatch(/^x{27232}\nend\n/);
  });

  test("megabytes in the background: a page from the start says where the older bytes are, and paging goes on", async () => {
    const { context } = worldHere(await plantTree({}));
    const command = "yes äöü | head -c 3000000";
    await callTool(processTool, { action: "start", command }, context);
    const page = async (from: number): Promise<string> =>
      (await callTool(processTool, { action: "output", processId: "p1", from }, context)).text;
    await expect.poll(() => page(0)).toContain("ended with 0");
    const next = async (from: number): Promise<number> => Number(/with from: (\d+)\]$/.exec(await page(from))?.[1]);
    expect(await page(0)).toMatch(/\[bytes 0-\d+ are older; read them with .*"effectId": "p1", "from": 0\}\]/);
    const second = await next(0);
    expect(second).toBeGreaterThan(1_900_000);
    expect(await next(second)).toBeGreaterThan(second + 32_000);
    expect(await page(second)).not.toContain("\uFFFD");
  });

  test("a page of control characters still says how to go on", async () => {
    const { context } = worldHere(await plantTree({}));
    await callTool(processTool, { action: "start", command: "head -c 40000 /dev/zero | tr '\\0' '\\001'" }, context);
    await expect
      .poll(async () => (await callTool(processTool, { action: "output", processId: "p1" }, context)).text)
      .toMatch(/\[process p1 ended with 0; go on with from: 32768\]$/);
  });
});
