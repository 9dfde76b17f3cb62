import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { inOneLine } from "./harmless.ts";

const WRITER = new URL("./open-screen.ts", import.meta.url).href;

function run(code: string): Promise<{ readonly exitCode: unknown; readonly stdout: string; readonly stderr: string }> {
  const program = `const { openScreen } = await import(${JSON.stringify(WRITER)}); const screen = openScreen({}); ${code}`;
  return new Promise((resolve) => {
    execFile(process.execPath, ["--input-type=module", "-e", program], (error, stdout, stderr) =>
      resolve({ exitCode: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test("a crash whose message quotes hostile text prints a stack without control characters", async () => {
  const bug = String.raw`new TypeError("\u001b]0;x\u0007\u009b2J", { cause: new Error("\u202e") })`;
  for (const code of [`setTimeout(() => { throw ${bug}; });`, `Promise.reject(${bug});`]) {
    const { exitCode, stderr } = await run(code);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("TypeError: ␛]0;x␇");
    expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
});

test("a line stays one line, piped content stays exact, JSON keeps its value", async () => {
  const text = String.raw`"a\nb\tc\u001b\u2028"`;
  const { stdout } = await run(`screen.print(${text}); screen.printContent(${text}); screen.printJson(${text});`);
  expect(stdout).toBe('a ⏎ b\tc␛\ufffd\na\nb\tc\u001b\u2028"a\\nb\\tc\\u001b\\u2028"\n');
});

test("a megabyte of blanks is cleaned in one pass", () => {
  const blanks = " ".repeat(1_000_000);
  expect(inOneLine(`a${blanks}b`)).toHaveLength(1_000_002);
  expect(inOneLine(`a${blanks}\n${blanks}\n${blanks}b`)).toBe("a ⏎ b");
});
