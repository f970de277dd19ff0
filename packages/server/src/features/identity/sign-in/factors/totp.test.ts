import { expect, test } from 'vitest'
import { codeAt } from './factors.testkit.ts'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'

const at = (seconds: number) => new Date(seconds * 1000)
/** The secret of RFC 6238, appendix B, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at %i seconds the code of RFC 6238 is accepted', (seconds, code) => {
  expect(totpStep(secret, code, at(seconds))).toBe(Math.floor(seconds / 30))
})

test('a code is accepted one step early or late, and no further', () => {
  const now = at(1_000_000_010)
  const steps = [-60, -30, 0, 30, 60].map((seconds) =>
    totpStep(secret, codeAt(secret, at(1_000_000_010 + seconds)), now),
  )
  const step = Math.floor(1_000_000_010 / 30)
  expect(steps).toEqual([undefined, step - 1, step, step + 1, undefined])
})

test.each(['', '12345', '1234567', 'abcdef', '-12345', '１２３４５６'])('%o is no code', (code) => {
  expect(totpStep(secret, code, at(59))).toBeUndefined()
})

test('a secret has 160 bits, and its address names service and account', () => {
  const made = newTotpSecret()
  expect(made).toMatch(/^[A-Z2-7]{32}$/)
  const uri = new URL(totpUri(made, { publicUrl: 'https://mortise.example.com:8443', email: 'ada@example.com' }))
  expect(uri.protocol).toBe('otpauth:')
  expect(decodeURIComponent(uri.pathname)).toContain('Mortise (mortise.example.com):ada@example.com')
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({
    secret: made,
    digits: '6',
    period: '30',
    algorithm: 'SHA1',
  })
})
