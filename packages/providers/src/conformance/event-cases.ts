import type { Webhooks } from '../catalogue/format/webhooks.ts'
import { eventNamesOf } from '../interpreter/webhooks/event-names.ts'
import { parseBody } from '../interpreter/webhooks/inbound-request.ts'
import { lifecycleOf } from '../interpreter/webhooks/lifecycle.ts'
import { parseEvents, recordIn } from '../interpreter/webhooks/parse-events.ts'
import { isJson } from './stand-in/json-paths.ts'
import { type SentEvent, sentEvent, type WantedEvent, wantedEvents, withNameAs } from './stand-in/sent-event.ts'
import { type Tried, tryCase } from './tried.ts'

/** Bodies without an event, whatever the file says. */
const others = {
  html: '<!doctype html><html><head><title>Sign in</title></head></html>',
  'half of an object': '{"id":"1","event":',
  'list of lists': '[[{"id":"1"}]]',
  'list of values': '[null,1,"text",true]',
  text: '"text"',
  number: '12',
  null: 'null',
}

/** Reads each event that a file maps to an object, and bodies without events. */
export async function eventCases(webhooks: Webhooks): Promise<Tried[]> {
  const tried: Tried[] = []
  const wanted = wantedEvents(webhooks)
  for (const [object, events] of Map.groupBy(wanted, ({ object }) => object))
    tried.push(await tryCase('events', object, async () => events.flatMap((one) => mappingFaults(webhooks, one))))
  const [first] = wanted
  const sent = first && sentEvent(webhooks, first)
  for (const [name, body] of Object.entries(others))
    tried.push(await tryCase('events', name, async () => noEvent(webhooks, body, sent?.headers)))
  if (sent !== undefined && first !== undefined)
    for (const value of [{}, [], null])
      tried.push(
        await tryCase('events', `${JSON.stringify(value)} as name`, async () => {
          const body = withNameAs(webhooks, sent, value)
          return body === undefined ? [] : noEvent(webhooks, JSON.stringify(body), sent.headers)
        }),
      )
  for (const kind of ['renew', 'lost', 'missed'] as const)
    for (const name of webhooks.lifecycle?.[kind] ?? [])
      tried.push(await tryCase('events', `${kind} ${name}`, async () => lifecycleFaults(webhooks, kind, name)))
  return tried
}

/** The events of a body as it arrives: as text. */
function parsed(webhooks: Webhooks, { body, headers }: Pick<SentEvent, 'body' | 'headers'>) {
  const { value } = parseBody({ body: Buffer.from(JSON.stringify(body)), headers })
  return parseEvents(webhooks, value, headers)
}

/** What Mortise reads otherwise in an event than the file maps it. */
function mappingFaults(webhooks: Webhooks, wanted: WantedEvent): string[] {
  return readFaults(webhooks, wanted).map((fault) => `${wanted.kind} ${wanted.name}: ${fault}`)
}

function readFaults(webhooks: Webhooks, wanted: WantedEvent): string[] {
  const sent = sentEvent(webhooks, wanted)
  const { expected } = sent
  const found = parsed(webhooks, sent)
  const event = found.find(({ name }) => name === expected.name)
  if (event === undefined) return [`no event of this name, but ${JSON.stringify(found.map(({ name }) => name))}`]
  const kinds = eventNamesOf(webhooks, wanted.object)
  const { id } = expected
  const record = sent.hasRecord ? recordIn(webhooks, wanted.object, event.raw) : undefined
  return [
    ...(id === undefined || event.id === id ? [] : [`the id is ${event.id}, not ${id}`]),
    ...(expected.object === event.object ? [] : [`the object is ${event.object}, not ${expected.object}`]),
    ...(expected.account === event.account ? [] : [`the account is ${event.account}, not ${expected.account}`]),
    ...(expected.key === undefined || expected.key === event.key ? [] : [`the key is ${event.key}`]),
    ...(expected.hasTime && event.time === undefined ? ['there is no time'] : []),
    ...(kinds?.[wanted.kind as 'create'].includes(event.name) ? [] : [`its kind is not ${wanted.kind}`]),
    ...(sent.hasRecord && !isJson(record) ? ['there is no record'] : []),
    ...(lifecycleOf(webhooks, sent.body, sent.headers).size === 0 ? [] : ['is about a registration, too']),
  ]
}

function noEvent(webhooks: Webhooks, body: string, headers: Record<string, string> = {}): string[] {
  const { value } = parseBody({ body: Buffer.from(body), headers })
  const found = parseEvents(webhooks, value, headers)
  const notice = lifecycleOf(webhooks, value, headers)
  return [
    ...found.map(({ name }) => `is the event ${name}`),
    ...[...notice].map((kind) => `is a notification to ${kind}`),
  ]
}

function lifecycleFaults(webhooks: Webhooks, kind: 'renew' | 'lost' | 'missed', name: string): string[] {
  const { lifecycle, event } = webhooks
  // As an event whose name is at that location.
  const notice = { ...webhooks, event: { ...event, name: lifecycle?.name ?? '' } }
  const { body, headers } = sentEvent(notice, { object: '', kind: 'changed', name })
  const found = lifecycleOf(webhooks, body, headers)
  return found.has(kind) ? [] : [`it asks for ${JSON.stringify([...found])}`]
}
