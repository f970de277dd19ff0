import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What twilio.com/docs/usage/api shows, as far as the provider file relies on it. */

const root = '/2010-04-01/Accounts'

function twilio({ method, url, headers, body }: SeenRequest): Answer {
  if (headers['authorization'] !== `Basic ${btoa('AC1:secret')}`)
    return { status: 401, body: { code: 20003, message: 'Authenticate', status: 401 } }
  if (method === 'DELETE') return { status: 204 }
  if (method === 'POST') {
    const form = new URLSearchParams(body)
    return form.get('To') === null
      ? { status: 400, body: { code: 21604, message: "A 'To' phone number is required.", status: 400 } }
      : { status: 201, body: { sid: 'SM9', account_sid: 'AC1', to: form.get('To') } }
  }
  const { pathname, searchParams } = url
  if (pathname === `${root}.json`) return { body: { accounts: [{ sid: 'AC1' }, { sid: 'AC2' }], next_page_uri: null } }
  const conferencesOf = /Accounts\/(\w+)\/Conferences\.json$/.exec(pathname)?.[1]
  if (conferencesOf !== undefined) {
    const status = searchParams.get('Status') ?? 'in-progress'
    const conferences = [{ sid: `CF-${status}`, account_sid: conferencesOf, status }]
    return { body: { conferences, next_page_uri: null } }
  }
  const recordingsOf = /Accounts\/(\w+)\/Recordings\.json$/.exec(pathname)?.[1]
  if (recordingsOf !== undefined) {
    const of = { account_sid: recordingsOf, date_updated: 'Fri, 02 Jan 2026 00:00:00 +0000' }
    const recordings = [{ ...of, sid: 'RE1', status: 'completed' }]
    const deleted = searchParams.get('IncludeSoftDeleted') === 'true' ? [{ ...of, sid: 'RE2', status: 'deleted' }] : []
    return { body: { recordings: [...recordings, ...deleted], next_page_uri: null } }
  }
  const account_sid = /Accounts\/(\w+)\/Messages\.json$/.exec(pathname)?.[1]
  if (account_sid === undefined) return { status: 404 }
  const second = searchParams.get('PageToken') === 'PASM1'
  const next = `${pathname}?PageSize=${searchParams.get('PageSize')}&Page=1&PageToken=PASM1`
  const message = { sid: second ? 'SM2' : 'SM1', account_sid }
  const date_updated = second ? 'Thu, 01 Jan 2026 00:00:00 +0000' : 'Fri, 02 Jan 2026 00:00:00 +0000'
  return { body: { messages: [{ ...message, date_updated }], next_page_uri: second ? null : next } }
}

const credential = { scheme: 'basic', username: 'AC1', password: 'secret' } as const

async function idsOf(since?: Date) {
  await using provider = await openProvider('twilio', twilio, { credential })
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'messages', fields: ['body'], ...more })).map(({ id }) => id)
  return ids
}

it('messages of every account are read to the last page, those that changed', async () => {
  expect(await idsOf()).toEqual(['AC1/SM1', 'AC1/SM2', 'AC2/SM1', 'AC2/SM2'])
  expect(await idsOf(new Date('2026-01-01T12:00:00Z'))).toEqual(['AC1/SM1', 'AC2/SM1'])
})

it('conferences are read in every status', async () => {
  await using provider = await openProvider('twilio', twilio, { credential })
  const records = await readAll(provider.connector, { object: 'conferences', fields: ['status'] })
  const of = (account: string) => ['init', 'in-progress', 'completed'].map((status) => `${account}/CF-${status}`)
  expect(records.map(({ id }) => id)).toEqual([...of('AC1'), ...of('AC2')])
})

it('recordings that were deleted are deletions', async () => {
  await using provider = await openProvider('twilio', twilio, { credential })
  const request = { object: 'recordings', fields: ['status'], since: new Date('2026-01-01T00:00:00Z') }
  const ids = async (deletions: boolean) =>
    (await readAll(provider.connector, { ...request, deletions })).map(({ id, deleted }) => [id, deleted])
  expect(await ids(false)).toEqual([
    ['AC1/RE1', undefined],
    ['AC2/RE1', undefined],
  ])
  expect(await ids(true)).toEqual([
    ['AC1/RE1', undefined],
    ['AC1/RE2', true],
    ['AC2/RE1', undefined],
    ['AC2/RE2', true],
  ])
})

it('messages are written as forms, in their account', async () => {
  await using provider = await openProvider('twilio', twilio, { credential })
  const { connector, seen } = provider
  const record = { account_sid: 'AC1', To: '+15550100', From: '+15550101', Body: 'Hi' }
  expect(await connector.write({ object: 'messages', type: 'create', record })).toMatchObject({ recordId: 'AC1/SM9' })
  await connector.write({ object: 'messages', type: 'delete', id: 'AC1/SM9', record: {} })
  expect(asked(seen)).toEqual([
    `POST ${root}/AC1/Messages.json To=%2B15550100&From=%2B15550101&Body=Hi`,
    `DELETE ${root}/AC1/Messages/SM9.json`,
  ])
  const refused = connector.write({ object: 'messages', type: 'create', record: { account_sid: 'AC1', Body: 'Hi' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: "A 'To' phone number is required.",
  })
})
