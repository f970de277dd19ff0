import type { Flaw } from './flaw.ts'
import type { Request } from './format/request.ts'
import type { Write } from './format/write.ts'
import { lintRequest, usedVariables } from './lint-request.ts'

/** What the schema cannot say of `write.job`: requests of no job, states with two meanings, writes without batches. */
export function lintWriteJob(write: Write, shared: readonly string[]): Flaw[] {
  const { job, batch } = write
  if (job === undefined) return []
  const flaws: Flaw[] = []
  const flaw = (key: string[], message: string) => flaws.push({ path: ['write', 'job', ...key], message })
  const { submit, upload, start, poll, results, abort, operations, idColumn } = job
  const lint = (key: string[], request: object, more: readonly string[]) =>
    flaws.push(...lintRequest(['write', 'job', ...key], withoutMethod(request), [...shared, 'operation', ...more]))
  lint(['submit'], submit, [])
  const ofJob = { upload, start, poll, abort }
  for (const [key, request] of Object.entries(ofJob)) {
    lint([key], request, ['job'])
    if (!usesJob(request)) flaw([key], 'must use {{job.id}}')
  }
  for (const [key, request] of Object.entries(results)) {
    lint(['results', key], request, ['job'])
    if (!usesJob(request)) flaw(['results', key], 'must use {{job.id}}')
  }
  if (upload.body !== undefined) flaw(['upload', 'body'], 'is always the records')
  const states = [...poll.waiting, ...poll.done, ...poll.failed]
  const twice = states.find((state, at) => states.indexOf(state) !== at)
  if (twice !== undefined) flaw(['poll'], `has the state "${twice}" in two lists`)
  for (const type of ['create', 'update'] as const)
    if (operations[type] !== undefined && batch?.[type] === undefined)
      flaw(['operations', type], `needs \`write.batch.${type}\`, for writes that no job can do`)
  if (operations.update !== undefined && idColumn === undefined) flaw(['operations', 'update'], 'needs "idColumn"')
  if (write.customFields !== undefined) flaw([], 'does not support `write.customFields`')
  return flaws
}

/** The lint of requests ignores methods: the schema has checked them. */
function withoutMethod(request: object): Request {
  const { method: _, ...rest } = { method: undefined, ...request }
  return rest as Request
}

function usesJob(request: object): boolean {
  return [...(usedVariables(withoutMethod(request)) ?? ['job'])].some((name) => name.split('.', 1)[0] === 'job')
}
