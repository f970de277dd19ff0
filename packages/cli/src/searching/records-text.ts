import type { Output } from '@mortise/client'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

type FoundRecord = Output<'searchRecords'>['results'][number]

/** Returns found records for people: the id, and a line for each field. */
export function recordsText(records: readonly FoundRecord[], { bold, dim }: Terminal['out']): string {
  return records
    .map(({ id, fields, mappedFields }) => {
      const values = Object.entries({ ...fields, ...mappedFields })
      const width = Math.max(0, ...values.map(([name]) => name.length))
      const lines = values.map(
        ([name, value]) => `  ${dim(printable(name.padEnd(width)))}  ${printable(valueText(value))}\n`,
      )
      return `${bold(printable(String(id ?? 'without an id')))}\n${lines.join('')}`
    })
    .join('\n')
}

/** One line for each value, whatever the provider has in it. */
function valueText(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\n', '\\n') : JSON.stringify(value)
}
