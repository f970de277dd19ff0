import pg from 'pg'
import { projectJoins } from '../../../../scripts/tables/project-joins.mjs'
import { outsideProjects } from '../table-distribution.ts'
import { tableOwners } from '../table-owners.ts'

/**
 * Records every statement that the service sends while tests run, each text once in a worker, and finds those that join
 * rows of several projects. `set-up-worker.testkit.ts` asks for them after each test file, so that the file fails which
 * ran the statement. `npm run check` looks at the statements in the sources; only a run knows what query builders and
 * choices of the code make of them.
 */
interface Recorded {
  text: string
  values: readonly unknown[]
  /** Where the service sent it from. */
  from: string
}

const seen = new Set<string>()
let recorded: Recorded[] = []

const isOfProject = (table: string) => table in tableOwners && !(table in outsideProjects)

/** Starts recording in this worker. */
export function recordStatements(): void {
  if (pg.Client.prototype.query.name === 'recordedQuery') return
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function recordedQuery(this: pg.Client, ...given: unknown[]) {
    const [sent, values] = given as [string | { text?: string; values?: unknown[] }, unknown]
    const text = typeof sent === 'string' ? sent : sent.text
    const from = text === undefined || seen.has(text) ? undefined : senderOf(filesOfStack(), stackOf)
    if (text !== undefined && from !== undefined) {
      seen.add(text)
      const list = typeof sent === 'string' ? values : sent.values
      recorded.push({ text, values: Array.isArray(list) ? list : [], from })
    }
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
}

/** Returns the faults of the statements since the last call, each with the statement and where it was sent from. */
export function takeStatementFaults(): string[] {
  const taken = recorded
  recorded = []
  return taken.flatMap(faultsOf)
}

/** Returns what is wrong with a statement. */
export function faultsOf({ text, values, from }: Recorded): string[] {
  return joinsOf(withoutExplain(text)).flatMap(({ faults, parameters }) => {
    const projects = new Set(parameters.map((number) => String(values[number - 1])))
    const several = projects.size > 1 ? [`the statement is given several projects: ${[...projects].join(', ')}`] : []
    return [...faults, ...several].map((fault) => `${from}: ${fault}\n${text}`)
  })
}

/** Tests explain statements of the service. */
function withoutExplain(text: string): string {
  return text.replace(/^explain \([^)]*\) /, '')
}

function joinsOf(text: string) {
  try {
    return projectJoins(text, isOfProject)
  } catch {
    // Not SQL: PostgreSQL has refused it, too.
    return []
  }
}

function stackOf(): string[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  const { stack = '' } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return stack.split('\n').slice(1)
}

/** Returns the files of the stack. Their lines in the sources would take most of the time of a statement. */
function filesOfStack(): string[] {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  const { stack } = new Error() as { stack?: unknown }
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return stack as string[]
}

const ofTests = /\.(test|testkit|cases)\.ts|\/(testkit|testing|bench|e2e)\//
/** Code that passes on the statements of others. */
const betweenThem = /node_modules|\/testkit\/statement-record\.ts|\/kernel\/db\/[\w-]+\.ts/

/** Returns the line of the service that sent a statement; undefined when a test did. */
function senderOf(files: readonly string[], stack: () => readonly string[]): string | undefined {
  const isSender = (line: string) => /\/(packages|e2e|examples|bench)\//.test(line) && !betweenThem.test(line)
  const file = files.find(isSender)
  if (file === undefined) return 'unknown'
  return ofTests.test(file) ? undefined : (stack().find(isSender)?.trim() ?? file)
}
