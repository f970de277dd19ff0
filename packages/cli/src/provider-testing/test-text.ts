import type { Output } from '@mortise/client'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Tested = Output<'testProviderFile'>

const fieldsMax = 12

/** A test of a provider file for people: faults as a compiler prints them, objects as a test run does. */
export function testText(file: string, { faults, checks, objects }: Tested, colors: Terminal['out']): string {
  const lines = [
    ...faults.map(
      ({ line, column, message }) =>
        `${printable(file)}:${line}:${column} ${colors.red('error')} ${printable(message)}`,
    ),
    ...checks.flatMap((check) => checkLines(check, colors)),
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

const checkTitles = { healthCheck: 'health check', mcp: 'MCP server', get: 'request' } as const

const descriptionMax = 100

function checkLines(checked: Tested['checks'][number], { red, green, dim, bold }: Terminal['out']): string[] {
  const { check, requests, findings, tools } = checked
  return [
    `${hasError(checked) ? red('✗') : green('✓')} ${bold(checkTitles[check])}`,
    ...requests.map(({ method, url, status, durationMs }) =>
      dim(`      ${method} ${printable(url)} ${status ?? 'no answer'} ${durationMs} ms`),
    ),
    ...findings.map(({ level, message }) => `    ${red(level)} ${printable(message)}`),
    ...(tools ?? []).flatMap(({ name, description = '', digest, fault }) => [
      `    ${bold(printable(name))} ${printable(description.replace(/\s+/g, ' ').slice(0, descriptionMax))}`,
      fault === undefined ? `      digest: ${digest}` : `      ${red('error')} ${printable(fault)}`,
    ]),
    ...(tools === undefined
      ? []
      : [dim('    --format json shows the complete definitions: read them before you allow a tool')]),
    '',
  ]
}

function objectLines(object: Tested['objects'][number], { red, green, yellow, dim, bold }: Terminal['out']): string[] {
  const { objectName, requests, records, recordFields, describedFields, writes, findings } = object
  const shown = recordFields.slice(0, fieldsMax).join(', ')
  const more = recordFields.length > fieldsMax ? ` and ${recordFields.length - fieldsMax} more` : ''
  return [
    `${hasError(object) ? red('✗') : green('✓')} ${bold(printable(objectName))}`,
    ...requests.flatMap(({ step, method, url, status, durationMs }, at) => [
      ...(requests[at - 1]?.step === step ? [] : [`    ${stepTitle(step, object)}`]),
      dim(`      ${method} ${printable(url)} ${status ?? 'no answer'} ${durationMs} ms`),
    ]),
    `    ${describedFields} fields described, ${records} ${records === 1 ? 'record' : 'records'} read${shown === '' ? '' : `: ${printable(shown)}${more}`}`,
    ...writes.map(
      ({ type, id, outcome, message }) =>
        `    ${type}${id === undefined ? '' : ` of ${printable(id)}`} ${outcome === 'refused' ? green(outcome) : red(outcome)}: ${printable(message)}`,
    ),
    ...findings.map(
      ({ level, message }) => `    ${level === 'error' ? red(level) : yellow(level)} ${printable(message)}`,
    ),
    '',
  ]
}

/** What requests are for; those of reads with the kinds of reads that send them, and by which key of the file. */
function stepTitle(step: string, { reads }: Tested['objects'][number]): string {
  const shown = reads.filter((read) => read.step === step)
  const [first] = shown
  if (first === undefined) return step === 'future' ? 'window in the future' : step
  return `${shown.map(({ kind }) => kind).join(', ')}: ${first.request} (${printable(first.because)})`
}

function hasError({ findings }: Pick<Tested['objects'][number], 'findings'>): boolean {
  return findings.some(({ level }) => level === 'error')
}
