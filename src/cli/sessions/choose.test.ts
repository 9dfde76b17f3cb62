import { expect, test } from "vitest";
import type { Session } from "../../client/index.ts";
import { needingFirst } from "./choose.ts";

const session = (name: string, state: Session["state"], waitingFor?: "approval") =>
  ({ name, state, ...(waitingFor === undefined ? {} : { waitingFor }) }) as Session;

test("sessions that wait for an answer come first, then busy, idle, asleep and ended ones, each as listed", () => {
  const listed = [
    session("a", "killed"),
    session("b", "hibernated"),
    session("c", "idle"),
    session("d", "busy"),
    session("e", "busy", "approval"),
    session("f", "idle"),
    session("g", "suspended"),
    session("h", "exited"),
  ];
  expect(needingFirst(listed).map(({ name }) => name)).toEqual([..."edcfbgah"]);
});
