import { expect, it } from 'vitest'
import type { Answer } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Responses as the API guide shows them: XML, also for errors, which have status 200. */

const given = {
  metadata: { workspace: 'yourchurch' },
  credential: { scheme: 'basic', username: 'u', password: 'p' },
} as const

const xml = (response: string): Answer => ({
  headers: { 'content-type': 'text/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>
<ccb_api>
  <request><parameters><argument value="individual_profiles" name="srv"/></parameters></request>
  <response><service>individual_profiles</service>${response}</response>
</ccb_api>`,
})

const individual = `<individual id="48">
  <campus id="1">Church of Cucumbers</campus>
  <full_name>Larry &amp; Bob</full_name>
  <phones><phone type="home">(098) 765-4321</phone><phone type="work"></phone></phones>
  <active>true</active>
</individual>`
const request = { object: 'individuals', fields: ['full_name', 'campus', 'phones'] }

it('one individual is a list, and attributes are values', async () => {
  const answer = () => xml(`<individuals count="1">${individual}</individuals>`)
  await using ccb = await openProvider('churchCommunityBuilder', answer, given)
  const since = new Date('2026-01-02T10:00:00Z')
  const records = await readAll(ccb.connector, { ...request, since })
  expect(records.map(({ id, fields }) => ({ id, ...fields }))).toEqual([
    {
      id: '48',
      full_name: 'Larry & Bob',
      campus: { '@id': '1', '#text': 'Church of Cucumbers' },
      phones: { phone: [{ '@type': 'home', '#text': '(098) 765-4321' }, { '@type': 'work' }] },
    },
  ])
  expect(asked(ccb.seen)).toEqual([
    'GET /api.php?srv=individual_profiles&page=1&per_page=100&include_inactive=true&modified_since=2026-01-01',
  ])
  const found = await ccb.connector.fetchRecord('individuals', '48', ['full_name'])
  expect(found).toMatchObject({ id: '48', fields: { full_name: 'Larry & Bob' } })
  expect(asked(ccb.seen)[1]).toContain('srv=individual_profile_from_id&')
})

it('no individuals are none, and a document without the list is an error', async () => {
  await using none = await openProvider('churchCommunityBuilder', () => xml('<individuals count="0"/>'), given)
  expect(await readAll(none.connector, request)).toEqual([])
  for (const body of ['<html><head><title>Sign in</title></head></html>', '<ccb_api/>', '<ccb_api><response>', '']) {
    await using other = await openProvider('churchCommunityBuilder', () => ({ body }), given)
    await expect(readAll(other.connector, request)).rejects.toMatchObject({ class: 'unexpected_response' })
  }
})

it.each(['<error>The service is not assigned.</error>', '<error number="005">The service is not assigned.</error>'])(
  '%s is an error with its words, though its status is 200',
  async (error) => {
    const answer = () => xml(`<errors>${error}</errors>`)
    await using ccb = await openProvider('churchCommunityBuilder', answer, given)
    await expect(readAll(ccb.connector, request)).rejects.toMatchObject({
      class: 'bad_request',
      providerMessage: 'The service is not assigned.',
    })
  },
)
