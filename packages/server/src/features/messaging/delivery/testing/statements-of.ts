import pg from 'pg'
import { vi } from 'vitest'

/** Returns the statements that this process sends during some work, also those of ticks that run meanwhile. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return query.mock.calls.map(([sent]) => {
      const given: unknown = sent
      return typeof given === 'string' ? given : String((given as { text?: string }).text)
    })
  } finally {
    query.mockRestore()
  }
}
