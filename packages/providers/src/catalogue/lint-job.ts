import { mergeTree } from '../interpreter/merge-tree.ts'
import type { Flaw } from './flaw.ts'
import type { ReadObject } from './format/provider-file.ts'
import type { Request } from './format/request.ts'
import { lintRequest, usedVariables } from './lint-request.ts'

/** What the schema cannot say of `read.job`: a job that returns other records than the list, a result without a URL. */
export function lintJob(object: ReadObject, ofRead: readonly string[]): Flaw[] {
  const { read, deletions, incremental } = object
  const { job } = read
  if (job === undefined) return []
  const flaws: Flaw[] = []
  const flaw = (key: string[], message: string) => flaws.push({ path: ['read', 'job', ...key], message })
  const { submit, start, poll, results, abort, above } = job
  const lint = (key: string, request: Request, allowed: readonly string[]) =>
    flaws.push(...lintRequest(['read', 'job', key], request, allowed))
  lint('submit', submit, ofRead)
  lint('poll', poll, [...ofRead, 'job'])
  if (start !== undefined) lint('start', start as Request, [...ofRead, 'job'])
  if (start !== undefined && !usesJob(start as Request)) flaw(['start'], 'must use {{job.id}}')
  if (abort !== undefined) lint('abort', abort as Request, [...ofRead, 'job'])
  if (results.document !== undefined) {
    lint('results', results.document, [...ofRead, 'job'])
    if (results.url === undefined) flaw(['results', 'document'], 'needs "url"')
    if (poll.document === undefined) flaw(['results', 'document'], 'needs `poll.document`')
  }
  if (results.gzip !== undefined && results.url === undefined) flaw(['results', 'gzip'], 'needs "url"')
  if (job.always === true && (above !== undefined || job.exceptTypes !== undefined))
    flaw(['always'], 'excludes "above" and "exceptTypes": there is no list')
  if (job.always === true && (object.fields ?? []).every(({ source }) => source === 'sample'))
    flaw(['always'], 'needs `fields` that the file or the provider names: there is no list to take a sample from')
  if (!usesJob(poll)) flaw(['poll'], 'must use {{job.id}}')
  if (abort !== undefined && !usesJob(abort as Request)) flaw(['abort'], 'must use {{job.id}}')
  if ((results.path === undefined) === (results.url === undefined)) flaw(['results'], 'needs one of "path" and "url"')
  if (results.path !== undefined) {
    const { format: _, ...parts } = results
    const request = { ...parts, path: results.path }
    lint('results', request, [...ofRead, 'job', 'pageSize', 'cursor'])
    if (!usesJob(request)) flaw(['results'], 'must use {{job.id}}')
    if (results.nextHeader !== undefined && usedVariables(request)?.has('cursor') === false)
      flaw(['results', 'nextHeader'], 'needs a request that uses {{cursor}}')
  }
  for (const key of ['hosts', 'credential'] as const)
    if (results[key] !== undefined && results.url === undefined) flaw(['results', key], 'needs "url"')
  if (results.lastCursor !== undefined && results.nextHeader === undefined)
    flaw(['results', 'lastCursor'], 'needs "nextHeader"')
  for (const key of ['types', 'nullText'] as const)
    if (results[key] !== undefined && results.format === 'ndjson')
      flaw(['results', key], 'needs `format: csv` or `tsv`')
  if (above !== undefined && read.total === undefined && read.totalHeader === undefined)
    flaw(['above'], 'needs `read.total`')
  for (const key of ['each', 'customFields', 'getEach', 'unwrap', 'only', 'keyedBy', 'valueAs'] as const)
    if (read[key] !== undefined) flaw([], `does not support \`read.${key}\``)
  if (incremental !== undefined && incremental.filter === undefined && usedVariables(submit)?.has('since') === false)
    flaw(['submit'], 'must use {{since}}, as the list does: a backfill may have a window')
  if (usedVariables(read)?.has('filters') === true && usedVariables(submit)?.has('filters') === false)
    flaw(['submit'], 'must use {{filters}}, as the list does')
  if (deletions?.job !== undefined) {
    const changed = mergeTree(submit, deletions.job)
    flaws.push(...lintRequest(['deletions', 'job'], changed, ofRead))
  }
  return flaws
}

function usesJob(request: Request): boolean {
  return [...(usedVariables(request) ?? ['job'])].some((name) => name.split('.', 1)[0] === 'job')
}
