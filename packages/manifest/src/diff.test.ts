import { describe, expect, it } from 'vitest'
import { canonicalContent } from './canonical.ts'
import { diffContent } from './diff.ts'
import type { IntegrationContent, ReadObject } from './manifest.ts'

const object = (objectName: string, more: Partial<ReadObject> = {}): ReadObject => ({
  objectName,
  destination: 'hook',
  schedule: '0 * * * *',
  ...more,
})
const content = (...objects: ReadObject[]): IntegrationContent => ({ name: 'a', provider: 'p', read: { objects } })

describe('diffContent', () => {
  it('tells added, removed and changed objects of an action', () => {
    const diff = diffContent(
      content(object('account'), object('contact'), object('lead')),
      content(object('lead'), object('contact', { schedule: '0 0 * * *' }), object('task')),
    )
    expect(diff).toMatchObject({ same: false, read: { added: ['task'], removed: ['account'], changed: ['contact'] } })
    expect(diff.write).toEqual({ added: [], removed: [], changed: [] })
  })

  it('finds an object again when only the case of its name changed', () => {
    const { read } = diffContent(content(object('Account')), content(object('account')))
    expect(read).toEqual({ added: [], removed: [], changed: ['account'] })
  })

  it('keeps two objects apart whose names differ in case only', () => {
    const { read } = diffContent(content(object('Account'), object('account')), content(object('account')))
    expect(read).toEqual({ added: [], removed: ['Account'], changed: [] })
  })

  it('a removed action removes its objects', () => {
    const after: IntegrationContent = { name: 'a', provider: 'p', proxy: { enabled: true } }
    expect(diffContent(content(object('account')), after)).toMatchObject({
      read: { removed: ['account'] },
      proxy: 'added',
    })
  })

  it('the order of objects and keys is no difference, a display name is', () => {
    const one = content(object('a'), object('b'))
    const other: IntegrationContent = { provider: 'p', read: { objects: [object('b'), object('a')] }, name: 'a' }
    expect(diffContent(one, other).same).toBe(true)
    expect(diffContent(one, { ...other, displayName: 'A' })).toMatchObject({ same: false, fields: ['displayName'] })
  })
})

describe('canonicalContent', () => {
  it('is the same text for equal contents, another for different ones', () => {
    const one: IntegrationContent = { name: 'a', provider: 'p', proxy: { enabled: true, useModule: false } }
    const other: IntegrationContent = { proxy: { useModule: false, enabled: true }, provider: 'p', name: 'a' }
    expect(canonicalContent(one)).toBe(canonicalContent(other))
    expect(canonicalContent(one)).toBe('{"name":"a","provider":"p","proxy":{"enabled":true,"useModule":false}}')
    expect(canonicalContent({ ...one, displayName: 'x' })).not.toBe(canonicalContent(one))
  })
})
