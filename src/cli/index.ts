/**
 * What a program that embeds Nomos shares with the command line: how a home's daemon is found, how a failed start is told,
 * and how an answer is read that has to fit a schema.
 */
export { findDaemon } from "./daemon/find-daemon.ts";
export { connect } from "./daemon/node-client.ts";
export { startupError } from "./daemon/startup-error.ts";
export { type AnswerSchema, answerSchema, askAgain, askedByPrompt } from "./schema/answer-schema.ts";
