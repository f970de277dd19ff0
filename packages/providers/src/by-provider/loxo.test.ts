import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

const open = (answer: (request: SeenRequest) => Answer) =>
  openProvider('loxo', answer, {
    metadata: { workspace: 'acme.app.loxo.co', agencySlug: 'acme' },
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })

it('placements are read to the last page', async () => {
  await using provider = await open(({ url }) => ({
    body: url.searchParams.has('scroll_id')
      ? { scroll_id: null, total_count: 2, placements: [{ id: 2 }] }
      : { scroll_id: 's2', total_count: 2, placements: [{ id: 1 }] },
  }))
  const records = await readAll(provider.connector, { object: 'placements', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)).toEqual(['GET /api/acme/placements', 'GET /api/acme/placements?scroll_id=s2'])
})

it('source types after the last one are requested until there are none', async () => {
  await using provider = await open(({ url }) => {
    const after = Number(url.searchParams.get('after_id'))
    return { body: { source_types: [{ id: 1 }, { id: 2 }].filter(({ id }) => id > after).slice(0, 1) } }
  })
  const records = await readAll(provider.connector, { object: 'source_types', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen).at(-1)).toBe('GET /api/acme/source_types?after_id=2')
})

it('candidates are those of each job', async () => {
  await using provider = await open(({ url }) => ({
    body: url.pathname.endsWith('/jobs')
      ? { results: [{ id: 7 }, { id: 8 }] }
      : { candidates: [{ id: Number(url.pathname.split('/')[4]) * 10 }], scroll_id: null },
  }))
  const records = await readAll(provider.connector, { object: 'candidates', fields: ['job_id'] })
  expect(records.map(({ id, fields }) => [id, fields['job_id']])).toEqual([
    ['70', 7],
    ['80', 8],
  ])
  expect(asked(provider.seen)).toContain('GET /api/acme/jobs/8/candidates?per_page=100')
})

it('activity types include hidden ones, and those of deals are of each workflow', async () => {
  await using provider = await open(({ url }) => ({
    body: url.pathname.endsWith('/deal_workflows') ? [{ id: 5 }] : [{ id: 1 }],
  }))
  await readAll(provider.connector, { object: 'activity_types', fields: [] })
  await readAll(provider.connector, { object: 'activity_types/deals', fields: [] })
  expect(asked(provider.seen)).toEqual([
    'GET /api/acme/activity_types?show_hidden=true',
    'GET /api/acme/deal_workflows',
    'GET /api/acme/activity_types?show_hidden=true&workflow_id=5',
  ])
})

it('an SMS is sent as it is', async () => {
  await using provider = await open(() => ({ body: { sms: { id: 3 } } }))
  const record = { body: 'Hello', to_number: '+15550100' }
  await provider.connector.write({ object: 'sms', type: 'create', record })
  expect(asked(provider.seen)).toEqual(['POST /api/acme/sms {"body":"Hello","to_number":"+15550100"}'])
})
