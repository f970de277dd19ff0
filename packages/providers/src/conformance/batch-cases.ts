import type { BatchWriteRequest, BatchWriteResult } from '../connector.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fitted, isJson, type Json, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'
import { type Tried, tryCase } from './tried.ts'

const ids = ['1001', '1002', '1003']
const wholeList = { $each: 'items', $item: { $value: 'item.record' } }
const html = '<!doctype html><html><head><title>Sign in</title></head></html>'

/** Writes batches of an object to its stand-in. */
export async function batchCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const tried: Tried[] = []
  const write = (subject.object['write'] ?? {}) as Json
  const batch = (write['batch'] ?? {}) as Json
  for (const type of ['create', 'update'] as const) {
    const operation = batch[type]
    if (!isJson(operation)) continue
    const run = async (name: string, wanted: BatchWriteResult['status'], instead?: () => Answer) => {
      const test = () => faultsOf(subject, server, caseOf(subject, write, operation, type), wanted, instead)
      tried.push(await tryCase(`batch ${type}`, name, test))
    }
    await run('success', 'success')
    await run('422', 'failure', () => ({ status: 422, body: { message: 'No.' } }))
    await run('html', 'failure', () => ({ body: html }))
  }
  return tried
}

async function faultsOf(
  subject: Subject,
  server: StandInServer,
  { standIn, request, written }: ReturnType<typeof caseOf>,
  wanted: BatchWriteResult['status'],
  instead?: () => Answer,
): Promise<string[]> {
  standIn.instead = instead
  const found = await connectorTo(server, subject, standIn)
    .writeBatch(request)
    .then(
      ({ status, results }) => ({ status, ids: results.flatMap(({ recordId }) => recordId ?? []) }),
      (error: unknown) => ({ status: instead === undefined ? String(error) : 'failure', ids: [] }),
    )
  const faults = standIn.refused.map((why) => `refused: ${why}`)
  if (found.status !== wanted) faults.push(`${found.status}, not ${wanted}`)
  if (wanted === 'success' && String(found.ids) !== String(written))
    faults.push(`ids ${found.ids.join()}, not ${written.join()}`)
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
