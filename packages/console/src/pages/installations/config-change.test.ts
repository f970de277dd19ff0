import { describe, expect, test } from 'vitest'
import { lineOf, pathOfIssue, textOf, updateOf } from './config-change.ts'

const before = {
  provider: 'hubspot',
  read: { objects: { contacts: { schedule: '0 * * * *', selectedFields: { email: true } }, 'a.b': {} } },
  write: { objects: { contacts: {} } },
  proxy: { enabled: false },
}
const maskOf = (after: object) => {
  const update = updateOf(before, after as never)
  return 'body' in update ? update.body.updateMask : update.issues.map(({ message }) => message)
}

describe('the update that an edit becomes', () => {
  test('nothing changed: nothing is named, whatever the order of keys', () => {
    expect(maskOf({ proxy: { enabled: false }, write: before.write, read: before.read, provider: 'hubspot' })).toEqual(
      [],
    )
  })
  test('names each read object that differs or is new', () => {
    const objects = { ...before.read.objects, contacts: { schedule: '*/5 * * * *' }, deals: {} }
    expect(maskOf({ ...before, read: { objects } })).toEqual([
      'config.content.read.objects.contacts',
      'config.content.read.objects.deals',
    ])
  })
  test('names what is written, subscribed and proxied as a whole', () => {
    const subscribe = { objects: { contacts: { createEvent: { enabled: 'always' } } } }
    expect(maskOf({ ...before, write: { objects: {} }, subscribe, proxy: { enabled: true } })).toEqual([
      'config.content.write.objects',
      'config.content.subscribe.objects',
      'config.content.proxy.enabled',
    ])
  })
  test('says what the API cannot do: a read object is not removed, and the provider stays', () => {
    const issues = maskOf({
      ...before,
      provider: 'salesforce',
      read: { objects: { contacts: before.read.objects.contacts } },
    })
    expect(issues).toHaveLength(2)
    expect(issues[0]).toContain('“a.b” cannot be removed')
  })
})

test('an issue of the service is at its line', () => {
  const text = textOf(before)
  const lineText = (name: string) => text.split('\n')[lineOf(text, pathOfIssue(name)) - 1]
  expect(lineText('installation.config.content.read.objects.contacts.schedule')).toContain('"schedule"')
  expect(lineText('config.content.read.objects.contacts.selectedFields.email')).toContain('"email"')
  // An object of the same name comes first under another action.
  expect(lineText('config.content.write.objects.contacts')).toContain('"contacts"')
  expect(lineOf(text, pathOfIssue('config.content.write.objects.contacts'))).toBeGreaterThan(
    lineOf(text, pathOfIssue('config.content.read.objects.contacts')),
  )
  expect(lineText('config.content.nothing.there')).toBe('{')
})
