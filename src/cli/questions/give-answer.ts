import type { Client } from "../../client/index.ts";
import type { Answer } from "./question-facts.ts";

/** Sends an answer. With the same key a repeated call answers once. */
export async function giveAnswer(client: Client, approvalId: string, answer: Answer, key: string): Promise<void> {
  const options = { idempotencyKey: key };
  if (answer.verdict === "reject") {
    const reason = answer.reason === null ? {} : { reason: answer.reason };
    await client.call("approval.reject", { approvalId, ...reason }, options);
  } else {
    const option = answer.option === null ? {} : { option: answer.option };
    await client.call("approval.approve", { approvalId, ...option }, options);
  }
}
