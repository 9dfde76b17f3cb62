import { expect, test } from "vitest";
import { browserCommand, openBrowser } from "./open-browser.ts";

test.each([
  ["a display", { DISPLAY: ":0" }, "linux", "xdg-open"],
  ["Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "linux", "xdg-open"],
  ["no display", {}, "linux", null],
  ["$BROWSER", { BROWSER: "firefox --new-tab" }, "linux", "firefox --new-tab"],
  ["macOS", {}, "darwin", "open"],
  ["SSH with a display", { DISPLAY: ":10", SSH_CONNECTION: "a b c d" }, "linux", null],
  ["SSH with $BROWSER", { BROWSER: "w3m", SSH_TTY: "/dev/pts/1" }, "linux", null],
])("%s: the browser that is opened", (_name, environment, platform, command) => {
  expect(browserCommand(environment, platform)).toBe(command);
});

test("the browser gets the address as one argument; one that fails or is missing counts as none", async () => {
  const url = "http://127.0.0.1:1/#link=nml_$(exit 3)";
  const isSame = `sh -c 'test "$1" = "http://127.0.0.1:1/#link=nml_\\$(exit 3)"' browser`;
  expect(await openBrowser({ BROWSER: isSame }, url)).toBe(true);
  expect(await openBrowser({ BROWSER: "false" }, url)).toBe(false);
  expect(await openBrowser({ BROWSER: "/nowhere/browser" }, url)).toBe(false);
});
