import { createHmac } from 'node:crypto'
import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { clientNetwork } from '../../../kernel/http/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { countAttempt, isKnownSubject, rememberSubject, uncountAttempt } from './attempt-store.ts'
import { isDeviceOf } from './device.ts'
import { warnOwner } from './job-references.ts'
import { TooManyAttempts, TooManyPasswordResets } from './problems.ts'

const windowMs = 15 * 60_000
const dayMs = 86_400_000
/** How long a network stays known after the last sign-in from it. */
const addressDays = 90

/** Maximum attempts within the window, per count. */
const passwordAttempts = {
  prefix: [] as string[],
  most: { device: 10, session: 10, pair: 10, email: 50, address: 100 },
  windowMs,
}
/**
 * The same for codes of the second factor. The person who sends one knows the password, and a code has six digits:
 * the limits are lower, and the window is longer.
 */
const codeAttempts: Limit = {
  prefix: ['code'],
  most: { device: 10, session: 10, pair: 10, email: 20, address: 100 },
  windowMs: 3_600_000,
}
type Count = keyof typeof passwordAttempts.most

type Needed = { config: Config; database: Database; keyring: Keyring; now: () => Date; queue: JobQueue }

/** Where an attempt comes from. */
export interface Origin {
  address: string
  /** Value of the browser's device cookie. */
  device?: string | undefined
  /** The caller's session, if they must confirm the password. */
  sessionId?: string | undefined
}

export interface Attempt {
  /** Reports that the password or code was right. Also makes the network known, unless a second step follows. */
  succeeded(options?: { secondStepFollows: boolean }): Promise<void>
}

/**
 * Counts an attempt before the password is checked, so that parallel attempts are counted, too. Counts are stored in
 * the database under keyed hashes: all nodes share them, and a restart keeps them.
 *
 * The counts depend on what the origin proves. Otherwise an attacker with many addresses could lock the owner out of
 * the account:
 * - a session, or a browser that signed in to the account before: only the count of that session or browser
 * - a network that the account signed in from before: the count of the account on that network, and the count of the
 *   network
 * - anything else: the same two, and the count of the account on all unknown networks
 *
 * @param email normalized if it is an address
 * @throws TooManyAttempts
 */
export async function beginAttempt(services: Needed, email: string, origin: Origin): Promise<Attempt> {
  return await begin(services, passwordAttempts, email, origin)
}

/**
 * Counts an attempt at the second factor, before the code is checked.
 * @throws TooManyAttempts
 */
export async function beginCodeAttempt(services: Needed, email: string, origin: Origin): Promise<Attempt> {
  return await begin(services, codeAttempts, email, origin)
}

async function begin(services: Needed, limit: Limit, email: string, origin: Origin): Promise<Attempt> {
  const { database, keyring, now } = services
  const { counts, over } = await countUse(services, limit, email, origin)
  // Exactly one attempt of each window is the first one over the limit.
  const first = over.find(({ name, count }) => name === 'email' && count === limit.most.email + 1)
  if (first) await warn(services, limit, email, origin.address)
  if (over.length > 0) throw new TooManyAttempts({ retryAfter: untilAllEnd(over) })
  return {
    async succeeded({ secondStepFollows } = { secondStepFollows: false }) {
      const cleared = [counts.device, counts.session, counts.pair].filter((count) => count !== undefined)
      const lowered = [counts.email, counts.address].filter((count) => count !== undefined)
      await uncountAttempt(database.system, { cleared, lowered })
      // A password alone does not make a network known: its codes would no longer count for the account.
      if (!secondStepFollows) await rememberNetwork({ database, keyring, now }, email, origin.address)
    },
  }
}

/** Maximum password reset links per hour. */
const resets = {
  prefix: ['reset'],
  most: { device: 5, session: 5, pair: 5, email: 5, address: 20 },
  windowMs: 3_600_000,
}

/**
 * Counts a request for a password reset link. The counts have the same scopes as those of sign-in attempts, so requests
 * from elsewhere do not stop a known browser or network. An unknown address is counted like a known one.
 *
 * @throws TooManyPasswordResets
 */
export async function countReset(services: Needed, email: string, origin: Origin): Promise<void> {
  const { over } = await countUse(services, resets, email, origin)
  if (over.length > 0) throw new TooManyPasswordResets({ retryAfter: untilAllEnd(over) })
}

interface Limit {
  /** Separates the counts of different purposes. */
  prefix: string[]
  most: Record<Count, number>
  windowMs: number
}
interface Exceeded {
  name: Count
  count: number
  until: Date
}

/** Increments each count that applies to the origin, and returns those over their limit. */
async function countUse(
  services: Needed,
  { prefix, most, windowMs }: Limit,
  email: string,
  origin: Origin,
): Promise<{ counts: { [C in Count]?: Buffer }; over: Exceeded[] }> {
  const { database, keyring, now } = services
  const scopes = Object.entries(await scopesOf(services, email, origin)) as [Count, string[]][]
  const counts = Object.fromEntries(scopes.map(([name, parts]) => [name, subject(keyring, ...prefix, ...parts)]))
  const until = new Date(now().getTime() + windowMs)
  const counters = await countAttempt(database.system, Object.values(counts), now(), until)
  const over = scopes.flatMap(([name]) => {
    const hash = counts[name]
    const row = hash && counters.find(({ subject_hash }) => subject_hash.equals(hash))
    return row && row.count > most[name] ? [{ name, ...row }] : []
  })
  return { counts, over }
}

function untilAllEnd(over: Exceeded[]): Date {
  return new Date(Math.max(...over.map(({ until }) => until.getTime())))
}

/** Makes the network known for a person who signed in without a password: with a link, or by single sign-on. */
export async function rememberNetwork(
  { database, keyring, now }: { database: Database; keyring: Keyring; now: () => Date },
  email: string,
  address: string,
): Promise<void> {
  const pair = subject(keyring, 'pair', email, clientNetwork(address))
  await rememberSubject(database.system, pair, new Date(now().getTime() + addressDays * dayMs))
}

/** Returns the scopes that an origin is counted in. */
async function scopesOf(
  services: Needed,
  email: string,
  { address, device, sessionId }: Origin,
): Promise<{ [C in Count]?: string[] }> {
  const { database, keyring, now } = services
  if (sessionId !== undefined) return { session: ['session', sessionId] }
  if (device !== undefined && isDeviceOf(services, device, email)) return { device: ['device', email, device] }
  const network = clientNetwork(address)
  const scopes = { pair: ['pair', email, network], address: ['address', network] }
  if (await isKnownSubject(database.system, subject(keyring, ...scopes.pair), now())) return scopes
  return { ...scopes, email: ['email', email] }
}

/**
 * Emails the owner of the account, at most once a day. Unknown addresses take the same steps, so that the response does
 * not reveal them.
 */
async function warn(
  { config, database, keyring, now, queue }: Needed,
  { prefix, most, windowMs }: Limit,
  email: string,
  address: string,
): Promise<void> {
  if (config.smtpUrl === undefined) return
  const key = subject(keyring, ...prefix, 'warned', email)
  const at = now()
  await database.system.transaction().execute(async (tx) => {
    const [warned] = await countAttempt(tx, [key], at, new Date(at.getTime() + dayMs))
    if (warned?.count !== 1) return
    const knowsPassword = prefix === codeAttempts.prefix
    const minutes = windowMs / 60_000
    const data = { email, address, attempts: most.email, minutes, time: at.toISOString(), knowsPassword }
    await queue.enqueue({ sql: tx }, warnOwner, data, key.toString('hex'))
  })
}

function subject(keyring: Needed['keyring'], ...parts: string[]): Buffer {
  return createHmac('sha256', keyring.derive('sign-in'))
    .update(JSON.stringify(['attempts', ...parts]))
    .digest()
}
