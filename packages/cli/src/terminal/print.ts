import Table from 'cli-table3'
import { Document, visit } from 'yaml'
import { escaped, isSteering, jsonText, printable } from './printable.ts'
import type { Terminal } from './terminal.ts'

export { jsonText, printable } from './printable.ts'

export const formats = ['text', 'json', 'yaml'] as const
export type Format = (typeof formats)[number]

/** A column of a table: its heading, and the text of a cell. */
export type Column<T> = [heading: string, cell: (row: T) => string | number | undefined]

/** Prints a list: a table for people, the whole rows for programs. */
export function printList<T>(terminal: Terminal, format: Format, rows: T[], columns: Column<T>[]): void {
  if (format !== 'text') {
    printData(terminal, format, rows)
    return
  }
  if (rows.length === 0) {
    terminal.stderr.write('None found.\n')
    return
  }
  const { dim } = terminal.out
  const table = new Table({
    head: columns.map(([heading]) => dim(heading)),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: borderless,
  })
  for (const row of rows) table.push(columns.map(([, cell]) => printable(String(cell(row) ?? ''))))
  const text = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
  terminal.stdout.write(`${text.join('\n')}\n`)
}

/** Prints one thing whole. */
export function printData(terminal: Terminal, format: Format, data: unknown): void {
  terminal.stdout.write(format === 'json' ? jsonText(data) : yaml(data))
}

/** Prints one of many that come one after the other: a line of JSON each, or a YAML document each. */
export function printItem(terminal: Terminal, format: Exclude<Format, 'text'>, item: unknown): void {
  terminal.stdout.write(format === 'json' ? `${escaped(JSON.stringify(item))}\n` : `---\n${yaml(item)}`)
}

function yaml(data: unknown): string {
  const document = new Document(data, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      // Quoted, it can be escaped.
      if (typeof node.value === 'string' && isSteering(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return escaped(document.toString())
}

const borderless = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((part) => [part, '']),
)
