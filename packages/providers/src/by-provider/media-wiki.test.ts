import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { attachCredential, checkHealth, createConnector, type LiveCredential, mintToken } from '../index.ts'
import {
  type Answer,
  plainHttp,
  type SeenRequest,
  startServer,
  type TestServer,
} from '../testing/http-server.testkit.ts'
import { readAll } from '../testing/open-provider.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'

const entry = entryOf(await readFile(new URL('../../providers/mediaWiki.yaml', import.meta.url), 'utf8'))
const ended = { code: 'assertuserfailed', info: 'You are no longer logged in, so the action could not be completed.' }
const refused = (error: { code: string; info: string }): Answer => ({
  headers: { 'mediawiki-api-error': error.code },
  body: { error },
})

/** What MediaWiki answers, as far as the provider file relies on it (https://www.mediawiki.org/wiki/API:Action_API). */
function wiki({ method, url, headers, body }: SeenRequest): Answer {
  const sent = Object.fromEntries([...url.searchParams, ...new URLSearchParams(body)])
  if (sent['type'] === 'login')
    return {
      headers: { 'set-cookie': 'wiki_session=before; path=/; HttpOnly' },
      body: { query: { tokens: { logintoken: 'login-token+\\' } } },
    }
  if (sent['action'] === 'login') {
    const isKnown = headers['cookie'] === 'wiki_session=before' && sent['lgtoken'] === 'login-token+\\'
    if (!isKnown || sent['lgpassword'] !== 'bot-password-1')
      return { body: { login: { result: 'Failed', reason: 'Incorrect username or password entered.' } } }
    return {
      headers: { 'set-cookie': 'wiki_session=after-login; path=/; HttpOnly' },
      body: { login: { result: 'Success', lguserid: 1, lgusername: 'Ada' } },
    }
  }
  if (headers['cookie'] !== 'wiki_session=after-login') return refused(ended)
  if (sent['type'] === 'csrf') return { body: { query: { tokens: { csrftoken: 'csrf-token+\\' } } } }
  if (sent['assert'] !== 'user') throw new Error('the request does not insist on the session')
  if (method === 'POST' && sent['token'] !== 'csrf-token+\\')
    return refused({ code: 'badtoken', info: 'Invalid CSRF token.' })
  if (sent['action'] === 'edit') {
    if (sent['createonly'] !== undefined && sent['title'] === 'Taken')
      return refused({ code: 'articleexists', info: 'The article you tried to create has been created already.' })
    return { body: { edit: { result: 'Success', pageid: 12, title: sent['title'] ?? 'Plan', newrevid: 9 } } }
  }
  if (sent['action'] === 'delete') return { body: { delete: { title: 'Plan', logid: 3 } } }
  if (sent['meta'] === 'siteinfo')
    return { body: { query: { namespaces: { '-1': { id: -1 }, 0: { id: 0 }, 1: { id: 1 } } } } }
  if (sent['list'] === 'logevents') {
    const entries = [
      { logid: 4, logpage: 20, pageid: 0, title: 'Gone' },
      { logid: 5, logpage: 21, pageid: 21, title: 'Restored' },
    ]
    return { body: { query: { logevents: entries } } }
  }
  if (sent['list'] === 'recentchanges') {
    const types = (sent['rctype'] ?? 'edit|new|log|categorize').split('|')
    const changes = [
      { rcid: 1, type: 'edit' },
      { rcid: 2, type: 'external' },
    ]
    return { body: { query: { recentchanges: changes.filter(({ type }) => types.includes(type)) } } }
  }
  if (sent['pageids'] === '99') return { body: { query: { pages: [{ pageid: 99, missing: true }] } } }
  if (sent['generator'] !== 'allpages') return { body: { query: { userinfo: { id: 1 } } } }
  if (sent['gapnamespace'] === '1') return { body: { batchcomplete: true } }
  return sent['gapcontinue'] === undefined
    ? {
        body: {
          continue: { gapcontinue: 'Plan', continue: 'gapcontinue||' },
          query: { pages: [{ pageid: 11, ns: 0, title: 'Home', touched: '2026-01-02T00:00:00Z' }] },
        },
      }
    : { body: { query: { pages: [{ pageid: 12, ns: 0, title: 'Plan', touched: '2026-02-02T00:00:00Z' }] } } }
}

const signIn = (server: TestServer, botPassword = 'bot-password-1') =>
  mintToken(
    entry,
    { metadata: { scriptUrl: `${server.origin}/w` }, values: { botName: 'Ada@mortise', botPassword } },
    { http: plainHttp(fetch), now: Date.now },
  )

async function connect(server: TestServer) {
  const { taken = {}, cookies = '' } = (await signIn(server)) ?? {}
  const attached = attachCredential(entry.authentication, { scheme: 'custom', values: taken, cookies })
  const credential: LiveCredential = {
    authenticate: async () => ({ ...attached, generation: 0 }),
    refused: async () => false,
  }
  const connection = { metadata: { scriptUrl: `${server.origin}/w` }, credential }
  return { connection, connector: createConnector(entry, connection, plainHttp(fetch)) }
}

it('pages of all namespaces, those changed in a window, and deleted pages from the log', async () => {
  await using server = await startServer(wiki)
  const { connection, connector } = await connect(server)
  await checkHealth(entry, connection, plainHttp(fetch))
  const all = await readAll(connector, { object: 'pages', fields: 'all' })
  expect(all.map(({ id, fields }) => [id, fields['title']])).toEqual([
    ['11', 'Home'],
    ['12', 'Plan'],
  ])
  const since = new Date('2026-02-01T00:00:00Z')
  const changed = await readAll(connector, { object: 'pages', fields: ['title'], since, deletions: true })
  expect(changed.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['12', undefined],
    ['20', true],
  ])
  expect(server.seen.at(-1)?.url.searchParams.get('lestart')).toBe('2026-02-01T00:00:00Z')
  expect(await connector.fetchRecord('pages', '99', 'all')).toBeUndefined()
})

it('edits and deletions carry the token of the session in the body; a refusal with status 200 is one', async () => {
  await using server = await startServer(wiki)
  const { connector } = await connect(server)
  const create = (title: string) =>
    connector.write({ object: 'pages', type: 'create', record: { title, content: 'Text', summary: 'By Mortise' } })
  expect(await create('Plan')).toMatchObject({ recordId: '12', data: { newrevid: 9 } })
  expect(Object.fromEntries(new URLSearchParams(server.seen.at(-1)?.body))).toEqual({
    action: 'edit',
    format: 'json',
    formatversion: '2',
    createonly: 'true',
    title: 'Plan',
    text: 'Text',
    summary: 'By Mortise',
    token: 'csrf-token+\\',
  })
  await expect(create('Taken')).rejects.toMatchObject({ class: 'bad_request' })
  await connector.write({ object: 'pages', type: 'update', id: '12', record: { content: 'New text' } })
  expect(new URLSearchParams(server.seen.at(-1)?.body).get('pageid')).toBe('12')
  await connector.write({ object: 'pages', type: 'delete', id: '12', record: {} })
})

it('a wrong bot password is refused with what the wiki says, though the status is 200', async () => {
  await using server = await startServer(wiki)
  await expect(signIn(server, 'wrong-password')).rejects.toMatchObject({
    name: 'CustomAuthRefused',
    message: expect.stringContaining('Incorrect username or password entered.'),
  })
})

it('an ended session refuses the credential, though the status is 200', async () => {
  await using server = await startServer(() => refused(ended))
  const attached = attachCredential(entry.authentication, { scheme: 'custom', values: { csrfToken: 'token' } })
  const credential = { authenticate: async () => ({ ...attached, generation: 0 }), refused: async () => false }
  const connection = { metadata: { scriptUrl: server.origin }, credential }
  const connector = createConnector(entry, connection, plainHttp(fetch))
  const read = connector.readPage({ object: 'users', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: 'auth_invalidated' })
})

it('recent changes have those of other wikis, too', async () => {
  await using server = await startServer(wiki)
  const { connector } = await connect(server)
  const changes = await readAll(connector, { object: 'recentchanges', fields: ['type'] })
  expect(changes.map(({ fields }) => fields['type'])).toEqual(['edit', 'external'])
})
