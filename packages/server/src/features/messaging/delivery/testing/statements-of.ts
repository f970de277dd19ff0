import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { vi } from 'vitest'

const isCounted = new AsyncLocalStorage<true>()

/** Returns the statements that some work sends. A tick of the service that runs meanwhile is not part of the work. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = []
  const send = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown
  const query = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    if (isCounted.getStore()) texts.push(textOf(given[0]))
    return send.apply(this, given)
  })
  try {
    await isCounted.run(true, work)
    return texts
  } finally {
    query.mockRestore()
  }
}

function textOf(sent: unknown): string {
  return typeof sent === 'string' ? sent : String((sent as { text?: string }).text)
}
