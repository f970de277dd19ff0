import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  answering,
  type LiveKit,
  startLiveKit,
} from '../packages/server/src/features/accounts/connections/handles/handles.testkit.ts'
import { type Listener, listen, route } from './events.testkit.ts'

/** What is told of renewals: each event once, from its cause to a verified webhook. */

let kit: LiveKit
let events: Listener
beforeAll(async () => {
  kit = await startLiveKit({ MORTISE_ROLES: 'all' })
  events = await listen(kit.app, 'events')
  await route(kit.app, 'renewals', ['connection.refreshed', 'connection.error'], [events])
})
afterAll(async () => {
  await events?.close()
  await kit?.stop()
})
afterEach(() => kit.server.answerTokens(undefined))

const of = (type: string, id: string) => events.of(type).filter(({ data }) => data['connectionId'] === id)
/** The clock stays as it is: whoever verifies a webhook has another one. */
async function usedUntilRefused(id: string): Promise<boolean> {
  const handle = await kit.open(id)
  const { generation, headers } = await handle.authenticate()
  await handle.succeeded(generation)
  await kit.server.revoke(headers['authorization']?.slice('Bearer '.length) ?? '')
  return handle.refused(generation)
}

it('a token that is renewed by itself is told once, one that was asked for is not', async () => {
  const ended = await kit.connect({ seconds: -10 })
  const uses = await Promise.all(Array.from({ length: 5 }, async () => (await kit.open(ended)).authenticate()))
  expect(new Set(uses.map(({ generation }) => generation)).size).toBe(1)
  const id = await kit.connect({ query: '?verify=true' })
  expect((await kit.get(id, '?refresh=force')).status).toBe(200)
  expect(await usedUntilRefused(id)).toBe(true)
  await expect
    .poll(() =>
      events
        .of('connection.refreshed')
        .map(({ data }) => data['connectionId'])
        .toSorted(),
    )
    .toEqual([ended, id].toSorted())
  expect(of('connection.refreshed', id)[0]?.data).toEqual({
    projectId: kit.app.projectId,
    connectionId: id,
    provider: 'fresh',
    groupRef: 'group-1',
    consumerRef: 'ann',
    consumerName: 'ann',
  })
  expect(events.of('connection.error')).toEqual([])
})

it('a refusal is told once, however often the connection is used, and again only after it has worked', async () => {
  kit.server.answerTokens(answering(400, { error: 'invalid_grant', error_description: 'gone <b>for good</b>' }))
  const id = await kit.connect({ seconds: -10 })
  const handle = await kit.open(id)
  for (let n = 0; n < 5; n++) await expect(handle.authenticate()).rejects.toThrow('invalid_grant')
  await expect.poll(() => of('connection.error', id)).toHaveLength(1)
  const text = 'The provider refused to renew the access token (invalid_grant).'
  expect(of('connection.error', id)[0]?.data).toMatchObject({ errors: [text], error: [text] })
  kit.server.answerTokens(undefined)
  expect(await kit.get(id, '?refresh=force')).toMatchObject({ status: 200, body: { status: 'created' } })
  kit.server.answerTokens(answering(400, { error: 'invalid_grant' }))
  expect(await usedUntilRefused(id)).toBe(false)
  await expect.poll(() => of('connection.error', id)).toHaveLength(2)
  expect(of('connection.refreshed', id)).toEqual([])
})
