import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { reachExisting } from '../../packages/server/src/backup/index.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import {
  createEnvelope,
  createKeyring,
  generateApiKey,
  hashApiKey,
  type Keyring,
} from '../../packages/server/src/kernel/encryption/index.ts'
import { readKeyStatus } from '../../packages/server/src/keys/index.ts'
import { type MortiseProcess, startMortise } from '../mortise-process.testkit.ts'
import type { Attack, Outcome } from './attack.ts'

/** Rotates the encryption key of a running service under load, while the rotating process is killed again and again. */
export const attack: Attack = {
  id: 'S13',
  title: 'The encryption key is rotated under load, through kills, and every value stays readable.',
  run,
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const sizes = { short: { secrets: 2_000, kills: 2 }, long: { secrets: 100_000, kills: 5 } }
/** A row of a destination holds two values, a row of an API key one. */
const valuesOfPair = 3

async function run({ long }: { long: boolean }): Promise<Outcome> {
  const { secrets, kills } = long ? sizes.long : sizes.short
  const home = await mkdtemp(join(tmpdir(), 'mortise-s13-'))
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const env = {
    MORTISE_DATA_DIR: home,
    MORTISE_ENCRYPTION_KEY: oldKey.toString('base64'),
    MORTISE_ENCRYPTION_KEY_NEXT: newKey.toString('base64'),
    MORTISE_RATE_LIMIT: '0',
  }
  const service = await startMortise(env, {
    apiKey: () => readFile(join(home, 'api-key'), 'utf8').then((text) => text.trim()),
  })
  const reached = await reachExisting(readConfig(env))
  try {
    const oldRing = createKeyring({ active: oldKey })
    const pairs = Math.ceil(secrets / valuesOfPair)
    const stored = await storeSecrets(reached.client, oldRing, pairs)
    const load = startLoad(service, stored)
    const began = performance.now()
    // While somebody holds a row no rotation ends, however quick it is: all are killed in the middle.
    await reached.client.query('begin; set local idle_in_transaction_session_timeout = 0')
    await reached.client.query('select from destinations where id = $1 for update', [stored.destinations.at(-1)])
    const killed = await killRotations(env, oldRing.activeId, kills, pairs * valuesOfPair)
    await reached.client.query('rollback')
    await rotate(env)
    const rotationMs = Math.round(performance.now() - began)
    const { reads, writes, failures } = await load.stop()
    const { keys } = await readKeyStatus({ env })
    const valuesOnOldKey = keys.find((key) => key.id === oldRing.activeId)?.values ?? 0
    const unreadable = await countUnreadable(reached.client, createKeyring({ active: newKey }))
    const figures = {
      secrets: pairs * valuesOfPair,
      kills: killed,
      reads,
      writes,
      readFailures: failures,
      unreadable,
      valuesOnOldKey,
      rotationMs,
    }
    const passed = killed === kills && reads > 0 && failures === 0 && unreadable === 0 && valuesOnOldKey === 0
    return { passed, figures }
  } finally {
    await reached.close()
    await service.end('SIGTERM')
    await rm(home, { recursive: true, force: true })
  }
}

interface Stored {
  apiKeys: string[]
  destinations: string[]
}

async function storeSecrets(client: pg.Client, keyring: Keyring, pairs: number): Promise<Stored> {
  const { rows: projects } = await client.query<{ id: string }>(`select id from projects where name = 'default'`)
  const project = projects[0]!.id
  const envelope = createEnvelope(keyring)
  const pepper = keyring.derive('api-key-pepper')
  const stored: Stored = { apiKeys: [], destinations: [] }
  for (let done = 0; done < pairs; done += 1_000) {
    const keys = Array.from({ length: Math.min(1_000, pairs - done) }, () => ({
      id: randomUUID(),
      key: generateApiKey(),
    }))
    const rows = keys.map(({ id: row, key }) => {
      const at = (table: string, column: string) => ({ table, project, row, column })
      return {
        id: row,
        name: `s13-${row}`,
        hash: hashApiKey(pepper, key).toString('hex'),
        encrypted: envelope.encrypt(key, at('api_keys', 'encrypted')),
        metadata: envelope.encrypt(
          JSON.stringify({ url: `https://203.0.114.5/${row}` }),
          at('destinations', 'encrypted_metadata'),
        ),
        secrets: envelope.encrypt(
          JSON.stringify({ webhookSigningKey: `whsec_${row}` }),
          at('destinations', 'encrypted_secrets'),
        ),
      }
    })
    await client.query(
      `with given as (select * from json_to_recordset($2::json) as s (id uuid, name text, hash text, encrypted text, metadata text, secrets text)),
            keys as (insert into api_keys (project_id, id, label, scopes, hash, encrypted, hint, created_by)
                     select $1, id, name, '{full}', decode(hash, 'hex'), encrypted, '', 's13' from given)
       insert into destinations (project_id, id, name, type, encrypted_metadata, encrypted_secrets)
       select $1, id, name, 'webhook', metadata, secrets from given`,
      [project, JSON.stringify(rows)],
    )
    stored.apiKeys.push(...keys.map(({ key }) => key))
    stored.destinations.push(...keys.map((one) => one.id))
  }
  return stored
}

/** Reads destinations whole, with API keys of their own, and stores new ones, until it is stopped. */
function startLoad({ url }: MortiseProcess, { apiKeys, destinations }: Stored) {
  const counts = { reads: 0, writes: 0, failures: 0 }
  let stopping = false
  const base = `${url}/v1/projects/default/destinations`
  const one = async (worker: number) => {
    for (let n = worker; !stopping; n += 7) {
      const apiKey = apiKeys[(n * 31) % apiKeys.length]!
      const destination = destinations[(n * 17) % destinations.length]!
      const answer = await fetch(`${base}/${destination}?includeSecrets=true`, { headers: { 'X-Api-Key': apiKey } })
      const { secrets } = (await answer.json()) as { secrets?: { webhookSigningKey: string } }
      counts.reads++
      if (secrets?.webhookSigningKey !== `whsec_${destination}`) counts.failures++
      if (n % 10 !== worker % 10) continue
      const body = JSON.stringify({
        name: `load-${worker}-${n}`,
        type: 'webhook',
        metadata: { url: 'https://203.0.114.5/new' },
      })
      const made = await fetch(base, {
        method: 'POST',
        headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
        body,
      })
      await made.text()
      counts.writes++
      if (made.status !== 201) counts.failures++
    }
  }
  const workers = [0, 1, 2, 3].map((worker) => one(worker))
  return {
    async stop() {
      stopping = true
      await Promise.all(workers)
      return counts
    },
  }
}

/** Starts rotations, and kills each when another part of the values has been rewrapped. Returns the number of kills. */
async function killRotations(
  env: Record<string, string>,
  oldId: string,
  kills: number,
  values: number,
): Promise<number> {
  let killed = 0
  while (killed < kills) {
    const rotation = startRotation(env)
    rotation.stderr?.resume()
    const ended = once(rotation, 'exit') as Promise<[code: number | null]>
    const target = values * (1 - (killed + 1) / (kills + 1))
    while (rotation.exitCode === null) {
      const { keys } = await readKeyStatus({ env })
      const old = keys.find((key) => key.id === oldId)!
      if (old.state !== 'active' && old.values <= target) break
      await setTimeout(20)
    }
    rotation.kill('SIGKILL')
    const [code] = await ended
    if (code !== null) throw new Error(`The rotation ended with ${code}.`)
    killed++
  }
  return killed
}

async function rotate(env: Record<string, string>): Promise<void> {
  const rotation = startRotation(env)
  const [said, [code]] = await Promise.all([text(rotation.stderr!), once(rotation, 'exit')])
  if (code !== 0) throw new Error(`The rotation ended with ${code}: ${said}`)
}

function startRotation(env: Record<string, string>): ChildProcess {
  const args = ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning', 'packages/cli/src/main.ts']
  return spawn(process.execPath, [...args, 'keys', 'rotate', '--format', 'json'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

/** Opens every value with the new key alone, and looks whether API keys are found by it. */
async function countUnreadable(client: pg.Client, keyring: Keyring): Promise<number> {
  const { rows } = await client.query<{
    table: string
    project: string
    row: string
    column: string
    value: string
    hash: string
  }>(`
    select 'api_keys' as table, project_id as project, id as row, 'encrypted' as column, encrypted as value, encode(hash, 'hex') as hash from api_keys
    union all select 'destinations', project_id, id, 'encrypted_metadata', encrypted_metadata, null from destinations
    union all select 'destinations', project_id, id, 'encrypted_secrets', encrypted_secrets, null from destinations`)
  const envelope = createEnvelope(keyring)
  const pepper = keyring.derive('api-key-pepper')
  return rows.filter(({ value, hash, ...at }) => {
    try {
      const opened = envelope.open(value, at).toString()
      return hash !== null && hashApiKey(pepper, opened).toString('hex') !== hash
    } catch {
      return true
    }
  }).length
}
