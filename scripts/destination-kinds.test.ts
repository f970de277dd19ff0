import { expect, it } from 'vitest'
import { kinds } from '../packages/console/src/pages/destinations/destination-kinds.ts'
import { destinationKinds } from '../packages/server/src/features/messaging/kinds/index.ts'

const sorted = (names: Iterable<string>) => [...names].toSorted()

it('the console has a form for every kind of destination, with every setting of it', () => {
  expect(sorted(Object.keys(kinds))).toEqual(sorted(destinationKinds.map(({ name }) => name)))
  for (const { name, properties, secretProperties = {} } of destinationKinds) {
    const ofForm = (isSecret: boolean) =>
      sorted(
        (kinds[name]?.fields ?? [])
          .filter((field) => (field.isSecret ?? false) === isSecret)
          .map((field) => field.name),
      )
    expect([name, ofForm(false)]).toEqual([name, sorted(Object.keys(properties))])
    expect([name, ofForm(true)]).toEqual([name, sorted(Object.keys(secretProperties))])
  }
})
