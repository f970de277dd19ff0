import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '../telemetry/index.ts'
import type { Authenticate, FindRole, Identity } from './caller.ts'
import { createStreamLeases, type Lease } from './stream-leases.ts'

const project = { id: '0198c0de-0000-7000-8000-000000000001', name: 'shop', orgId: 'org' }
const identityOf = (scope: 'full' | 'frontend'): Identity => ({
  caller: { kind: 'apiKey', keyId: 'key', scope, createdBy: 'builder:1' },
  project,
})
const builder: Identity = { caller: { kind: 'builder', builderId: 'b', sessionId: 's', email: 'a@b.example' } }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function rig({ expiresAt }: { expiresAt?: Date } = {}) {
  let identity: Identity | undefined = identityOf('full')
  let role: Awaited<ReturnType<FindRole>> = { role: 'developer', orgId: 'org', project }
  let broken = false
  let asked = 0
  let time = new Date('2026-01-01T00:00:00Z')
  let publish: (() => void) | undefined
  const authenticate: Authenticate = Object.assign(async () => identityOf('full'), {
    again: async () => {
      asked++
      if (broken) throw Object.assign(new Error('away'), { code: '57P01' })
      return identity
    },
  })
  const findRole: FindRole = Object.assign(async () => undefined, { again: async () => role })
  const leases = createStreamLeases({
    authenticate,
    findRole,
    follow: (changed) => {
      publish = changed
      return () => {
        publish = undefined
      }
    },
    now: () => time,
    log: createLogger({ level: 'silent', destination: { write: () => undefined } }),
  })
  const open = (fingerprint = 'one', as: Identity = identityOf('full')) => {
    const end = vi.fn()
    const lease: Lease = {
      credential: { kind: 'apiKey', value: 'k', fingerprint },
      identity: { ...as, ...(expiresAt && { expiresAt }) },
      access: 'develop',
      scope: { project },
      end,
    }
    return { end, release: leases.watch(lease) }
  }
  return {
    open,
    isFollowed: () => publish !== undefined,
    publish: () => publish?.(),
    asked: () => asked,
    become: (next: Identity | undefined) => {
      identity = next
    },
    loseRole: () => {
      role = undefined
    },
    breakDown: (is: boolean) => {
      broken = is
    },
    setTime: (next: Date) => {
      time = next
    },
  }
}
const settled = (asked: () => number, count: number) => vi.waitFor(() => expect(asked()).toBeGreaterThanOrEqual(count))

test('a stream stays open while its credential is good', async () => {
  const { open, asked } = rig()
  const { end, release } = open()
  for (let checks = 1; checks <= 3; checks++) {
    await settled(asked, checks)
    vi.advanceTimersByTime(2_500)
  }
  expect(end).not.toHaveBeenCalled()
  release()
})

test.each<[string, (rigged: ReturnType<typeof rig>) => void, Identity?]>([
  ['is deleted', ({ become }) => become(undefined)],
  ['is narrowed', ({ become }) => become(identityOf('frontend'))],
  ['expires', ({ setTime }) => setTime(new Date('2026-01-01T00:10:00Z'))],
  [
    'is that of a person who loses the role',
    ({ become, loseRole }) => {
      become(builder)
      loseRole()
    },
    builder,
  ],
])(
  'within one interval after the credential %s the stream ends, though nothing was published',
  async (_, change, as) => {
    const rigged = rig({ expiresAt: new Date('2026-01-01T00:10:00Z') })
    if (as) rigged.become(as)
    const { end } = rigged.open('one', as)
    await settled(rigged.asked, 1)
    expect(end).not.toHaveBeenCalled()
    change(rigged)
    vi.advanceTimersByTime(2_500)
    await vi.waitFor(() => expect(end).toHaveBeenCalledOnce())
  },
)

test('it ends before the interval is over when a change is published', async () => {
  const { open, asked, become, publish } = rig()
  const { end } = open()
  await settled(asked, 1)
  become(undefined)
  publish()
  await vi.waitFor(() => expect(end).toHaveBeenCalledOnce())
})

test('streams of one caller are one question, and each of them ends', async () => {
  const { open, asked, become, publish } = rig()
  const streams = Array.from({ length: 10 }, () => open())
  await settled(asked, 1)
  await vi.waitFor(() => expect(asked()).toBeLessThanOrEqual(3))
  become(undefined)
  publish()
  for (const { end } of streams) await vi.waitFor(() => expect(end).toHaveBeenCalledOnce())
  expect(asked()).toBeLessThanOrEqual(4)
})

test('while the database is away a stream stays open, and ends once it can be asked', async () => {
  const { open, asked, become, breakDown } = rig()
  const { end } = open()
  await settled(asked, 1)
  breakDown(true)
  become(undefined)
  vi.advanceTimersByTime(2_500)
  await settled(asked, 2)
  expect(end).not.toHaveBeenCalled()
  breakDown(false)
  vi.advanceTimersByTime(2_500)
  await vi.waitFor(() => expect(end).toHaveBeenCalledOnce())
})

test('with the last stream the checks end', async () => {
  const { open, asked, isFollowed } = rig()
  const [one, other] = [open('one'), open('other')]
  await settled(asked, 2)
  one.release()
  expect(isFollowed()).toBe(true)
  other.release()
  expect(isFollowed()).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})
