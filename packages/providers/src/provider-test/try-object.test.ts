import { expect, it } from 'vitest'
import { openProvider } from '../testing/open-provider.testkit.ts'
import type { Recording } from './recording-http.ts'
import { tryObject } from './try-object.ts'

it('a refusal is told with the single things that are wrong', async () => {
  const details = [{ parameter: 'organization', message: 'is required' }]
  const body = { title: 'Invalid Argument', message: 'The supplied parameters are invalid.', details }
  await using provider = await openProvider('calendly', () => ({ status: 400, body }))
  const recording: Recording = {
    http: () => Promise.reject(new Error('not asked')),
    take: () => [],
    begin: () => undefined,
    safe: (text) => text,
  }
  const { findings } = await tryObject(
    provider.connector,
    'groups',
    provider.entry.file?.sets.get('')?.objects.get('groups'),
    {
      recording,
      now: new Date('2026-01-01T00:00:00Z'),
      signal: AbortSignal.timeout(60_000),
    },
  )
  expect(findings).toContainEqual({
    level: 'error',
    message: expect.stringMatching(
      /^read: .*\(bad_request\) The supplied parameters are invalid\. .*is required/,
    ) as unknown,
  })
})
