import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Backlog } from './backlog.ts'
import { streamOf } from './stream-of.ts'

it('a client that takes nothing is cut off, and costs no more than a few events meanwhile', async () => {
  let given = 0
  async function* source() {
    for (;;) yield { id: String(++given), data: 'x'.repeat(4_096) }
  }
  const stream = streamOf({ signal: new AbortController().signal, source: source(), stallMs: 50 })
  stream.once('readable', () => {})
  await once(stream, 'close')
  expect(stream.destroyed).toBe(true)
  expect(given).toBeLessThan(20)
})

it('a client that takes what comes is not, however seldom something comes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  async function* source() {
    for (let id = 1; id <= 3; id++) {
      // Nothing comes for an hour, and whatever looks for stalled clients looks all the while.
      vi.advanceTimersByTime(3_600_000)
      yield { id: String(id), data: id }
    }
  }
  const stream = streamOf({ signal: new AbortController().signal, source: source(), stallMs: 60_000 })
  const parts: string[] = []
  for await (const part of stream) parts.push(String(part))
  expect(parts.join('')).toContain('id: 3')
})

it('a backlog holds so many ids at most, and then says to look instead', () => {
  const backlog = new Backlog()
  backlog.receive({ what: 'created', ids: Array.from({ length: Backlog.idsMax }, (_, n) => String(n)) })
  expect(backlog.takeMissed()).toBe(false)
  backlog.receive({ what: 'created', ids: ['one more'] })
  expect(backlog.takeMissed()).toBe(true)
  expect(backlog.take(10).size).toBe(0)
})
