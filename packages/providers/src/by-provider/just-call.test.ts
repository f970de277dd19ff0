import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.justcall.io/reference shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'apiKey', apiKey: 'k1' } as const

function justCall({ url }: SeenRequest): Answer {
  const isLast = url.searchParams.get('page') === '2'
  const next_page_link = isLast ? null : 'https://api.justcall.io/v2.1/calls?page=2&per_page=100'
  return { body: { status: 'success', next_page_link, data: [{ id: isLast ? 2 : 1 }] } }
}

it('calls are read page by page, each page with the window, which the link may lack', async () => {
  await using provider = await openProvider('justCall', justCall, { credential })
  const window = { since: new Date('2026-01-02T10:00:00Z'), until: new Date('2026-01-03T10:00:00Z') }
  const request = { object: 'calls', fields: ['id'], ...window }
  const first = await provider.connector.readPage(request)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...last.records].map(({ id }) => id)).toEqual(['1', '2'])
  expect(last.nextPage).toBeUndefined()
  const sorted = 'order=asc&sort=datetime&from_datetime=2026-01-01 00:00:00&to_datetime=2026-01-03 23:59:59'
  expect(asked(provider.seen).map((line) => line.replaceAll('+', ' '))).toEqual([
    `GET /v2.1/calls?per_page=100&${sorted}`,
    `GET /v2.1/calls?per_page=100&page=2&${sorted}`,
  ])
})

it('pages of WhatsApp messages have at most 50', async () => {
  await using provider = await openProvider('justCall', justCall, { credential })
  await provider.connector.readPage({ object: 'messages', fields: ['id'] })
  expect(asked(provider.seen)).toEqual(['GET /v2.1/whatsapp/messages?per_page=50&order=asc'])
})

it('what is answered without a success was not written', async () => {
  const body = { status: 'error', message: 'No.' }
  await using provider = await openProvider('justCall', () => ({ body }), { credential })
  const written = provider.connector.write({ object: 'contacts', type: 'create', record: { name: 'A' } })
  await expect(written).rejects.toMatchObject({ class: 'bad_request' })
})

it('contacts are those of all agents, the oldest first', async () => {
  await using provider = await openProvider('justCall', justCall, { credential })
  await provider.connector.readPage({ object: 'contacts', fields: ['id'] })
  await provider.connector.readPage({ object: 'contacts/blacklist', fields: [] })
  expect(asked(provider.seen)).toEqual([
    'GET /v2.1/contacts?per_page=100&across_team=true&order=asc',
    'GET /v2.1/contacts/blacklist?per_page=100&across_team=true&order=asc',
  ])
})

it('meetings of a series are apart; transcripts are requested if they are selected', async () => {
  const data = ['i1', 'i2'].map((instance_sid) => ({ instance_sid, meeting_id: 'm1' }))
  await using provider = await openProvider('justCall', () => ({ body: { data } }), { credential })
  const request = { object: 'meetings_ai', since: new Date('2026-01-02T00:00:00Z') }
  const { records } = await provider.connector.readPage({ ...request, fields: ['meeting_id'] })
  expect(records.map(({ id }) => id)).toEqual(['i1', 'i2'])
  await provider.connector.readPage({ ...request, fields: ['speakers'] })
  const window = 'order=asc&from_datetime=2026-01-01 00:00:00'
  expect(asked(provider.seen).map((line) => line.replaceAll('+', ' '))).toEqual([
    `GET /v2.1/meetings_ai?per_page=20&${window}`,
    `GET /v2.1/meetings_ai?per_page=20&order=asc&fetch_transcription=true&from_datetime=2026-01-01 00:00:00`,
  ])
})

it('templates of WhatsApp are read for each number', async () => {
  const answer = ({ url }: SeenRequest): Answer => {
    const isNumbers = url.pathname.endsWith('/phone-numbers')
    return { body: { data: isNumbers ? [{ id: 1, justcall_number: '15550001' }] : [{ id: 7 }] } }
  }
  await using provider = await openProvider('justCall', answer, { credential })
  const { records } = await provider.connector.readPage({ object: 'templates', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['7'])
  expect(asked(provider.seen)).toEqual([
    'GET /v2.1/phone-numbers?per_page=100',
    'GET /v2.1/whatsapp/messages/templates?per_page=100&justcall_number=15550001',
  ])
})
