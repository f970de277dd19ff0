import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../telemetry/index.ts'
import { startTicks, type Tick } from './index.ts'

function start(ticks: Tick[]) {
  const lines: string[] = []
  const ticking = startTicks(ticks, createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } }))
  onTestFinished(() => ticking.stop())
  return { ...ticking, lines }
}

test('an error in one run does not end the tick, nor another tick', async () => {
  const shaky = Promise.withResolvers<void>()
  const steady = Promise.withResolvers<void>()
  let shakyRuns = 0
  let steadyRuns = 0
  const { lines } = start([
    {
      name: 'shaky',
      everyMs: 1,
      run: async () => {
        shakyRuns += 1
        if (shakyRuns === 3) shaky.resolve()
        throw new Error(`fault ${shakyRuns}`)
      },
    },
    {
      name: 'steady',
      everyMs: 1,
      run: async () => {
        steadyRuns += 1
        if (steadyRuns === 3) steady.resolve()
        return false
      },
    },
  ])
  await Promise.all([shaky.promise, steady.promise])
  expect(lines.map((line) => JSON.parse(line)).slice(0, 2)).toMatchObject([
    { tick: 'shaky', err: { message: 'fault 1' } },
    { tick: 'shaky', err: { message: 'fault 2' } },
  ])
})

test('goes on at once while there is more', async () => {
  const done = Promise.withResolvers<void>()
  let runs = 0
  start([
    {
      name: 'busy',
      everyMs: 3_600_000,
      run: async () => {
        runs += 1
        if (runs === 100) done.resolve()
        return runs < 100
      },
    },
  ])
  await done.promise
})

test('can be woken before its time', async () => {
  const runs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const { wake } = start([
    {
      name: 'slow',
      everyMs: 3_600_000,
      run: async () => {
        runs[count++]?.resolve()
        return false
      },
    },
  ])
  await runs[0]?.promise
  wake('slow')
  await runs[1]?.promise
  wake('unknown')
})

test('woken while it runs, it runs once more', async () => {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const again = Promise.withResolvers<void>()
  let count = 0
  const { wake } = start([
    {
      name: 'slow',
      everyMs: 3_600_000,
      run: async () => {
        count += 1
        if (count === 2) again.resolve()
        begun.resolve()
        await release.promise
        return false
      },
    },
  ])
  await begun.promise
  wake('slow')
  release.resolve()
  await again.promise
})

test('stopping tells the run to end, waits for it, and begins no other', async () => {
  const begun = Promise.withResolvers<void>()
  let runs = 0
  let ended = false
  const { stop } = start([
    {
      name: 'long',
      everyMs: 1,
      run: async (signal) => {
        runs += 1
        begun.resolve()
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)))
        ended = true
        return true
      },
    },
  ])
  await begun.promise
  await stop()
  expect(ended).toBe(true)
  expect(runs).toBe(1)
})
test('runs as often as its speed says', async () => {
  const done = Promise.withResolvers<void>()
  let runs = 0
  const tick = {
    name: 'hourly',
    everyMs: 3_600_000,
    run: async () => {
      runs += 1
      if (runs === 3) done.resolve()
      return false
    },
  }
  const ticking = startTicks([tick], createLogger({ level: 'silent' }), 3_600_000)
  onTestFinished(() => ticking.stop())
  await done.promise
})
