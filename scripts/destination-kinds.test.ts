import { expect, it } from 'vitest'
import { kindFields } from '../packages/console/src/pages/destinations/kind-fields.ts'
import { destinationKinds } from '../packages/server/src/features/messaging/kinds/index.ts'

const sorted = (names: Iterable<string>) => [...names].toSorted()

it('the console has a form for every kind of destination, with every setting of it', () => {
  expect(sorted(Object.keys(kindFields))).toEqual(sorted(destinationKinds.map(({ name }) => name)))
  const fields: Record<string, readonly { name: string; isSecret?: true }[]> = kindFields
  for (const { name, properties, secretProperties = {} } of destinationKinds) {
    const ofForm = (isSecret: boolean) =>
      sorted((fields[name] ?? []).filter((field) => (field.isSecret ?? false) === isSecret).map((field) => field.name))
    expect([name, ofForm(false)]).toEqual([name, sorted(Object.keys(properties))])
    expect([name, ofForm(true)]).toEqual([name, sorted(Object.keys(secretProperties))])
  }
})
