/** What a program that embeds Nomos shares with the command line: how a home's daemon is found and a failed start is told. */
export { findDaemon } from "./daemon/find-daemon.ts";
export { connect } from "./daemon/node-client.ts";
export { startupError } from "./daemon/startup-error.ts";
