import { expect, it } from 'vitest'
import { objectLabel } from '../index.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'

it('the name for people of an object is that of the provider file, if it has one', () => {
  const read = "read: { path: '/{{object}}' }\nfields: [{ source: static, fields: { name: string } }]"
  const entry = thingsProvider(`displayName: Belongings\n${read}`)
  expect(objectLabel(entry, undefined, 'things')).toBe('Belongings')
  expect(objectLabel(entry, undefined, 'others')).toBeUndefined()
  expect(objectLabel(entry, 'no-such-module', 'things')).toBeUndefined()
  expect(objectLabel(thingsProvider(read), undefined, 'things')).toBeUndefined()
})
