import { startWebhookReceiver } from '@mortise-examples/webhook-receiver'
import { type RawBuilder, sql } from 'kysely'
import { publishDue } from '../../../../kernel/work/index.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { rarely } from '../reading.testkit.ts'
import { type Library, startLibrary } from './library.testkit.ts'

const base = '/projects/default'

export interface Installed {
  id: string
  name: string
  groupRef: string
}

export interface CheckAnswer {
  id: string
  status: string
  result: string
}

/** A service that reads the books and papers of a library, and what it delivers. */
export interface LibraryKit {
  app: TestApp
  library: Library
  /** Installs an object with keys of its manifest and its config, and waits for its backfill. */
  install(objectName: 'books' | 'papers' | 'maps', more?: { object?: object; config?: object }): Promise<Installed>
  /** Deploys the integration again. */
  deploy(installed: Installed, objectName: string, object: object): Promise<void>
  trigger(installed: Installed, objectName: string, body?: object): Promise<{ status: number; body: unknown }>
  /** Triggers a check and waits for its end. */
  check(installed: Installed, objectName: string): Promise<CheckAnswer>
  ended(operationId: string): Promise<CheckAnswer>
  /** Reads what changed, to its end. */
  read(installed: Installed, objectName: string): Promise<CheckAnswer>
  /** Connects the account of an installation again. */
  connect(installed: Pick<Installed, 'groupRef'>): Promise<void>
  /** Pauses the reads of an installation. */
  pause(installed: Installed): Promise<void>
  /** Makes the check due now, as its schedule does. */
  makeDue(installed: Installed): Promise<void>
  /** Whether a worker has claimed the check. */
  isClaimed(installed: Installed): Promise<boolean>
  /** Whether the check waits for its next time. */
  waits(installed: Installed): Promise<boolean>
  /** Operations of the installation that have not ended. */
  running(installed: Installed): Promise<string[]>
  /** Ids that were delivered as deleted, in order. */
  deletedIds(installed: Installed): string[]
  schedules(installed: Installed): Promise<{ objectName: string; deletions?: Record<string, unknown> }[]>
  storedIds(installed: Installed): Promise<number>
  until<T>(ask: () => Promise<T | undefined | false>): Promise<T>
  stop(): Promise<void>
}

export async function startLibraryKit(env: Record<string, string> = {}): Promise<LibraryKit> {
  const library = await startLibrary()
  const receiver = await startWebhookReceiver({ storeBodies: true })
  const app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: library.folder, ...env } })
  const made = async (method: string, path: string, body: object) => {
    const answer = await app.call<{ id: string; operationId: string }>(method, path, body)
    if (answer.status > 299) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await made('POST', `${base}/destinations`, { name: 'hook', type: 'webhook', metadata: { url: receiver.url } })
  const readPath = ({ name }: Installed, objectName: string) =>
    `//read/v1/projects/default/integrations/${name}/objects/${objectName}`
  const hasCheck = async (where: RawBuilder<unknown>) => {
    const { rows } = await sql`select from deletion_checks where ${where}`.execute(app.db.sql)
    return rows.length > 0
  }
  let count = 0
  const kit: LibraryKit = {
    app,
    library,
    async deploy({ name }, objectName, object) {
      const objects = [
        { objectName, destination: 'hook', schedule: rarely, requiredFields: [{ fieldName: 'title' }], ...object },
      ]
      const integrations = [{ name, provider: 'library', read: { objects } }]
      const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations })
      await made('PUT', `${base}/integrations:batch`, { sourceYaml })
    },
    async install(objectName, { object = {}, config = {} } = {}) {
      count++
      const installed = { id: '', name: `library${count}`, groupRef: `group${count}` }
      const whole = { deletions: { schedule: '0 3 * * *' }, backfill: { defaultPeriod: { fullHistory: true } } }
      await kit.deploy(installed, objectName, { ...whole, ...object })
      const { groupRef, name } = installed
      await kit.connect(installed)
      const content = { provider: 'library', read: { objects: { [objectName]: { objectName, ...config } } } }
      const path = `${base}/integrations/${name}/installations?skipSampling=true`
      installed.id = (await made('POST', path, { groupRef, config: { content } })).id
      await kit.until(async () => {
        const { rows } = await sql`select from read_runs where installation_id = ${installed.id}`.execute(app.db.sql)
        return rows.length === 0
      })
      return installed
    },
    trigger: (installed, objectName, body = {}) =>
      app.call('POST', readPath(installed, objectName), { groupRef: installed.groupRef, mode: 'async', ...body }),
    async check(installed, objectName) {
      const body = { groupRef: installed.groupRef, mode: 'async', deletions: true }
      return kit.ended((await made('POST', readPath(installed, objectName), body)).operationId)
    },
    async read(installed, objectName) {
      const body = { groupRef: installed.groupRef, mode: 'async' }
      return kit.ended((await made('POST', readPath(installed, objectName), body)).operationId)
    },
    ended: (operationId) =>
      kit.until(async () => {
        const { body } = await app.call<CheckAnswer>('GET', `${base}/operations/${operationId}`)
        return body.status !== 'in_progress' && body
      }),
    async connect({ groupRef }) {
      const account = { provider: 'library', apiKey: 'any', providerMetadata: { url: library.url } }
      await made('POST', `${base}/connections:generate`, { groupRef, consumerRef: groupRef, ...account })
    },
    async pause({ id, name }) {
      const path = `//read/v1/projects/default/integrations/${name}/installations/${id}:pause`
      const { status } = await app.call('POST', path, {})
      if (status !== 204) throw new Error(`the pause was answered with ${status}`)
    },
    async makeDue({ id }) {
      await sql`update deletion_checks set next_check_at = now() where installation_id = ${id}`.execute(app.db.sql)
      await publishDue({ sql: app.testDatabase.database.system }, 'reading.deletions')
    },
    isClaimed: ({ id }) => hasCheck(sql`installation_id = ${id} and fence is not null`),
    waits: ({ id }) => hasCheck(sql`installation_id = ${id} and fence is null and next_check_at > now()`),
    async running({ id }) {
      const { rows } = await sql<{ id: string }>`
        select id from operations where installation_id = ${id} and status = 'in_progress'`.execute(app.db.sql)
      return rows.map((row) => row.id)
    },
    deletedIds({ id }) {
      const all = receiver.bodies as { installationId: string; result: { id?: string; deleted?: boolean }[] }[]
      return all
        .filter(({ installationId }) => installationId === id)
        .flatMap(({ result }) => result.filter(({ deleted }) => deleted).map((entry) => entry.id ?? ''))
    },
    async schedules({ name, id }) {
      const path = `${base}/integrations/${name}/installations/${id}/schedules`
      return (await app.call<{ objectName: string }[]>('GET', path)).body
    },
    async storedIds({ id }) {
      const { rows } = await sql`select from delivered_ids where installation_id = ${id}`.execute(app.db.sql)
      return rows.length
    },
    async until(ask) {
      const givenUpAt = Date.now() + 60_000
      for (;;) {
        const found = await ask()
        if (found) return found
        if (Date.now() > givenUpAt) throw new Error('the condition did not come true in time')
        // In the database, so that asking does not take the processor from what is waited for.
        await sql`select pg_sleep(0.02)`.execute(app.db.sql)
      }
    },
    async stop() {
      await app.stop()
      await Promise.all([library.close(), receiver.close()])
    },
  }
  return kit
}
