import { expect, it } from 'vitest'
import type { SeenRequest } from './testing/http-server.testkit.ts'
import { openProvider } from './testing/open-provider.testkit.ts'

/** Lists that their providers refuse without a window: their fields are those of a recent record. */

const now = () => Date.parse('2026-03-31T12:00:00Z')
const connection = {
  credential: { scheme: 'basic', username: 'u', password: 'p' },
  metadata: { workspace: 'data', projectId: '7' },
} as const

interface Case {
  object: string
  body: object
  /** Parameters of the window. */
  window: Record<string, string>
  field: string
}

const cases: Record<string, Case> = {
  hiBob: {
    object: 'timeOffRequests',
    body: { changes: [{ requestId: 1, changeType: 'Created' }] },
    window: { since: '2025-10-02T12:00:01Z' },
    field: 'changeType',
  },
  mixpanel: {
    object: 'events',
    body: { event: 'Sign up', properties: { $insert_id: '1', plan: 'pro' } },
    window: { from_date: '2026-03-30', to_date: '2026-03-30' },
    field: 'plan',
  },
  payPal: {
    object: 'transactions',
    body: { transaction_details: [{ transaction_info: { transaction_id: '1' } }], total_pages: 1 },
    window: { start_date: '2026-02-28T08:00:01Z', end_date: '2026-03-31T08:00:00Z' },
    field: 'transaction_id',
  },
}

it.each(Object.entries(cases))('%s: the fields of a list that needs a window', async (name, of) => {
  const answer = ({ url }: SeenRequest) =>
    Object.keys(of.window).every((parameter) => url.searchParams.has(parameter))
      ? { body: of.body }
      : { status: 400, body: { message: 'A window is required.' } }
  await using at = await openProvider(name, answer, { ...connection, now })
  const { fields } = await at.connector.describeObject(of.object)
  expect(Object.keys(fields)).toContain(of.field)
  expect(Object.fromEntries(at.seen[0]?.url.searchParams ?? [])).toMatchObject(of.window)
})
