import type { Approval } from "../../src/client/index.ts";
import { nomos, toast, useAction } from "../frame/index.ts";

/** How one answers: yes, always, one of the options, or no with a reason. */
export type Answer = { readonly is: "yes"; readonly option?: string } | { readonly is: "no"; readonly reason: string };

export const ALWAYS = "always";

/** Answers with plain words that the buttons already have. */
const PLAIN: readonly string[] = ["yes", "once", "no", ALWAYS];

/** A question without options and without an action is answered in one's own words. */
export function isOpenQuestion({ options, action }: Approval): boolean {
  return options.length === 0 && action === undefined;
}

/** The options that need a button of their own. */
export function otherOptions({ options }: Approval): readonly string[] {
  return options.filter((option) => !PLAIN.includes(option.toLowerCase()));
}

export function useAnswer(): (question: Approval, answer: Answer) => Promise<boolean> {
  const { run } = useAction();
  return async ({ id }, answer) => {
    const given = await run(() =>
      answer.is === "yes"
        ? nomos().call("approval.approve", {
            approvalId: id,
            ...(answer.option === undefined ? {} : { option: answer.option }),
          })
        : nomos().call("approval.reject", {
            approvalId: id,
            ...(answer.reason === "" ? {} : { reason: answer.reason }),
          }),
    );
    if (given === undefined) return false;
    toast(answer.is === "no" ? "Answered: no" : `Answered: ${answer.option ?? "yes"}`);
    return true;
  };
}
