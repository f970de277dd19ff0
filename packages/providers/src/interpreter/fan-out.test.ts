import { expect, it } from 'vitest'
import type { SeenRequest } from '../testing/http-server.testkit.ts'
import { type Answers, connected, ids, readAll } from '../testing/things-reader.testkit.ts'

/** Lists that are read once per parent, over real HTTP. */

const perOwner = `
read:
  each:
    path: /owners
    query: { page: '{{page}}' }
    records: owners
    pageSizeMax: 2
    paging: { kind: page }
    mayRefuse: true
  path: /things
  query: { owner: '{{parent.id}}', cursor: '{{cursor}}' }
  records: things
  pageSizeMax: 3
  paging: { kind: cursor, next: next }
`

const owners = ['a', 'b', 'c', 'd', 'e']
const thingsOf: Record<string, string[][]> = { a: [['1', '2'], ['3']], b: [], c: [['4', '1']], e: [['5']] }

function ownersAndThings({ url }: SeenRequest): { status?: number; body: unknown } {
  const at = Number(url.searchParams.get('page')) - 1
  if (url.pathname === '/api/owners') {
    return { body: { owners: owners.slice(at * 2, at * 2 + 2).map((id) => ({ id })) } }
  }
  const owner = url.searchParams.get('owner') ?? ''
  if (owner === 'd') return { status: 404, body: {} }
  const place = Number(url.searchParams.get('cursor') ?? 0)
  const pages = thingsOf[owner] ?? []
  return {
    body: {
      things: (pages[place] ?? []).map((id) => ({ id, owner })),
      next: place + 1 < pages.length ? String(place + 1) : null,
    },
  }
}

it('one read per parent: every page of every parent, and a page of ours goes on where the one before ended', async () => {
  await connected(perOwner, ownersAndThings, async (connector) => {
    expect(ids(await readAll(connector))).toEqual([
      ['1', '2', '3'],
      ['4', '1', '5'],
    ])
  })
})

it('records that have a list of their own are parents, too, and a page of ours continues inside', async () => {
  const nested = perOwner.replace('    mayRefuse: true', '    mayRefuse: true\n    nested: { full: true }')
  /** Things in things: `b` has no such list any more. */
  const inside: Record<string, string[]> = { o1: ['a', 'b'], a: ['a1', 'a2'], a1: ['a11'] }
  const answer = ({ url }: SeenRequest) => {
    if (url.pathname === '/api/owners')
      return { body: { owners: url.searchParams.get('page') === '1' ? [{ id: 'o1' }] : [] } }
    const owner = url.searchParams.get('owner') ?? ''
    if (owner === 'b') return { status: 404, body: {} }
    const at = Number(url.searchParams.get('cursor') ?? 0)
    const all = inside[owner] ?? []
    const things = all.slice(at, at + 1).map((id) => ({ id, full: ['a', 'b', 'a1'].includes(id) }))
    return { body: { things, next: at + 1 < all.length ? String(at + 1) : null } }
  }
  await connected(nested, answer, async (connector) => {
    expect(ids(await readAll(connector)).flat()).toEqual(['a', 'a1', 'a11', 'a2', 'b'])
    const pages = ids(await readAll(connector, { pageSize: 1 }))
    expect(pages.flat()).toEqual(['a', 'a1', 'a11', 'a2', 'b'])
    expect(pages.length).toBeGreaterThan(3)
  })
})

it('only the list of a parent that fits the condition may be refused', async () => {
  const kinds = `
read:
  each: { values: [{ list: things }, { list: archived }], id: list, mayRefuse: { list: archived } }
  path: '/{{parent.list|path}}'
  records: things
listIds: { each: { mayRefuse: null } }
`
  const without =
    (refused: string) =>
    ({ url }: SeenRequest) =>
      url.pathname === `/api/${refused}` ? { status: 403, body: {} } : { body: { things: [{ id: '1' }] } }
  await connected(kinds, without('archived'), async (connector) => {
    expect(ids(await readAll(connector)).flat()).toEqual(['1'])
    // Of a list of ids that is not whole, records would be taken for deleted.
    await expect(readAll(connector, { idsOnly: true })).rejects.toMatchObject({ class: 'forbidden' })
  })
  await connected(kinds, without('things'), async (connector) => {
    await expect(readAll(connector)).rejects.toMatchObject({ class: 'forbidden' })
  })
})

it('records that have lists in a circle end the read with an error', async () => {
  const nested = perOwner.replace('    mayRefuse: true', '    mayRefuse: true\n    nested: { full: true }')
  const answer = ({ url }: SeenRequest) =>
    url.pathname === '/api/owners'
      ? { body: { owners: url.searchParams.get('page') === '1' ? [{ id: 'o1' }] : [] } }
      : { body: { things: [{ id: 'a', full: true }], next: null } }
  await connected(nested, answer, async (connector) => {
    await expect(readAll(connector)).rejects.toMatchObject({ class: 'unexpected_response' })
  })
})

const perKind = `
read:
  each: { values: [{ kind: apples, at: fruit }, { kind: pears, at: old }], keep: { kind: kind } }
  path: /{{parent.at}}
  query: { kind: '{{parent.kind}}', cursor: '{{cursor}}' }
  records: things
  paging: { kind: cursor, next: next }
`

it('parents that the file lists: one list after the other, each to its last page, and from where it ended', async () => {
  const answer = ({ url }: SeenRequest) => {
    const kind = url.searchParams.get('kind')
    const isFirst = url.searchParams.get('cursor') === null
    if (url.pathname !== (kind === 'apples' ? '/api/fruit' : '/api/old')) return { status: 404, body: {} }
    return { body: { things: [{ id: `${kind}-${isFirst ? 1 : 2}` }], next: isFirst ? 'x' : null } }
  }
  await connected(perKind, answer, async (connector) => {
    const all = await readAll(connector)
    expect(ids(all).flat()).toEqual(['apples-1', 'apples-2', 'pears-1', 'pears-2'])
    expect(all.flat().map(({ fields }) => fields['kind'])).toEqual(['apples', 'apples', 'pears', 'pears'])
    const one = await connector.readPage({ object: 'things', fields: 'all', pageSize: 1 })
    const next = await connector.readPage({ object: 'things', fields: 'all', pageSize: 1, page: one.nextPage ?? '' })
    expect([one, next].map(({ records }) => records.map(({ id }) => id))).toEqual([['apples-1'], ['apples-2']])
  })
})

it('each listed parent is combined with each parent of the file', async () => {
  const both = perOwner
    .replace('    path: /owners', '    values: [{ type: x }, { type: y }]\n    path: /owners')
    .replace("{ owner: '{{parent.id}}',", "{ owner: '{{parent.id}}', type: '{{parent.type}}',")
  const answer = (request: SeenRequest) => {
    const { url } = request
    if (url.pathname === '/api/owners') return ownersAndThings(request)
    return {
      body: { things: [{ id: `${url.searchParams.get('owner')}-${url.searchParams.get('type')}` }], next: null },
    }
  }
  await connected(both, answer, async (first) => {
    const one = await first.readPage({ object: 'things', fields: 'all', pageSize: 1 })
    expect(one.records.map(({ id }) => id)).toEqual(['a-x'])
    // The place in the values is part of where a read stands.
    await connected(both, answer, async (second) => {
      const rest: string[] = []
      let page = one.nextPage
      while (page !== undefined) {
        const found = await second.readPage({ object: 'things', fields: 'all', page })
        rest.push(...found.records.map(({ id }) => id ?? ''))
        page = found.nextPage
      }
      expect(rest).toEqual(['a-y', 'b-x', 'b-y', 'c-x', 'c-y', 'd-x', 'd-y', 'e-x', 'e-y'])
    })
  })
})

it('a read of parents is taken up by another connector, in the middle of a parent', async () => {
  await connected(perOwner, ownersAndThings, async (first) => {
    const one = await first.readPage({ object: 'things', fields: 'all', pageSize: 1 })
    expect(one.records.map(({ id }) => id)).toEqual(['1', '2'])
    await connected(perOwner, ownersAndThings, async (second) => {
      const two = await second.readPage({ object: 'things', fields: 'all', pageSize: 1, page: one.nextPage ?? '' })
      expect(two.records.map(({ id }) => id)).toEqual(['3'])
    })
  })
})

const guestsOfEvents = `
read:
  each: { path: /events, records: events, id: uri }
  path: /events/{{parent.uri|basename}}/guests
  records: guests
  id: uri
`

/** Events and guests as an API has them that calls each thing by its URL. */
function eventsAndGuests(events: readonly string[]): Answers {
  const uri = (event: string) => `https://api.example.com/events/${event}`
  return ({ url: { pathname } }) => {
    if (pathname === '/api/events') return { body: { events: events.map((event) => ({ uri: uri(event) })) } }
    const event = pathname.split('/')[3] ?? ''
    return events.includes(event)
      ? { body: { guests: event === 'E0' ? [] : [{ uri: `${uri(event)}/guests/G1`, email: 'ada@example.com' }] } }
      : { status: 404, body: {} }
  }
}

it('parents that are told by their URL are named by its end, and found again when others came before them', async () => {
  const request = { object: 'things', fields: 'all', pageSize: 1 } as const
  await connected(guestsOfEvents, eventsAndGuests(['E1', 'E2']), async (first) => {
    const one = await first.readPage(request)
    expect(one.records.map(({ id }) => id)).toEqual(['https://api.example.com/events/E1/guests/G1'])
    await connected(guestsOfEvents, eventsAndGuests(['E0', 'E1', 'E2']), async (second) => {
      const two = await second.readPage({ ...request, page: one.nextPage ?? '' })
      expect(two.records.map(({ id }) => id)).toEqual(['https://api.example.com/events/E2/guests/G1'])
    })
  })
})

it('without any source, the first record of the first parent that has one shows the fields', async () => {
  await connected(guestsOfEvents, eventsAndGuests(['E0', 'E1', 'E2']), async (connector, seen) => {
    const { fields, incomplete } = await connector.describeObject('things')
    expect([Object.keys(fields), incomplete]).toEqual([['uri', 'email'], true])
    expect(seen.map(({ url }) => url.pathname)).toEqual([
      '/api/events',
      '/api/events/E0/guests',
      '/api/events/E1/guests',
    ])
  })
})

it('many parents are read one after the other, with one page of them held', async () => {
  const many = 500
  let atOnce = 0
  const answers: Answers = ({ url }) => {
    expect(++atOnce).toBe(1)
    const at = Number(url.searchParams.get('page')) - 1
    atOnce--
    if (url.pathname !== '/api/owners') return { body: { things: [{ id: url.searchParams.get('owner') }], next: null } }
    return { body: { owners: Array.from({ length: at * 2 < many ? 2 : 0 }, (_, more) => ({ id: at * 2 + more })) } }
  }
  await connected(perOwner, answers, async (connector, seen) => {
    const pages = await readAll(connector)
    expect(pages.flat()).toHaveLength(many)
    // One request for each parent, and one for each page of parents.
    expect(seen).toHaveLength(many + many / 2 + 1)
  })
})

const commentsOfOwners = `
read:
  each: { path: /owners, records: owners, keep: { owner: id, name: title } }
  path: /owners/{{parent.id}}/things
  records: things
  id: [owner, number]
  pageSizeMax: 2
  paging: { kind: nextUrl, next: next }
incremental: { filter: { timestamp: changed, order: descending } }
get: { path: '/owners/{{id.owner}}/things/{{id.number}}' }
`

it('a record has what it is told to have of its parent, and an id of several values is one text', async () => {
  const answers: Answers = ({ url }) => {
    if (url.pathname === '/api/owners')
      return {
        body: {
          owners: [
            { id: 'a/b', title: 'A' },
            { id: 'c', title: 'C' },
          ],
        },
      }
    if (url.pathname.endsWith('/7')) return { body: { number: 7, owner: 'a/b' } }
    return { body: { things: [{ number: 7, name: 'own' }] } }
  }
  await connected(commentsOfOwners, answers, async (connector, seen) => {
    const { records } = await connector.readPage({ object: 'things', fields: ['owner', 'name'] })
    expect(records).toEqual([
      { id: 'a%2Fb/7', fields: { owner: 'a/b', name: 'own' }, raw: { owner: 'a/b', number: 7, name: 'own' } },
      { id: 'c/7', fields: { owner: 'c', name: 'own' }, raw: { owner: 'c', number: 7, name: 'own' } },
    ])
    expect(await connector.fetchRecord('things', 'a%2Fb/7', ['number'])).toMatchObject({ id: 'a%2Fb/7' })
    expect(seen.at(-1)?.url.pathname).toBe('/api/owners/a%2Fb/things/7')
    for (const id of ['7', 'a/b/7', 'a/', ''])
      await expect(connector.fetchRecord('things', id, 'all')).rejects.toMatchObject({ class: 'bad_request' })
  })
})

it('newest first ends the list of each parent, not that of all', async () => {
  const answers: Answers = ({ url }) => {
    if (url.pathname === '/api/owners') return { body: { owners: [{ id: 'a' }, { id: 'b' }] } }
    const owner = url.pathname.split('/')[3]
    const things = [
      { number: 1, changed: '2026-01-02T00:00:00Z' },
      { number: 2, changed: '2025-01-01T00:00:00Z' },
    ]
    return { body: { things, next: `/api/owners/${owner}/things?page=2` } }
  }
  await connected(commentsOfOwners, answers, async (connector, seen) => {
    const pages = await readAll(connector, { since: new Date('2026-01-01T00:00:00Z') })
    expect(ids(pages).flat()).toEqual(['a/1', 'b/1'])
    expect(seen).toHaveLength(3)
  })
})

it('what was read of parents before an error is kept, and the error comes with the next page', async () => {
  let limited = false
  const answers: Answers = (seen) =>
    limited && seen.url.searchParams.get('cursor') === '1'
      ? { status: 429, headers: { 'retry-after': '7' }, body: {} }
      : ownersAndThings(seen)
  await connected(perOwner, answers, async (connector, seen) => {
    limited = true
    const request = { object: 'things', fields: 'all', pageSize: 100 } as const
    const one = await connector.readPage(request)
    expect(one.records.map(({ id }) => id)).toEqual(['1', '2'])
    const asked = seen.length
    const next = { ...request, page: one.nextPage ?? '' }
    await expect(connector.readPage(next)).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 7_000 })
    expect(seen).toHaveLength(asked)
    await expect(connector.readPage(next)).rejects.toMatchObject({ class: 'rate_limited' })
    expect(seen).toHaveLength(asked + 1)
    limited = false
    const two = await connector.readPage(next)
    expect(two.records.map(({ id }) => id)).toEqual(['3', '4', '1'])
  })
})

it('a record under several parents is the copy that is preferred, in the place of the first', async () => {
  const object = `
read:
  each: { path: /owners, prefer: { seen: own } }
  path: /things
  query: { owner: '{{parent.id}}' }
`
  const things: Record<string, object[]> = {
    a: [
      { id: 1, seen: 'shared' },
      { id: 2, seen: 'own' },
    ],
    b: [
      { id: 1, seen: 'own' },
      { id: 2, seen: 'shared' },
    ],
    c: [{ id: 1, seen: 'shared' }],
  }
  await connected(
    object,
    ({ url }) => ({
      body:
        url.pathname === '/api/owners'
          ? Object.keys(things).map((id) => ({ id }))
          : things[url.searchParams.get('owner') ?? ''],
    }),
    async (connector) => {
      const [records = []] = await readAll(connector)
      expect(records.map(({ raw }) => raw)).toEqual([
        { id: 1, seen: 'own' },
        { id: 2, seen: 'own' },
      ])
    },
  )
})

it('an answer without content has no records', async () => {
  const answers: Answers = ({ url }) => {
    if (url.pathname === '/api/owners') return { body: { owners: [{ id: 'a' }] } }
    return { status: 204, body: '' }
  }
  await connected(commentsOfOwners, answers, async (connector) => {
    expect((await connector.readPage({ object: 'things', fields: 'all' })).records).toEqual([])
  })
})
