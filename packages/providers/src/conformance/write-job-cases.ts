import type { BatchRecordResult } from '../connector.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import { isJson, type Json, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute, type Route } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'
import { type Tried, tryCase } from './tried.ts'

const job = { id: 'job-1' }
const ids = ['3001', '3002', '3003']
const reason = 'The stand-in refuses this record.'

/** Writes records of an object by its job. */
export async function writeJobCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const declared = ((subject.object['write'] ?? {}) as Json)['job']
  if (!isJson(declared)) return []
  const tried: Tried[] = []
  for (const type of ['create', 'update'] as const)
    if ((declared['operations'] as Json)[type] !== undefined)
      tried.push(await tryCase(`job ${type}`, 'results', () => faultsOf(subject, server, declared, type)))
  return tried
}

async function faultsOf(subject: Subject, server: StandInServer, declared: Json, type: 'create' | 'update') {
  const at = { state: '' }
  const standIn = standInFor(subject, () => routesOf(subject, declared, type, at))
  const opened = connectorTo(server, subject, standIn).writeJob(String(subject.values['object']), type)
  if (opened === undefined) return ['no job']
  const items = ids.map((id, index) => ({ ...(type === 'update' && { id }), record: { note: `The record ${index}.` } }))
  const text = opened.rows(items)?.text ?? ''
  const faults: string[] = []
  const { waiting = [], done = [], failed = [] } = declared['poll'] as Record<string, string[]>
  const id = (await opened.submit()) ?? ''
  if (!(await opened.upload(id, text))) faults.push('the upload is refused')
  await opened.start(id)
  for (const [state, is] of [
    [waiting[0], 'waiting'],
    ['a state of a running job', 'running'],
    [failed[0], 'failed'],
    [done[0], 'done'],
  ] as const) {
    at.state = state ?? ''
    const found = await opened.state(id)
    if (found.is !== is) faults.push(`the state "${state}" is ${found.is}, not ${is}`)
  }
  const results = await opened.results(id, items)
  const expected = [`${ids[0]}`, reason, 'unprocessed' in (declared['results'] as Json) ? 'not processed' : 'nothing']
  const shown = results.map(outcomeOf)
  if (String(shown) !== String(expected)) faults.push(`results ${shown.join()}, not ${expected.join()}`)
  await opened.abort(id)
  return [...faults, ...standIn.refused.map((why) => `refused: ${why}`)]
}

function outcomeOf(result: BatchRecordResult | undefined): string {
  const message = result?.errors?.[0]?.message
  if (message?.startsWith('This record was not processed.')) return 'not processed'
  return result?.recordId ?? message ?? 'nothing'
}

function routesOf(
  { base, values }: Subject,
  declared: Json,
  type: 'create' | 'update',
  at: { state: string },
): Route[] {
  const operation = (declared['operations'] as Json)[type]
  const {
    submit = {},
    upload = {},
    start = {},
    poll = {},
    abort = {},
    results = {},
    idColumn,
  } = declared as Record<string, Json>
  const to = (request: Json) => declaredRequest(request, base, { ...values, operation, job })
  const column = type === 'update' ? String(idColumn) : undefined
  const row = (index: number, ...more: string[]) =>
    [...more, ...(column === undefined ? [] : [ids[index]]), `The record ${index}.`].join(',')
  const csv = (...more: string[]) => [...more, ...(column === undefined ? [] : [column]), 'note'].join(',')
  const { written = {}, refused = {}, unprocessed } = results as Record<string, Json>
  const uploaded = to({ method: 'PUT', ...upload })
  const rows = [csv(), ...ids.map((_, index) => row(index))].map((line) => line.split(',').map((cell) => `"${cell}"`))
  return [
    fixedRoute(to(submit), withValue({}, String(submit['id']), job.id)),
    fixedRoute({ ...uploaded, body: rows.map((cells) => `${cells.join(',')}\n`).join('') }, {}),
    fixedRoute(to({ method: 'PATCH', ...start }), {}),
    { ...fixedRoute(to(poll), undefined), answer: () => ({ body: withValue({}, String(poll['state']), at.state) }) },
    fixedRoute(to({ method: 'POST', ...abort }), {}),
    fixedRoute(to(written), `${csv(String(written['id']))}\n${row(0, `${ids[0]}`)}\n`),
    fixedRoute(to(refused), `${csv(String(refused['error']))}\n${row(1, reason)}\n`),
    ...(unprocessed === undefined ? [] : [fixedRoute(to(unprocessed), `${csv()}\n${row(2)}\n`)]),
  ]
}
