import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutSecrets } from './without-secrets.ts'

const secret = 'key/7Qz+Wm=rT?x&y~"4v<Lk'

describe('a text that echoes a secret', () => {
  it.each([
    ['as it is', secret],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded in lower case', encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['in a path', encodeURI(secret)],
    ['in a form', new URLSearchParams({ key: secret }).toString()],
    ['in JSON', JSON.stringify({ key: secret })],
    ['in HTML', 'key/7Qz+Wm=rT?x&amp;y~&quot;4v&lt;Lk'],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['as a password of Basic', Buffer.from(`me:${secret}`).toString('base64')],
    ['as a user name of Basic', Buffer.from(`${secret}:pass`).toString('base64')],
  ])('%s shows none of it', (_, echo) => {
    const safe = withoutSecrets(`The key ${echo} is wrong.`, [secret])
    expect(safe).toMatch(/^The key .*\[secret\].* is wrong\.$/)
    expect(safe.length).toBeLessThan(60)
  })

  it('keeps everything else', () => {
    expect(withoutSecrets('Field nmae is unknown.', ['', 'a1', secret])).toBe('Field nmae is unknown.')
    expect(withoutSecrets('The key a1 is wrong.', ['a1'])).toBe('The key [secret] is wrong.')
  })

  it('is safe whatever the secret and whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: 'binary' }), fc.string({ unit: 'binary' }), (key, before) => {
        const encoded = Buffer.from(before + key).toString('base64')
        const safe = withoutSecrets(`${before} ${key} ${encoded}`, [key])
        expect(safe.includes(key)).toBe(false)
        expect(safe.endsWith(encoded)).toBe(false)
      }),
      { seed: 1 },
    )
  })
})
