import { expect, it } from 'vitest'
import { startTestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { hasGuessablePassword, isGuessable } from './guessable.ts'
import { readNewAccount } from './new-account.ts'

it.each([
  'password1234',
  'Password1234!',
  'P@ssw0rd1234',
  'passwordpassword',
  'qwertyuiop12',
  'qwerty123456',
  'letmein12345',
  'iloveyou1234',
  'administrator1',
  '123456789012',
  'aaaaaaaaaaaa',
  'abcdefghijkl',
  'mortise12345',
])('%j is easy to guess', async (password) => {
  expect(await isGuessable(password)).toBe(true)
})

it.each([
  'correct horse battery',
  'another horse battery',
  'café au lait fine',
  'mK4}xq9-Lw2v',
  'four small green lamps',
])('%j is not', async (password) => {
  expect(await isGuessable(password)).toBe(false)
})

it('the address and the name of the person are easy to guess, for that person', async () => {
  const personal = ['grace.hopper@example.com', 'Grace Hopper']
  for (const password of ['grace.hopper@example.com', 'GraceHopper1'])
    expect([password, await isGuessable(password, personal)]).toEqual([password, true])
})

it('a long text costs no more than its beginning', async () => {
  expect(await isGuessable('1234567890'.repeat(20))).toBe(true)
  expect(await isGuessable(`${'x7Kq-'.repeat(2)}Zw9 lamp river ${'1'.repeat(200)}`)).toBe(false)
})

it('is refused for a new account and for a change of password, with a sentence that says what to do', async () => {
  const fault = 'This password is easy to guess. Choose several words that do not belong together.'
  const form = (password: string) =>
    new URLSearchParams({ email: 'grace.hopper@example.com', name: 'Grace Hopper', password })
  for (const password of ['password1234', 'grace.hopper@example.com'])
    expect(await readNewAccount(form(password))).toEqual({ fault })
  expect(await readNewAccount(form('correct horse battery'))).toMatchObject({ password: 'correct horse battery' })

  const app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  try {
    const currentPassword = 'correct horse battery'
    const { headers } = await signInBuilder(app, { email: 'ada@example.com', password: currentPassword })
    const body = { currentPassword, newPassword: 'password1234' }
    const answer = await app.call<{ issues: object[] }>('POST', '/my-info/password', body, { apiKey: null, headers })
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toMatchObject([{ in: 'body', name: 'newPassword', detail: fault }])
  } finally {
    await app.stop()
  }
})

it('in the URL of the mail server is warned about, without being shown', async () => {
  expect(await hasGuessablePassword('smtps://mortise:password1234@mail.example.com')).toBe(true)
  expect(await hasGuessablePassword('smtps://mortise:mK4%7Dxq9-Lw2v@mail.example.com')).toBe(false)
  expect(await hasGuessablePassword('smtp://mail.example.com')).toBe(false)
  const env = { MORTISE_ROLES: 'api', MORTISE_SMTP_URL: 'smtps://mortise:password1234@mail.example.com' }
  const app = await startTestApp({ env })
  await app.stop()
  expect(app.logs.join('\n')).toContain('the password in MORTISE_SMTP_URL is easy to guess')
  expect(app.logs.join('\n')).not.toContain('password1234')
})
