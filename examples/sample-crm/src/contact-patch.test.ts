import { expect, test } from 'vitest'
import { parseContactPatch } from './contact-patch.ts'
import { contactFields } from './fields.ts'

test('null removes the values of optional fields, and of the members of an object', () => {
  const patch = { phone: null, stage: null, score: null, company: { city: null }, custom_fields: { vip: null } }
  expect(parseContactPatch(patch, contactFields)).toEqual(patch)
})

test.each(['email', 'company', 'tags', 'id'])('null is no value of %s', (name) => {
  expect(() => parseContactPatch({ [name]: null }, contactFields)).toThrow()
})
