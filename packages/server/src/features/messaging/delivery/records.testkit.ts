import { type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { type NewMessage, postMessages } from '../messages/index.ts'
import { recordsTicks } from '../records/index.ts'
import { deliver } from './delivery-worker.ts'

export interface ShownRecord {
  id: string
  objectName: string
  groupRef: string
  provider: string
  workspace?: string
  installationId: string
  readTime: string
  modifiedTime: string
  deletedTime?: string
  fields?: Record<string, unknown>
  mappedFields?: Record<string, unknown>
  raw?: Record<string, unknown>
}

export interface ShownPage {
  results: ShownRecord[]
  pagination: { done: boolean; nextPageToken?: string }
  nextCursor: string
  context?: { code: string }
  issues?: { in: string; name: string; detail: string }[]
}

export type RecordMessage = Pick<NewMessage, 'payload' | 'kind'> & Partial<NewMessage>

/** An entry of a message, with one field. */
export const entry = (id: string, n: unknown, more: object = {}) => ({ id, fields: { n }, ...more })

export type RecordsKit = Awaited<ReturnType<typeof startRecordsKit>>

/** A service with installations, whose deliveries run only when the test says so. */
export async function startRecordsKit() {
  const kit: InstallationKit = await startInstallationKit()
  const { app, base } = kit
  const { services } = app.app

  let stores = 0
  const kept = {
    ...kit,
    /** Creates a store, and deletes all others. */
    async createOnlyStore() {
      const { body } = await app.call<{ id: string; type: string }[]>('GET', `${base}/destinations`)
      for (const { id, type } of body) if (type === 'records') await app.call('DELETE', `${base}/destinations/${id}`)
      return await kept.createStore(`kept-${stores++}`)
    },
    /** Posts messages to a store, and delivers them. */
    async send({ id, name }: { id: string; name: string }, ...messages: RecordMessage[]) {
      await kept.post(name, ...messages)
      await kept.deliver(id)
    },
    /** Lists records as their id, group and field, or that they are deleted. */
    shown: async (query: Record<string, string | number | boolean> = {}) =>
      (await kept.listAll(query)).all.map(({ id, groupRef, fields, deletedTime }) => [
        id,
        groupRef,
        deletedTime ? 'deleted' : fields?.['n'],
      ]),
    async install(groupRef: string) {
      await kit.connect(groupRef)
      const made = await kit.create(groupRef, { companies: { objectName: 'companies', selectedFieldsAuto: 'all' } })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return { id: made.body.id, groupRef }
    },
    async createStore(name: string, metadata: object = {}) {
      const made = await app.call<{ id: string }>('POST', `${base}/destinations`, { name, type: 'records', metadata })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return { id: made.body.id, name }
    },
    /** Returns a message of one installation, as the reads of the service make them. */
    message(
      { id: installationId, groupRef }: { id: string; groupRef: string },
      entries: unknown,
      more: Record<string, unknown> = {},
    ): Pick<NewMessage, 'payload' | 'kind'> {
      const body = {
        action: 'read',
        projectId: app.projectId,
        provider: 'sampleCrm',
        groupRef,
        groupName: groupRef,
        installationId,
        objectName: 'contacts',
        resultInfo: { type: 'inline', numRecords: 1 },
        result: entries,
        ...more,
      }
      return { kind: 'read', payload: Buffer.from(JSON.stringify(body)) }
    },
    post: (name: string, ...messages: RecordMessage[]) =>
      app.db.transaction((tx) =>
        postMessages(
          tx,
          services,
          messages.map((message) => ({ destinationName: name, ...message })),
        ),
      ),
    deliver: (destinationId: string) =>
      deliver(services, {
        projectId: app.projectId,
        destinationId,
        signal: new AbortController().signal,
        random: () => 0.5,
      }),
    list: (query: Record<string, string | number | boolean> = {}, object = 'contacts') =>
      app.call<ShownPage>(
        'GET',
        `${base}/records/${encodeURIComponent(object)}?${new URLSearchParams(
          Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
        )}`,
      ),
    /** Runs the ticks of the feature until nothing is left for them. */
    async clean() {
      for (const tick of recordsTicks(services))
        for (let more: unknown = true; more === true; ) more = await tick.run(new AbortController().signal)
    },
    /** Requests pages until there are no more. */
    async listAll(query: Record<string, string | number | boolean> = {}) {
      const all: ShownRecord[] = []
      let cursor = query['cursor']
      for (let pages = 1; ; pages++) {
        const { status, body } = await kept.list({ ...query, ...(cursor !== undefined && { cursor }) })
        if (status !== 200) throw new Error(JSON.stringify(body))
        all.push(...body.results)
        cursor = body.nextCursor
        if (body.pagination.done) return { all, cursor: body.nextCursor, pages }
      }
    },
  }
  return kept
}
