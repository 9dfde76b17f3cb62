import { expect, test } from "vitest";
import { createKeyDecoder } from "../screen/keys.ts";
import { createEditor, type Editor } from "./editor.ts";
import { editByKey } from "./editor-keys.ts";

function typed(text: string): Editor {
  const editor = createEditor();
  for (const key of createKeyDecoder().feed(text)) editByKey(editor, key);
  return editor;
}

test("letters, words and lines are moved over and cut as in a shell", () => {
  expect(typed("one two three\u0017\u0017four").text()).toBe("one four");
  expect(typed("abc\u001b[D\u001b[D\u007fX").text()).toBe("Xbc");
  expect(typed("one two\u0001zero \u0005 three").text()).toBe("zero one two three");
  expect(typed("keep\u001b\rcut me\u0015\u0019").text()).toBe("keep\ncut me");
});

test("a family emoji and an accent are one step, not five", () => {
  expect(typed("a👩‍👩‍👧e\u0301\u007f\u007f").text()).toBe("a");
});

test("rows wrap at the width, and the cursor is where the text goes on", () => {
  const editor = typed("abcdef\u001b\rgh漢");
  expect(editor.layout(4)).toEqual({ rows: ["abcd", "ef", "gh漢"], cursor: { row: 2, column: 4 } });
  editor.move("up", 4);
  expect(editor.layout(4).cursor).toEqual({ row: 1, column: 2 });
  expect(editor.move("up", 4)).toBe(true);
  expect(editor.move("up", 4)).toBe(false);
});

test("a long paste is one mark on the screen and whole in the text; control characters do not reach the screen", () => {
  const trace = Array.from({ length: 40 }, (_, at) => `at frame ${at}`).join("\n");
  const editor = createEditor();
  editor.insert("why? \ue000 ");
  editor.paste(trace);
  expect(editor.layout(60).rows).toEqual(["why? \ue000 [pasted 40 lines]"]);
  expect(editor.text()).toBe(`why? \ue000 ${trace}`);
  editor.cut("left");
  expect(editor.text()).toBe("why? \ue000 ");
  editor.paste("\u001b]0;owned\u0007");
  expect(editor.layout(60).rows.join("")).toBe("why? \ue000 ␛]0;owned␇");
});

test("a paste that was cut and put back is the same text", () => {
  const editor = createEditor();
  editor.paste("x".repeat(5000));
  editor.cut("line-start");
  expect(editor.text()).toBe("");
  editor.paste("y".repeat(5000));
  editor.yank();
  expect(editor.text()).toBe("y".repeat(5000) + "x".repeat(5000));
});
