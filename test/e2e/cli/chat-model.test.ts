import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { openPty } from "../../support/pty.ts";
import { call } from "../engine/support/chat.ts";
import { openStage, type Stage } from "../engine/support/scenes.ts";
import { newFolder, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

proves(
  "CH-2",
  "with a model: cost, context and time to the first token are told; a picture and an edit reach it",
  async () => {
    const { model, queue, requests } = stage.scene();
    const cwd = await newFolder();
    await writeFile(join(cwd, "pic.png"), PNG);
    await writeFile(join(cwd, "a.txt"), "one\n");
    const pty = openPty({ home: stage.home, cwd, args: ["chat", "-a", "nomos", "--model", model], columns: 100 });
    await pty.until(new RegExp(`\\n> ?\\nnomos ${model} · idle$`));
    queue(
      calling(call("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] })),
      answer("It is done.", { usage: { input: 20_000, output: 1000 } }),
    );
    pty.type("look at @pic.png and change a.txt");
    pty.press("enter");
    await pty.until(
      /\(image pic\.png, 70 B\)[\s\S]*● Edit a\.txt\n {2}a\.txt\n {2}- one\n {2}\+ two[\s\S]*It is done\./,
    );
    await pty.until(
      new RegExp(`\\nnomos ${model} · \\$0\\.\\d+ · 21k of 200k \\(11%\\) · first token [\\d.]+ m?s · idle$`),
    );
    expect(JSON.stringify(requests()[0]?.body)).toContain(PNG.toString("base64"));
    pty.type("/cost");
    pty.press("enter");
    await pty.until(/\$0\.\d+ in all[\s\S]*turn 1 +\$0\.\d+ +look at/);
    pty.press("ctrlD");
    expect(await pty.exited).toBe(0);

    const again = openPty({ home: stage.home, cwd, args: ["chat", "-c"], columns: 100 });
    await again.until(
      new RegExp(`\\nnomos ${model} · \\$0\\.\\d+ · 21k of 200k \\(11%\\) · first token [\\d.]+ m?s · idle$`),
    );
    again.press("ctrlD");
    expect(await again.exited).toBe(0);
  },
);
