import { describe, expect, it } from 'vitest'
import { destinationKinds } from './index.ts'
import { cloudReceivers, httpReceivers, serverReceivers } from './receivers.ts'
import { secretNames } from './secret-settings.ts'

describe.each(destinationKinds.map((kind) => ({ name: kind.name, kind })))('$name', ({ kind }) => {
  it('says who gets each of its secrets, by settings that it has', () => {
    expect(Object.keys(kind.receivers)).toEqual(expect.arrayContaining(secretNames(kind)))
    const shown = Object.keys(kind.properties)
    expect([...shown, ...secretNames(kind)]).toEqual(expect.arrayContaining(Object.keys(kind.receivers)))
    for (const { settings } of Object.values(kind.receivers))
      expect(shown).toEqual(expect.arrayContaining([...settings]))
  })

  it('keeps only settings with an update of its URL alone that everybody who may change it may read', () => {
    const kept = Object.entries(kind.receivers).flatMap(([name, { isKeptByUrlAlone }]) =>
      isKeptByUrlAlone ? name : [],
    )
    expect(kept).toEqual(kind.name === 'webhook' ? ['headers'] : [])
  })
})

const added = (before: readonly string[], after: readonly string[]) => after.filter((one) => !before.includes(one))

it.each([
  ['https://a.example.com/one?x=1', 'https://A.example.com:443/two', 0],
  ['https://a.example.com', 'https://b.example.com', 1],
  ['https://a.example.com', 'https://a.example.com:8443', 1],
  // Without TLS, everybody on the way reads it; with TLS, nobody new does.
  ['https://a.example.com:8080', 'http://a.example.com:8080', 1],
  ['http://a.example.com:8080', 'https://a.example.com:8080', 0],
])('from %s to %s, %d receivers are new', (from, to, count) => {
  expect(added(httpReceivers(from), httpReceivers(to))).toHaveLength(count)
})

it('an authority of the user is a receiver, and the public ones are none', () => {
  const server = { host: 'a.example.com', port: 5671, tls: true }
  const [open, one, other] = [undefined, 'one', 'other'].map((ca) => serverReceivers(server, ca)) as [
    string[],
    string[],
    string[],
  ]
  expect([added(open, one), added(one, open), added(one, other)].map(({ length }) => length)).toEqual([1, 0, 1])
})

it('the public endpoints of a cloud are one receiver', () => {
  const { of } = cloudReceivers('AWS')
  expect(added(of({}), of({}))).toEqual([])
  expect(added(of({}), of({ endpointUrl: 'https://a.example.com' }))).toHaveLength(1)
  expect(added(of({ endpointUrl: 'https://a.example.com' }), of({}))).toHaveLength(1)
})
