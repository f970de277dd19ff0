import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../kernel/db/embedded/start-embedded.ts'
import { openDatabase, provision } from '../kernel/db/index.ts'
import { JobQueue } from '../kernel/jobs/index.ts'
import { createLogger, createMetrics } from '../kernel/telemetry/index.ts'
import { templateDatabase } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of this run: every test file clones its migrated template. */
    postgres: { host: string; port: number }
  }
}

/** One PostgreSQL for the whole run, with one migrated database to clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(await clusterFolder(), 'mortise-test-'))
  const server = await startEmbedded({
    homeDir: home,
    fsync: false,
    settings: { max_connections: '400', max_wal_size: '256MB' },
    systemDir: join(home, 'system'),
  })
  const address = await provision(server, templateDatabase)
  const onError = (error: Error) => console.error(error)
  const database = await openDatabase({ address, poolSize: 2, applicationName: 'template', onError })
  const log = createLogger({ level: 'silent' })
  const queue = new JobQueue({
    systemPool: database.systemPool,
    log,
    metrics: createMetrics(),
  })
  await queue.start([])
  await queue.stop()
  await database.close()
  project.provide('postgres', { host: server.host, port: server.port })
  return async () => {
    await server.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** Clones of a run of all tests, its WAL, and room to spare. */
const clusterBytes = 4 * 1024 ** 3

/**
 * Returns the folder for the cluster: memory if there is plenty. A clone is a thousand small files, which take twenty
 * times as long on a disk.
 */
async function clusterFolder(): Promise<string> {
  const memory = '/dev/shm'
  const stats = await statfs(memory).catch(() => undefined)
  const isRoomy = stats !== undefined && stats.bavail * stats.bsize > clusterBytes && freemem() > clusterBytes
  return isRoomy ? memory : tmpdir()
}
