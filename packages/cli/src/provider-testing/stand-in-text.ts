import type { StandInGroup, StandInObject, Untested } from '@mortise/providers/stand-in'
import { pluralize } from '../pluralize.ts'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Colors = Terminal['out']

const namesOfCases: Readonly<Record<string, string>> = {
  full: 'all pages, resumed',
  empty: 'empty list',
  window: 'changes since a time',
  wide: 'many fields',
  ids: 'list of ids',
  none: 'no records',
  found: 'a record',
  only: 'mark of a deleted record',
  'by ids': 'several records',
  job: 'job',
  'job ids': 'list of ids by a job',
  'job deletions': 'deleted records by a job',
  'job html': 'HTML as result of a job',
  'job other gzip': 'compressed result, not declared',
  'job gzip': 'compressed result of a job',
  'job no gzip': 'uncompressed result, declared as compressed',
  'job cut gzip': 'half a compressed result',
  'job gzip sum': 'compressed result with another checksum',
  'job gzip bomb': 'compressed result that expands too much',
  cost: 'limit on cost',
  deletions: 'deleted records',
  html: 'HTML',
  cut: 'half a response',
  'no list': 'another response',
  'no success': 'refusal with status 200',
  refusals: 'list of refusals',
}
const nameWidth = 14

/** Returns the lines of a file: a line for each group of cases, and a line for each fault. */
export function fileText(path: string, groups: readonly StandInGroup[], colors: Colors): string {
  return titledText(path, groups, colors)
}

/** Returns the lines of an object. */
export function objectText({ objectName, groups }: StandInObject, colors: Colors): string {
  return titledText(objectName, groups, colors)
}

function titledText(title: string, groups: readonly StandInGroup[], colors: Colors): string {
  const { green, red, bold } = colors
  const head = `${hasFailed(groups) ? red('✗') : green('✓')} ${bold(printable(title))}`
  return `${[head, ...groups.flatMap((group) => oneGroup(group, colors)), ''].join('\n')}\n`
}

export function hasFailed(groups: readonly StandInGroup[]): boolean {
  return groups.some(({ failed }) => failed.length > 0)
}

/** Returns what was not tested, and why. */
export function untestedText(untested: readonly Untested[], { yellow }: Colors): string {
  return untested
    .map(({ what, because }) => `${yellow('not tested')} ${printable(what)}: ${printable(because)}\n`)
    .join('')
}

/** What fails a test besides its objects. */
export interface Failed {
  /** Objects that the command line names, and that were not tested. */
  missed: readonly string[]
  isFileFaulty: boolean
}

/** Returns the last line of a test. */
export function endText(
  objects: readonly StandInObject[],
  { missed, isFileFaulty }: Failed,
  { green, red }: Colors,
): string {
  const failed = objects.filter(({ groups }) => hasFailed(groups)).length
  if (failed > 0) return red(`${failed} of ${pluralize(objects.length, 'object')} failed`)
  if (isFileFaulty) return red('the file failed')
  if (missed.length > 0) return red(`not tested, although you named it: ${missed.map(printable).join(', ')}`)
  return green(
    objects.length === 0 ? 'no object to test' : `${pluralize(objects.length, 'object')} passed against the stand-in`,
  )
}

function oneGroup({ group, passed, failed, notTested }: StandInGroup, { green, red, yellow, dim }: Colors): string[] {
  const cases = [...new Set([...passed, ...failed.map((one) => one.case)])]
  const title = `    ${failed.length > 0 ? red('✗') : green('✓')} ${group.padEnd(nameWidth)}`
  return [
    ...(cases.length === 0
      ? []
      : [`${title} ${dim(passed.length === 0 ? '' : passed.map(nameOf).join(', '))}`.trimEnd()]),
    ...failed.map((one) => `      ${red('error')} ${nameOf(one.case)}: ${printable(one.message)}`),
    ...(cases.length === 0 ? [...new Set(notTested.map(({ because }) => because))] : []).map(
      (because) => `      ${yellow('not tested')} ${group}: ${printable(because)}`,
    ),
    ...(cases.length === 0 ? [] : notTested).map(
      (one) => `      ${yellow('not tested')} ${group} ${nameOf(one.case)}: ${printable(one.because)}`,
    ),
  ]
}

const nameOf = (name: string) => (Object.hasOwn(namesOfCases, name) ? (namesOfCases[name] ?? name) : name)
