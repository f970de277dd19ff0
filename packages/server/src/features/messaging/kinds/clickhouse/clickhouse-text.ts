import type { StagedRow } from '../warehouse-tables/staged-rows.ts'

export function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}

/** A text as a literal, without a character that could end it. */
export function literal(text: string): string {
  return `unhex('${Buffer.from(text).toString('hex')}')`
}

/** The version of a row: the id of its message as a number, so that a newer message has a higher one. */
export function versionOf(message: string): string {
  return BigInt(`0x${message.replaceAll('-', '')}`).toString()
}

export function versioned(row: StagedRow): StagedRow {
  return { ...row, v_version: versionOf(row['v_message'] ?? '') }
}
