/** Name in dist/ -> source. Every file that is started or loaded separately. */
export const ENTRIES = {
  cli: "src/cli/main.ts",
  daemon: "src/app/index.ts",
  embed: "src/embed/nomos.ts",
  "writer-thread": "src/store/sqlite/writer/writer-thread.ts",
  "reader-thread": "src/store/sqlite/reader/reader-thread.ts",
  "export-thread": "src/store/sqlite/copying/export-thread.ts",
  "copy-thread": "src/store/sqlite/copying/copy-thread.ts",
  "snapshot-thread": "src/host/snapshots/snapshot-thread.ts",
  "radar-thread": "src/host/radar/radar-thread.ts",
  "apply-plan": "src/host/snapshots/restore/apply-plan.ts",
  "script-host": "src/turns/line/host-process.ts",
  "tool-host": "src/services/user-tools/process/main.ts",
  tool: "src/services/user-tools/user-tool.ts",
  engine: "src/engine/process/main.ts",
  "web-reader": "src/services/web/reader/main.ts",
  "memory-agent": "packages/aip46-conformance/src/memory-agent.ts",
};

/** Name in dist/client/ -> source: `nomos/client`. Bundled by itself, so that the program's files stay as few as they are. */
export const CLIENT_ENTRIES = { browser: "src/client/connect.ts", node: "src/cli/daemon/node-client.ts" };

/** The declarations of `nomos`. They name those of `nomos/client`, which lie in the folder beside. */
export const EMBED_DECLARATIONS = {
  entry: "src/embed/nomos.ts",
  elsewhere: { "../client/index.ts": "../client/index.js" },
};

/** The declarations of `nomos/tool`. */
export const TOOL_DECLARATIONS = { entry: "src/services/user-tools/user-tool.ts" };

/** The dashboard, and the workers that it starts. */
export const WEB_ENTRY = "web/main.tsx";
export const WEB_WORKERS = {
  hub: "web/live/hub-thread.ts",
  text: "web/text/text-thread.ts",
  notice: "web/frame/notice-thread.ts",
};

/**
 * Packages that are installed beside dist/ and not part of it: CommonJS, whose `require` has no meaning in a bundle of
 * modules. Each is loaded only when it is used.
 */
export const EXTERNAL = [
  "pg",
  "ws",
  "@ai-sdk/amazon-bedrock",
  "@ai-sdk/google-vertex",
  "google-auth-library",
  "@napi-rs/keyring",
];
