import { expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetAnswer } from '../http-target.testkit.ts'
import { type Store, stores } from '../stores.testkit.ts'

/** What a compatible service may answer to an object that it stored. */
async function outcomeOf(answer: TargetAnswer) {
  const { kind, settings } = stores['s3'] as Store
  const target = await startHttpTarget({ settings, secret: 'unused', answer: () => answer })
  const { send, close } = openForTest(kind, target.settings)
  try {
    const id = '019c13d5-0800-7000-8000-0000000000ff'
    const body = Buffer.from('{"eventType":"installation.created"}')
    const [result] = await send([{ id, kind: 'notification', eventType: 'installation.created', body }])
    return result?.outcome
  } finally {
    await close()
    await target.stop()
  }
}

const etag = '"5d41402abc4b2a76b9719d911017c592"'

it('an empty answer with a tag confirms an object, whatever type it says that it has', async () => {
  // OpenStack Swift has this type for every empty answer.
  expect(await outcomeOf({ status: 200, headers: { etag, 'content-type': 'text/html; charset=utf-8' } })).toBe(
    'delivered',
  )
})

it('a page with a tag confirms no object, whatever type it says that it has', async () => {
  for (const body of ['<!DOCTYPE html><title>Welcome</title>', '\n  <HTML lang="en">Welcome</HTML>'])
    for (const type of ['text/html', 'application/xml'])
      expect(await outcomeOf({ status: 200, headers: { etag, 'content-type': type }, body })).toBe('retry')
})
