import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { median, rounded } from '../measure/statistics.ts'
import { install, prepare } from './bench-crm.ts'
import { startPart } from './part.ts'
import { findPgBouncer, startPgBouncer } from './pgbouncer.ts'
import { databaseEnv, pooledEnv } from './postgres.ts'
import { recordsPerPage } from './record-size.ts'
import { type Service, startService } from './service.ts'
import { findAllStock, startStock } from './stock-postgres.ts'

/** What backfills took on one database. */
export interface DatabaseTimes {
  database: string
  /** Milliseconds of each round, from the request to the last record at the receiver. */
  ms: number[]
  /** Milliseconds of processor time of the service, the median. */
  cpuMs: number
}

interface Measured extends DatabaseTimes {
  service: Service
  integrationId: string
  cpu: number[]
}

/**
 * Times backfills on the embedded PostgreSQL, on every stock PostgreSQL that is found, and behind PgBouncer in
 * transaction mode. The rounds of all alternate. The embedded one is the first of the result.
 */
export async function timeDatabases(
  folder: string,
  { rounds, pages }: { rounds: number; pages: number },
  say: (line: string) => void,
): Promise<DatabaseTimes[]> {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await startPart('./provider.ts'))
  const receiver = stack.use(await startPart('./receiver.ts'))
  const receiverUrl = await receiver.ask<string>('url')
  const providerUrl = await provider.ask<string>('url')
  const all: Measured[] = []
  let folders = 0
  const ownFolder = async () => {
    const own = join(folder, String(++folders))
    await mkdir(own)
    // PostgreSQL's account, where root runs this, has to pass through.
    await chmod(own, 0o711)
    return own
  }
  const add = async (database: string, env: Record<string, string>) => {
    const service = stack.use(await startService(await ownFolder(), env))
    const integrationId = await prepare(service, receiverUrl)
    all.push({ database, service, integrationId, ms: [], cpu: [], cpuMs: 0 })
  }

  await add('embedded', {})
  const pgBouncer = await findPgBouncer()
  const [newest, ...older] = await findAllStock()
  for (const stock of newest ? [newest, ...older] : []) {
    const server = await startStock(await ownFolder(), {}, stock)
    stack.defer(() => server.stop())
    await add(`PostgreSQL ${stock.version}`, await databaseEnv(server))
    if (!pgBouncer || stock !== newest) continue
    const pooler = await startPgBouncer(await ownFolder(), server)
    stack.defer(() => pooler.stop())
    const behind = `PgBouncer ${pgBouncer.version} before PostgreSQL ${stock.version}`
    const direct = pooledEnv(await databaseEnv(server, 'pooled'), pooler)
    await add(behind, direct)
    const { DATABASE_DIRECT_URL: _, ...alone } = pooledEnv(await databaseEnv(server, 'pooled_alone'), pooler)
    await add(`${behind}, without a direct address`, alone)
  }

  // The first round is for the compilers.
  for (let round = 0; round <= rounds; round++) {
    for (const { database, service, integrationId, ms, cpu } of all) {
      await receiver.ask('clear')
      const arrived = receiver.ask('reached', pages * recordsPerPage)
      const cpuBefore = await service.cpuMs()
      const began = performance.now()
      await install(service, { integrationId, groupRef: `customer-${round}`, providerUrl, pages })
      await arrived
      const took = performance.now() - began
      if (round === 0) continue
      ms.push(rounded(took, 0))
      cpu.push((await service.cpuMs()) - cpuBefore)
      say(`round ${round}: ${took.toFixed(0)} ms on ${database}`)
    }
  }
  return all.map(({ database, ms, cpu }) => ({ database, ms, cpuMs: rounded(median(cpu), 0) }))
}
