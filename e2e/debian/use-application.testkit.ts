import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { spelledIn } from '../secret-search.testkit.ts'
import { openStoredRows } from '../stored-rows.testkit.ts'
import { patience, projects, type ReadingOfApplication } from './read-application.testkit.ts'

export interface WriteAnswer {
  operationId: string
  result?: { success: boolean; recordId?: string }
  errors?: { message: string }[]
}

/** Everything besides reads that a group does with an application. */
export function useApplication(world: ReadingOfApplication, groupRef: string) {
  const integration = `${projects}/integrations/${world.integrationId}`
  return {
    write: (objectName: string, type: 'create' | 'update' | 'delete', record: object) =>
      world.app.call<WriteAnswer>('POST', `//write/v1${integration}/objects/${objectName}`, { groupRef, type, record }),

    /** @returns ids of the records of which a field has a value, as the application finds them */
    async search(objectName: string, fieldName: string, value: unknown): Promise<string[]> {
      const path = `//search/v1${integration}?groupRef=${groupRef}`
      const fieldFilters = [{ fieldName, operator: 'eq', value }]
      const found = await world.app.call<{ results: { id: string }[] }>('POST', path, { objectName, fieldFilters })
      expect(found.status, JSON.stringify(found.body)).toBe(200)
      return found.body.results.map(({ id }) => id)
    },

    /** Waits until the backfill of an object is a successful operation with this number of records. */
    async untilBackfilled(installationId: string, objectName: string, records: number) {
      const path = `${integration}/installations/${installationId}/objects/${objectName}/backfill-progress`
      const progress = await world.app.call<{ operationId: string }>('GET', path)
      const all = { recordsProcessed: records, recordsEstimatedTotal: records }
      expect(progress).toMatchObject({ status: 200, body: all })
      await expect
        .poll(() => world.app.call('GET', `${projects}/operations/${progress.body.operationId}`), patience)
        .toMatchObject({ status: 200, body: { status: 'success' } })
    },

    /** Tests a provider file with each of these objects, and expects all of them to work. */
    async testFile(connectionId: string, file: URL, objects: string[]) {
      const path = `${projects}/connections/${connectionId}/provider-file:test`
      const tested = { name: basename(file.pathname), text: await readFile(file, 'utf8'), objects }
      const { status, body } = await world.app.call<{ ok: boolean; objects: object[] }>('POST', path, tested)
      expect({ status, ok: body.ok }, JSON.stringify(body)).toEqual({ status: 200, ok: true })
      expect(body.objects).toHaveLength(objects.length)
    },

    /** Connects with a wrong credential, and expects it to be refused and nothing to be read with it. */
    async expectRefused(secret: string, objectName: string) {
      const wrong = await world.connect(`${groupRef}-stranger`, secret, 'bad_credentials')
      const content = { read: { objects: { [objectName]: {} } } }
      const installed = await world.install(`${groupRef}-stranger`, wrong, content)
      expect(await world.pausedBecause(installed)).toContain('credentials')
      expect(world.entries(`${groupRef}-stranger`, objectName, 'backfill')).toEqual([])
    },

    /** Fields of an object, as the application describes them. */
    async fields(objectName: string) {
      const path = `${integration}/objects/${objectName}/metadata?groupRef=${groupRef}`
      const { status, body } = await world.app.call<{ fields: Record<string, object> }>('GET', path)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.fields
    },

    /** One request through the proxy. */
    proxy: <T>(installationId: string, method: string, path: string, body?: unknown) =>
      world.app.call<T>(method, `//proxy${path}`, body, {
        headers: {
          'x-mortise-proxy-version': '1',
          'x-mortise-project-id': 'default',
          'x-mortise-installation-id': installationId,
        },
      }),

    /** Compares the ids at the application with those that were delivered. @returns the result of the operation */
    async compareIds(objectName: string): Promise<string> {
      const path = `//read/v1${integration}/objects/${objectName}`
      const begun = await world.app.call<{ operationId: string }>('POST', path, {
        groupRef,
        mode: 'async',
        deletions: true,
      })
      const operation = () =>
        world.app.call<{ status: string; result: string }>('GET', `${projects}/operations/${begun.body.operationId}`)
      await expect.poll(operation, patience).toMatchObject({ body: { status: 'success' } })
      return (await operation()).body.result
    },

    /** Deletions of an object that were delivered, by any scheduled read or check. */
    deletions: (objectName: string) =>
      world.entries(groupRef, objectName, 'scheduled').filter((entry) => 'deleted' in entry),
  }
}

/** Waits until a run failed, and waits for its next attempt. */
export async function untilRetrying(world: ReadingOfApplication, installationId: string, objectName: string) {
  // Not expect.poll: hooks wait for this, too.
  await vi.waitFor(async () => {
    const { rows } = await sql<{ attempt: number }>`
      select attempt from read_runs where project_id = ${world.app.projectId}
         and installation_id = ${installationId} and object_name = ${objectName}`.execute(world.app.db.sql)
    expect(rows[0]?.attempt ?? 0).toBeGreaterThan(0)
  }, patience)
}

/** @returns where a secret is outside its encrypted column: tables, logs, delivered messages */
export async function placesOf(world: ReadingOfApplication, secret: string): Promise<string[]> {
  const isIn = spelledIn(secret)
  const rows = await openStoredRows(world.app.testDatabase.url)
  try {
    return [
      ...(await rows.dump()).filter(({ text }) => isIn(text)).map(({ table, column }) => `${table}.${column}`),
      ...world.app.logs.filter(isIn).map(() => 'log'),
      ...world.receiver.bodies.filter((body) => isIn(JSON.stringify(body))).map(() => 'message'),
    ]
  } finally {
    await rows.close()
  }
}
