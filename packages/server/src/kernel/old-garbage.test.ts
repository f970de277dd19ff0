import { once } from 'node:events'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { OldGarbage } from './old-garbage.ts'

const mebibyte = 2 ** 20

test('V8 collects the old generation after batches of 8 MiB', async () => {
  const garbage = new OldGarbage()
  const before = process.memoryUsage().arrayBuffers
  garbage.add(8 * mebibyte - 1)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(mebibyte)

  const collected = majorCollection()
  garbage.add(1)
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThanOrEqual(64 * mebibyte)
  await collected
})

/** Ends when V8 has collected the old generation. */
async function majorCollection(): Promise<void> {
  const ended = new EventTarget()
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = 'detail' in entry && entry.detail instanceof Object && 'kind' in entry.detail && entry.detail.kind
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) ended.dispatchEvent(new Event('major'))
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  try {
    await once(ended, 'major')
  } finally {
    observer.disconnect()
  }
}
