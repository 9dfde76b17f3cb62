import { describe, expect, test } from "vitest";
import { refusalSaid } from "./refusal-said.ts";

const refused = (code: string) => JSON.stringify({ error: { code, message: code, remedy: "", details: {} } });

describe("why a daemon did not start", () => {
  test("another daemon has the home, and has said that it is up: no refusal", () => {
    expect(refusalSaid(`${refused("home_in_use")}\n{"url":"http://127.0.0.1:4700"}\n`, 6)).toBeNull();
    expect(refusalSaid(`warning: slow disk\n${refused("home_in_use")}\nwarning: slow disk\n`, 6)).toBeNull();
  });

  test("what the daemon that had the home refused, not that it had the home", () => {
    const said = `${refused("home_in_use")}\n${refused("config_invalid")}\n${refused("home_in_use")}\n`;
    expect(refusalSaid(said, 2)).toMatchObject({ code: "config_invalid" });
  });

  test("a daemon that ended without a word: the last lines it left", () => {
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    expect(refusalSaid(`${lines.join("\n")}\n`, "SIGKILL")).toMatchObject({
      code: "daemon_unreachable",
      message: "The daemon ended (SIGKILL) before it was up.",
      details: { said: lines.slice(8).join("\n") },
    });
  });
});
