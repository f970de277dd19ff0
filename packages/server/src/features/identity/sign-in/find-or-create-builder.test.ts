import { afterAll, beforeAll, expect, it } from 'vitest'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { openTestPool } from '../../../testkit/test-database.ts'
import { createPerson } from './factors/factors.testkit.ts'
import { findOrCreateBuilder } from './find-or-create-builder.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

it.each([
  ['two identities with one email link one of them to the account', ['one', 'other'], 1],
  ['two sign-ins with one identity find the same account', ['one', 'one'], 2],
])('%s', async (_, subjects, count) => {
  const { services } = app.app
  const email = `${subjects.join('-')}@acme.example`
  const { builderId } = await createPerson(app, email)
  const issuer = `https://idp.example/${subjects.join('-')}`
  const nameless = { firstName: undefined, lastName: undefined, fullName: undefined }
  const locking = openTestPool(app.testDatabase.url, { options: '-c search_path=mortise' })
  await locking.query('begin')
  await locking.query('select from builders where id = $1 for update', [builderId])
  const started = subjects.map((subject) =>
    findOrCreateBuilder(services, { issuer, subject, email, emailVerified: true, ...nameless }, builderId),
  )
  await untilLockWait(app.db.sql, 2)
  await locking.query('commit')
  await locking.end()
  const ended = await Promise.all(started)
  expect(ended.filter((end) => 'id' in end && end.id === builderId)).toHaveLength(count)
  expect(ended.filter((end) => 'refused' in end)).toHaveLength(subjects.length - count)
})
