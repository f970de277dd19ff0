import type { ProviderRecord } from '../connector.ts'
import { valuesOf } from './read-case.ts'
import { declaredRequest } from './stand-in/declared-request.ts'
import { filledText } from './stand-in/fill.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fitted, isJson, type Json, unfitted, withValue } from './stand-in/json-paths.ts'
import { idPathsOf } from './stand-in/records.ts'
import type { StandInServer } from './stand-in/server.ts'
import { fixedRoute, type StandIn } from './stand-in/stand-in.ts'
import { connectorTo, type Subject, standInFor } from './stand-in/subject.ts'
import { written } from './stand-in/written-body.ts'
import { type Tried, tryCase } from './tried.ts'
import { idFor } from './write-cases.ts'

interface Case {
  standIn: StandIn
  id: string
  record: Json
}

/** Looks up records by their ids, as a check for deletions does: they exist, or were deleted in each declared way. */
export async function lookupCases(subject: Subject, server: StandInServer): Promise<Tried[]> {
  const { get, read, readByIds } = subject.object as Record<string, Json | undefined>
  const tried: Tried[] = []
  if (read !== undefined && readByIds !== undefined)
    tried.push(await tryCase('lookup', 'by ids', () => faultsOfTwo(subject, server, read, readByIds)))
  if (get === undefined) return tried
  const run = async (name: string, wanted: 'found' | 'deleted', instead?: (made: Case) => Answer) => {
    tried.push(await tryCase('lookup', name, () => faultsOf(subject, server, wanted, instead)))
  }
  const { only, none } = get as { only?: Json; none?: Json }
  await run('found', 'found')
  await run('404', 'deleted', () => ({ status: 404, body: { message: 'There is no such record.' } }))
  if (only !== undefined)
    await run('only', 'deleted', ({ record }) => ({ body: bodyOf(subject, get, unfitted(record, only)) }))
  if (none !== undefined)
    await run('none', 'deleted', () => ({
      status: Number(none['status'] ?? 200),
      body: written(fitted({}, none['when'] as Json), get),
    }))
  return tried
}

async function faultsOf(
  subject: Subject,
  server: StandInServer,
  wanted: 'found' | 'deleted',
  instead: ((made: Case) => Answer) | undefined,
): Promise<string[]> {
  const made = caseOf(subject)
  const { standIn, id } = made
  standIn.instead = instead === undefined ? undefined : () => instead(made)
  const found = await connectorTo(server, subject, standIn)
    .fetchRecords(String(subject.values['object']), [id], [])
    .then((records) => resultFaults(records, id, wanted))
    .catch((error: unknown) => [`fails: ${String(error)}`])
  return [...standIn.refused.map((why) => `refused: ${why}`), ...found]
}

/** The response leaves out the second record, which was deleted. */
async function faultsOfTwo(subject: Subject, server: StandInServer, read: Json, readByIds: Json): Promise<string[]> {
  const { base, values } = subject
  const { max, records = '', unwrap = '' } = readByIds
  const [idPath = 'id'] = idPathsOf({ read, values })
  const item = withValue({}, String(unwrap), withValue({ note: 'The record.' }, idPath, '1001'))
  const ids = ['1001', '1002']
  const request = declaredRequest(readByIds, base, {
    ...valuesOf(subject, read, undefined, []),
    ...{ ids, pageSize: max, records: ids.map((id) => ({ id })) },
  })
  const body = written(withValue({}, filledText(String(records), values) ?? '', [item]), readByIds)
  const standIn = standInFor(subject, () => [fixedRoute(request, body, true)])
  const found = await connectorTo(server, subject, standIn)
    .fetchRecords(String(values['object']), ids, [])
    .then((some) => resultFaults(some, '1001', 'found').concat(some.size > 1 ? ['finds what the response lacks'] : []))
    .catch((error: unknown) => [`fails: ${String(error)}`])
  return [...standIn.refused.map((why) => `refused: ${why}`), ...found]
}

function resultFaults(records: ReadonlyMap<string, ProviderRecord>, id: string, wanted: 'found' | 'deleted'): string[] {
  const record = records.get(id)
  if (wanted === 'deleted') return records.size === 0 ? [] : [`finds ${[...records.keys()].join()}, which is deleted`]
  if (record === undefined) return ['does not find the record']
  return record.id === id ? [] : [`the id is ${record.id}, not ${id}`]
}

function caseOf(subject: Subject): Case {
  const { object, base } = subject
  const { get, read = {} } = object as { get: Json; read?: Json }
  const { text, value } = idFor(subject)
  const parts = text.split('/')
  let record = fitted({ note: 'The record.' }, get['only'] as Json | undefined)
  for (const [at, path] of idPathsOf({ read, values: subject.values }).entries())
    record = withValue(record, path, parts[at] ?? text)
  const whole = isJson(record) ? record : {}
  const request = declaredRequest(get, base, { ...valuesOf(subject, read, undefined, []), id: value })
  const route = fixedRoute(request, bodyOf(subject, get, whole), true)
  return { standIn: standInFor(subject, () => [route]), id: text, record: whole }
}

/** The response with the record. */
function bodyOf({ values }: Subject, get: Json, record: unknown): unknown {
  return written(withValue({}, filledText(String(get['record'] ?? ''), values) ?? '', record), get)
}
