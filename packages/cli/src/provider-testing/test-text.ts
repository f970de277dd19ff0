import type { Output } from '@mortise/client'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Tested = Output<'testProviderFile'>

const fieldsMost = 12

/** A test of a provider file for people: faults as a compiler prints them, objects as a test run does. */
export function testText(file: string, { faults, objects }: Tested, colors: Terminal['out']): string {
  const lines = [
    ...faults.map(
      ({ line, column, message }) =>
        `${printable(file)}:${line}:${column} ${colors.red('error')} ${printable(message)}`,
    ),
    ...objects.flatMap((object) => objectLines(object, colors)),
  ]
  const failed = objects.filter(hasError).length
  if (objects.length > 0)
    lines.push(
      failed === 0
        ? colors.green(`${objects.length} ${objects.length === 1 ? 'object works' : 'objects work'}`)
        : colors.red(`${failed} of ${objects.length} objects failed`),
    )
  return `${lines.join('\n')}\n`
}

function objectLines(object: Tested['objects'][number], { red, green, yellow, dim, bold }: Terminal['out']): string[] {
  const { objectName, requests, records, recordFields, describedFields, findings } = object
  const shown = recordFields.slice(0, fieldsMost).join(', ')
  const more = recordFields.length > fieldsMost ? ` and ${recordFields.length - fieldsMost} more` : ''
  return [
    `${hasError(object) ? red('✗') : green('✓')} ${bold(printable(objectName))}`,
    ...requests.map(({ method, url, status, durationMs }) =>
      dim(`    ${method} ${printable(url)} ${status ?? 'no answer'} ${durationMs} ms`),
    ),
    `    ${describedFields} fields described, ${records} ${records === 1 ? 'record' : 'records'} read${shown === '' ? '' : `: ${printable(shown)}${more}`}`,
    ...findings.map(
      ({ level, message }) => `    ${level === 'error' ? red(level) : yellow(level)} ${printable(message)}`,
    ),
    '',
  ]
}

function hasError({ findings }: Tested['objects'][number]): boolean {
  return findings.some(({ level }) => level === 'error')
}
