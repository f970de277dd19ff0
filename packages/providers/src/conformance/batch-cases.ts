import type { BatchWriteRequest, BatchWriteResult } from '../connector.ts'
import type { Faults } from './read-cases.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fitted, isJson, type Json, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'

const ids = ['1001', '1002', '1003']
const wholeList = { $each: 'items', $item: { $value: 'item.record' } }
const html = '<!doctype html><html><head><title>Sign in</title></head></html>'

/** Writes batches of an object to its stand-in, and returns what is not as the file says. */
export async function batchFaults(subject: Subject, server: StandInServer): Promise<Faults> {
  const faults: Faults = []
  const write = (subject.object['write'] ?? {}) as Json
  const batch = (write['batch'] ?? {}) as Json
  for (const type of ['create', 'update'] as const) {
    const operation = batch[type]
    if (!isJson(operation)) continue
    const run = async (what: string, wanted: BatchWriteResult['status'], instead?: () => Answer) => {
      const { standIn, request, written } = caseOf(subject, write, operation, type)
      standIn.instead = instead
      const found = await connectorTo(server, subject, standIn)
        .writeBatch(request)
        .then(
          ({ status, results }) => ({ status, ids: results.flatMap(({ recordId }) => recordId ?? []) }),
          (error: unknown) => ({ status: instead === undefined ? String(error) : 'failure', ids: [] }),
        )
      for (const why of standIn.refused) faults.push([`batch ${type} ${what}`, `refused: ${why}`])
      if (found.status !== wanted) faults.push([`batch ${type} ${what}`, `${found.status}, not ${wanted}`])
      if (wanted === 'success' && String(found.ids) !== String(written))
        faults.push([`batch ${type} ${what}`, `ids ${found.ids.join()}, not ${written.join()}`])
    }
    await run('success', 'success')
    await run('422', 'failure', () => ({ status: 422, body: { message: 'No.' } }))
    await run('html', 'failure', () => ({ body: html }))
  }
  return faults
}

function caseOf(subject: Subject, write: Json, operation: Json, type: 'create' | 'update') {
  const { method = 'POST', body = wholeList, encoding = write['encoding'], answer } = operation
  const headers = { ...(write['headers'] as Json), ...(operation['headers'] as Json) }
  const sent = ids.slice(0, Number(operation['max']))
  const items = sent.map((id, trace) => ({
    ...(type === 'update' && { id }),
    record: { note: `The record ${trace}.` },
    trace,
  }))
  const idempotencyKey = 'stand-in-key'
  const values = { ...subject.values, items, allOrNone: false, idempotencyKey }
  const declared = declaredRequest({ ...operation, method, body, encoding, headers }, subject.base, values)
  const response = responseOf(answer as Json, sent, type)
  const request: BatchWriteRequest = {
    object: String(subject.values['object']),
    type,
    items: items.map(({ trace: _, ...item }) => item),
    allOrNone: false,
    idempotencyKey,
  }
  return { standIn: standInFor(subject, () => [fixedRoute(declared, response, true)]), request, written: sent }
}

/** The results of all records; in another order where each says which record it is of. */
function responseOf(answer: Json, sent: readonly string[], type: 'create' | 'update'): unknown {
  const { results = '', index, data = '', id = 'id', success } = answer as Record<string, string | Json | undefined>
  const listed = sent.map((one, trace) => {
    let made: unknown = withValue({}, String(data), { note: 'The written record.' })
    made = withValue(made, String(id), one)
    if (typeof index === 'string') made = withValue(made, index, trace)
    return fitted(made, success as Json | undefined)
  })
  const isNamed = index !== undefined || type === 'update'
  return withValue({}, String(results), isNamed ? listed.toReversed() : listed)
}
