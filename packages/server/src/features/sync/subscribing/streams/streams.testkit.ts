import { sql } from 'kysely'
import { startSubscribingKit } from '../subscribing.testkit.ts'
import { type PubSubServer, startPubSubServer, status } from './pub-sub-server.testkit.ts'

const contactsTopic = '/data/contactsChangeEvent'
export const companiesTopic = '/data/companiesChangeEvent'

/** A provider whose changes arrive by a stream. */
const streamCrm = (host: string) => `
name: streamCrm
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url, hosts: [] }]
authentication:
  - { scheme: oauth2, grantType: authorizationCode, authUrl: '{{url}}/authorize', tokenUrl: '{{url}}/token' }
errors: { message: [error] }
objects:
  contacts:
    read: { path: /contacts, records: data }
    get: { path: '/contacts/{{id}}' }
  companies:
    read: { path: /companies, records: data }
    readByIds: { path: /companies, query: { ids: '{{ids}}' }, records: data, max: 2 }
stream:
  protocol: pubSub
  host: ${host}
  lookups: [{ name: organization, path: /me, value: org }]
  headers: { accesstoken: '{{accessToken}}', instanceurl: '{{url}}', tenantid: '{{organization}}' }
  topics: [{ topic: '/data/{{object}}ChangeEvent' }]
  refused: Select the object in Setup.
  event:
    name: ChangeEventHeader.changeType
    ids: ChangeEventHeader.recordIds
    idPattern: '[A-Za-z0-9]{3}'
    time: ChangeEventHeader.commitTimestamp
    fieldsUpdated: ChangeEventHeader.changedFields
  missed: [GAP_OVERFLOW]
  events:
    create: [CREATE, GAP_CREATE, UNDELETE, GAP_UNDELETE]
    update: [UPDATE, GAP_UPDATE]
    delete: [DELETE, GAP_DELETE]
`

export async function startStreamsKit(env: Record<string, string> = {}) {
  const server: PubSubServer = await startPubSubServer()
  server.addTopic(contactsTopic)
  server.addTopic(companiesTopic)
  const kit = await startSubscribingKit(env, { streamCrm: streamCrm(server.host) })
  await kit.call('POST', '/provider-apps', {
    provider: 'streamCrm',
    clientId: 'client',
    clientSecret: 'secret',
    allowedHosts: [new URL(kit.providerUrl).host],
  })
  const rows = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(kit.app.db.sql)).rows
  const streamsKit = {
    ...kit,
    server,
    contactsTopic,
    rows,
    /** Installs it with the token that the provider gave last, and waits until its topics are followed. */
    async installStream(objects: Record<string, unknown>[] = [contacts]) {
      const before = server.begun.length
      const now = kit.app.clock.now().getTime()
      const installed = await kit.install({
        objects,
        provider: 'streamCrm',
        credential: {
          oauth2AuthorizationCode: {
            accessToken: {
              token: 'token0',
              issuedAt: new Date(now).toISOString(),
              expiresAt: new Date(now + 100_000_000).toISOString(),
            },
            refreshToken: { token: 'refresh0' },
          },
        },
      })
      await kit.until(() => server.begun.length >= before + objects.length)
      return installed
    },
    /** Position of an object, as a number; '' without one. */
    async positionOf(id: string, object = 'contacts'): Promise<number | '' | undefined> {
      const [row] = await rows(sql<{ positions: Record<string, string> }>`
        select positions from streams where installation_id = ${id}`)
      const text = row?.positions[object]
      return text ? Number(Buffer.from(text, 'base64').readBigUInt64BE()) : (text as '' | undefined)
    },
    /** Whether a scheduled read follows within seconds. */
    async isReadSoon(id: string): Promise<boolean> {
      const [row] = await rows(sql<{ due: Date }>`
        select next_run_at as due from read_states where installation_id = ${id}`)
      return (row?.due.getTime() ?? Number.POSITIVE_INFINITY) - kit.app.clock.now().getTime() <= 4_000
    },
    async health(integration: string, id: string): Promise<string> {
      const path = `/integrations/${integration}/installations/${id}`
      return (await kit.call<{ healthStatus: string }>('GET', path)).healthStatus
    },
    /** Deletes it, and ends its calls at the provider. A node would end them with the next renewal of its leases. */
    async uninstall({ integration, id }: { integration: string; id: string }) {
      await kit.call('DELETE', `/integrations/${integration}/installations/${id}`)
      server.end(status.UNAVAILABLE)
      await kit.until(() => server.calls.length === 0)
    },
    async stop() {
      await kit.stop()
      server.stop()
    },
  }
  return streamsKit
}

export type StreamsKit = Awaited<ReturnType<typeof startStreamsKit>>

export const contacts = {
  objectName: 'contacts',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  createEvent: { enabled: 'always' },
  updateEvent: { enabled: 'always', requiredWatchFields: ['email'] },
  deleteEvent: { enabled: 'always' },
}
