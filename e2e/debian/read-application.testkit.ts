import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'

export const waitMs = 60_000
/** How often a condition is asked, and for how long at most. */
export const patience = { timeout: waitMs, interval: 100 }

export const projects = '/projects/default'

export interface Message {
  action: string
  provider: string
  groupRef: string
  objectName: string
  rawObjectName: string
  readType: string
  operationId: string
  resultInfo: { type: string; numRecords: number }
  result: Entry[]
}

export interface Entry {
  fields: Record<string, unknown>
  mappedFields: Record<string, unknown>
  raw: { id: number } & Record<string, unknown>
}

/** What a test knows a record by. */
export type Id = number | string

export interface ReadApplication {
  /** A manifest with one integration. */
  manifest: string
  /** Destination that the manifest names. */
  destination: string
  provider: string
  authScheme: string
  /** What a connection is made with, besides whose it is. */
  credential(secret: string): object
  env?: Record<string, string>
  /** What a test knows a record by; its `id` when absent. */
  idOf?(raw: Entry['raw']): Id
}

/** The service with an integration that reads a real application, and the webhook that its records are delivered to. */
export async function readApplication(application: ReadApplication) {
  const { manifest, destination, provider, authScheme, credential, env = {}, idOf = ({ id }) => id } = application
  const started = new AsyncDisposableStack()
  const receiver: WebhookReceiver = await startWebhookReceiver({ storeBodies: true })
  started.defer(() => receiver.close())
  const app: TestApp = await startTestApp({ env })
  started.defer(() => app.stop())

  const metadata = { url: receiver.url }
  const made = await app.call('POST', `${projects}/destinations`, { name: destination, type: 'webhook', metadata })
  expect(made.status).toBe(201)
  const { body: shown } = await app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${projects}/destinations/${destination}?includeSecrets=true`,
  )
  receiver.setSecret(shown.secrets.webhookSigningKey)
  const integrationId = await deploy(manifest)

  async function deploy(sourceYaml: string): Promise<string> {
    const deployed = await app.call<{ id: string }[]>('PUT', `${projects}/integrations:batch`, { sourceYaml })
    expect(deployed.status, JSON.stringify(deployed.body)).toBe(200)
    return deployed.body[0]!.id
  }

  /** Connects the application for a group; answers the connection's id once its credential was judged as expected. */
  async function connect(groupRef: string, secret: string, status: 'working' | 'bad_credentials'): Promise<string> {
    const made = await app.call<{ id: string }>('POST', `${projects}/connections:generate`, {
      groupRef,
      consumerRef: `${groupRef}-admin`,
      provider,
      ...credential(secret),
    })
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { authScheme } })
    const { id } = made.body
    await vi.waitFor(async () => {
      expect((await app.call('GET', `${projects}/connections/${id}`)).body).toMatchObject({ status })
    }, patience)
    return id
  }

  /** @param content the config's `read`, `write` … */
  async function install(groupRef: string, connectionId: string, content: object): Promise<string> {
    const installed = await app.call<{ id: string }>(
      'POST',
      `${projects}/integrations/${integrationId}/installations`,
      { groupRef, connectionId, config: { content: { provider, ...content } } },
    )
    expect(installed, JSON.stringify(installed.body)).toMatchObject({
      status: 201,
      body: { connection: { id: connectionId } },
    })
    return installed.body.id
  }

  const messages = (groupRef: string, rawObjectName: string, readType: string) =>
    (receiver.bodies as Message[]).filter(
      (message) =>
        message.groupRef === groupRef && message.rawObjectName === rawObjectName && message.readType === readType,
    )
  const entries = (...of: Parameters<typeof messages>) => messages(...of).flatMap(({ result }) => result)
  const idsOf = (found: Entry[]) => sorted(new Set(found.map(({ raw }) => idOf(raw))))

  /** Has an object's schedule strike at once. */
  const makeDue = (installationId: string, objectName: string) =>
    sql`update read_states set next_run_at = now() - interval '1 s'
         where project_id = ${app.projectId} and installation_id = ${installationId} and object_name = ${objectName}`.execute(
      app.db.sql,
    )

  /** Whether a run that was due or under way has ended. */
  async function isIdle(installationId: string, objectName: string): Promise<boolean> {
    const { rows } = await sql<{ idle: boolean }>`
      select not exists (select from read_runs where project_id = ${app.projectId}
                            and installation_id = ${installationId} and object_name = ${objectName})
         and not exists (select from read_states where project_id = ${app.projectId}
                            and installation_id = ${installationId} and object_name = ${objectName}
                            and next_run_at <= now()) as idle`.execute(app.db.sql)
    return rows[0]!.idle
  }

  return {
    app,
    receiver,
    integrationId,
    connect,
    install,
    messages,
    entries,
    idsOf,
    makeDue,
    isIdle,

    untilDelivered: (groupRef: string, objectName: string, readType: string, wanted: Id[]) =>
      vi.waitFor(() => expect(idsOf(entries(groupRef, objectName, readType))).toEqual(sorted(wanted)), patience),

    untilHealth: (installationId: string, healthStatus: string, status: string) =>
      vi.waitFor(async () => {
        const installation = `${projects}/integrations/${integrationId}/installations/${installationId}`
        expect((await app.call('GET', installation)).body).toMatchObject({ healthStatus, connection: { status } })
      }, patience),

    async pausedBecause(installationId: string): Promise<(string | null)[]> {
      const { rows } = await sql<{ paused: string | null }>`
        select paused from read_states where project_id = ${app.projectId} and installation_id = ${installationId}`.execute(
        app.db.sql,
      )
      return rows.map(({ paused }) => paused)
    },

    /**
     * Lets the schedule strike until all of these have arrived: a change of the last two seconds waits for the next
     * strike.
     */
    async readUntil(groupRef: string, installationId: string, objectName: string, wanted: Id[]) {
      await vi.waitFor(async () => {
        if (await isIdle(installationId, objectName)) await makeDue(installationId, objectName)
        expect(idsOf(entries(groupRef, objectName, 'scheduled'))).toEqual(expect.arrayContaining(wanted))
      }, patience)
    },

    stop: () => started.disposeAsync(),
  }
}

export type ReadingOfApplication = Awaited<ReturnType<typeof readApplication>>

export function sorted<T extends Id>(ids: Iterable<T>): T[] {
  return [...ids].sort((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : `${a}`.localeCompare(`${b}`),
  )
}
