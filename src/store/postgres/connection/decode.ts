import { bytes, columnsOf, decodeRow, type EventColumns } from "../../log/encoding.ts";
import type { RecordedEvent } from "../../port.ts";
import type { Row } from "./connection.ts";

export function decodeEvent(row: Row): RecordedEvent {
  return decodeRow(withText(row));
}

export function eventColumns(row: Row): EventColumns {
  return columnsOf(withText(row));
}

export function utf8(value: unknown): string {
  return Buffer.from(bytes(value)).toString("utf8");
}

/** Names and types are stored as bytes. */
function withText(row: Row): Row {
  const { stream, type } = row;
  return {
    ...row,
    stream: stream instanceof Uint8Array ? utf8(stream) : stream,
    type: type instanceof Uint8Array ? utf8(type) : type,
  };
}
