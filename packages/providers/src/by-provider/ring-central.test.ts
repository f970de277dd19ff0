import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What RingCentral's package @rc-ex/core says of lists that have a default filter. */

it('allowed numbers are read as blocked ones are, and states of all countries', async () => {
  await using provider = await openProvider('ringCentral', ({ url }) => ({
    body: { records: [{ id: url.searchParams.get('status') ?? 'CA' }] },
  }))
  const { connector, seen } = provider
  const numbers = await readAll(connector, { object: 'caller-blocking/phone-numbers', fields: [] })
  expect(numbers.map(({ id }) => id)).toEqual(['Blocked', 'Allowed'])
  await readAll(connector, { object: 'states', fields: [] })
  expect(asked(seen).at(-1)).toBe('GET /restapi/v1.0/dictionary/state?perPage=100&allCountries=true')
})
