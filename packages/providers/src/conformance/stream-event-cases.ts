import type { EventStream } from '../catalogue/format/stream.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { readStreamEvent, type StreamEvent } from '../interpreter/streams/read-stream-event.ts'
import { eventNamesOf } from '../interpreter/webhooks/event-names.ts'
import { sourceIn } from '../interpreter/webhooks/event-source.ts'
import { valueAt } from './stand-in/json-paths.ts'
import { decodedEvent, type StreamChange, streamIds } from './stand-in/stream-event.ts'
import { within } from './stand-in/window-texts.ts'
import { type Tried, tryCase } from './tried.ts'

const kinds = ['create', 'update', 'delete'] as const
const fields = ['Email', 'Phone']

/** Malformed events, by what is wrong with them. */
const malformed: Record<string, Partial<StreamChange>> = {
  'no name': { name: undefined },
  'an empty name': { name: '' },
  'a list as name': { name: ['x'] },
  'an object as name': { name: {} },
}
const others: Record<string, unknown> = { 'an object': {}, 'a list': [], 'a text': 'text', null: null }

/** Ids of no record, by what they are. */
const noIds: Record<string, unknown> = {
  'no ids': [],
  'empty ids': ['', null],
  'an object as ids': { id: 1 },
  'null as ids': null,
}

/**
 * Reads decoded events as a file declares them: those of records, those that stand for changes which were not sent, and
 * malformed ones.
 *
 * @param declared the stream as the file of the stand-in declares it
 * @param object name of an object whose events arrive
 */
export async function streamEventCases(tested: EventStream, declared: EventStream, object: string): Promise<Tried[]> {
  const tried: Tried[] = []
  const run = async (name: string, test: (ids: string[]) => string[]) => {
    tried.push(await tryCase('stream', name, async () => test(streamIds(declared))))
  }
  const read = (change: StreamChange) => readStreamEvent(tested, decodedEvent(declared, change))
  for (const kind of kinds)
    for (const name of declared.events[kind] ?? [])
      await run(`${kind} ${name}`, (ids) => [
        ...eventFaults(declared, name, ids, read),
        ...kindFaults(tested, object, kind, name),
      ])
  for (const name of declared.missed ?? []) await run(`missed ${name}`, (ids) => missedFaults(read({ name, ids })))
  const [name = ''] = kinds.flatMap((kind) => declared.events[kind] ?? [])
  for (const [what, ids] of Object.entries(noIds)) await run(what, () => missedFaults(read({ name, ids })))
  const { idPattern } = declared.event
  if (idPattern !== undefined) await run('other ids', ([id = '']) => otherIdFaults(id, idPattern, name, read))
  const noEvent = (event: StreamEvent | undefined) => (event === undefined ? [] : [`is the event ${event.name}`])
  for (const [what, decoded] of Object.entries(others)) await run(what, () => noEvent(readStreamEvent(tested, decoded)))
  for (const [what, change] of Object.entries(malformed))
    await run(what, (ids) => noEvent(read({ name, ids, ...change })))
  return tried
}

type Read = (change: StreamChange) => StreamEvent | undefined

/** An event about three records, one of which it names twice. */
function eventFaults(declared: EventStream, name: string, ids: string[], read: Read): string[] {
  const isMissed = declared.missed?.includes(name) === true
  const event = read({ name, ids: [...ids, ids[0]], fields, record: { note: 'A record.' } })
  if (event === undefined) return ['there is no event']
  const { ids: idsPath, record, time, fieldsUpdated } = declared.event
  const found = event.records.map(({ id }) => id)
  const own = event.records.map(({ raw }) => valueAt(raw, idsPath))
  const hasRecord = event.records.every(
    ({ raw }) => record === undefined || valueAt(raw, `${record}.note`) === 'A record.',
  )
  const expected: [what: string, found: unknown, wanted: unknown][] = [
    ['name', event.name, name],
    ['records', found, isMissed ? [] : ids],
    ['ids of each record', own, found.map((id) => [id])],
    ['record is complete', hasRecord, true],
    ['object is read', event.isMissed, isMissed],
    ['time', event.time?.getTime(), time && within.getTime()],
    ['changed fields', event.fieldsUpdated, fieldsUpdated && fields],
  ]
  return expected.flatMap(([what, one, other]) => {
    const [shown, wanted] = [JSON.stringify(one), JSON.stringify(other)]
    return shown === wanted ? [] : [`${what}: ${shown}, not ${wanted}`]
  })
}

function kindFaults(tested: EventStream, object: string, kind: (typeof kinds)[number], name: string): string[] {
  const source = sourceIn({ stream: tested })
  const names = source && eventNamesOf(source, object)
  return names?.[kind].includes(name) ? [] : [`its kind is not ${kind}`]
}

/** The object is read, and there is no record. */
function missedFaults(event: StreamEvent | undefined): string[] {
  if (event === undefined) return ['there is no event']
  return [
    ...(event.isMissed ? [] : ['the object is not read']),
    ...(event.records.length === 0 ? [] : [`the records are ${event.records.map(({ id }) => id).join()}`]),
  ]
}

/** Ids that do not fit: the object is read, and the others are records. */
function otherIdFaults(id: string, pattern: string, name: string, read: Read): string[] {
  const unfit = [`${id}*`, '*', '-', `${id} `].filter((one) => !compilePattern(pattern).fits(one))
  return unfit.flatMap((other) => {
    const event = read({ name, ids: [id, other] })
    const found = event?.records.map((record) => record.id).join()
    return [
      ...(event?.isMissed === true ? [] : [`${other}: the object is not read`]),
      ...(found === id ? [] : [`${other}: the records are ${found}, not ${id}`]),
    ]
  })
}
