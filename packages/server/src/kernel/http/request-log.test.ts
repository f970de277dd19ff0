import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { requestLog } from './request-log.ts'

function logOfRequest() {
  const lines: Record<string, unknown>[] = []
  const parent = pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const child = vi.spyOn(parent, 'child')
  return { lines, child, log: requestLog(parent, { requestId: 'r-1' }, {}) }
}

it('the log of a request names it in every line', () => {
  const { lines, log, child } = logOfRequest()
  log.info({ n: 1 }, 'first')
  log.child({ part: 'inner' }).warn('second')
  expect(lines).toMatchObject([
    { requestId: 'r-1', n: 1, msg: 'first' },
    { requestId: 'r-1', part: 'inner', msg: 'second' },
  ])
  // Once for the request, once for its part.
  expect(child.mock.calls.map(([bindings]) => bindings)).toEqual([{ requestId: 'r-1' }, { part: 'inner' }])
})

it('is not made for a request that writes nothing', () => {
  const { log, child } = logOfRequest()
  expect(log.level).toBe('info')
  expect(child).not.toHaveBeenCalled()
})
