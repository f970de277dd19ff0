import { expect, it } from 'vitest'
import type { SeenRequest } from './http-server.testkit.ts'
import { asked, openProvider, readAll } from './open-provider.testkit.ts'

/** The window of each read that is not full. */
const since = new Date('2026-03-01T00:00:00Z')
const until = new Date('2026-03-02T00:00:00Z')

/** A read of one object: what its provider answers, which requests it makes and which records it finds. */
export interface ListCase {
  object: string
  /** Answers by the end of the path. */
  answers: Record<string, unknown>
  requests: unknown[]
  ids: string[]
  fields?: string[]
  /** Fields of the first record. */
  first?: object
  isFull?: boolean
  metadata?: Record<string, string>
  module?: string
}

/** Tries each read against a server that has these answers. The first word of a name is the provider. */
export function itReads(cases: Record<string, ListCase>): void {
  it.each(Object.entries(cases))('%s', async (name, { object, answers, requests, ids, fields = ['id'], ...rest }) => {
    const { first, isFull, ...connection } = rest
    const [provider = ''] = name.split(' ', 1)
    const answer = ({ url }: SeenRequest) => {
      const found = Object.keys(answers)
        .filter((end) => url.pathname.endsWith(end))
        .toSorted((one, two) => two.length - one.length)[0]
      return found === undefined ? { status: 404, body: { error: 'Not found' } } : { body: answers[found] }
    }
    await using opened = await openProvider(provider, answer, {
      ...connection,
      metadata: connection.metadata ?? {},
      now: () => until.getTime(),
    })
    const records = await readAll(opened.connector, { object, fields, ...(!isFull && { since, until }) })
    expect(records.map(({ id }) => id)).toEqual(ids)
    expect(asked(opened.seen)).toEqual(requests)
    if (first !== undefined) expect(records[0]?.fields).toEqual(first)
  })
}
