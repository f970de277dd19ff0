import { createHmac } from 'node:crypto'
import { clientNetwork } from '../../kernel/http/index.ts'
import type { Services } from '../../services.ts'
import { countAttempt, isKnownSubject, rememberSubject, uncountAttempt } from './attempt-store.ts'
import { isDeviceOf } from './device.ts'
import { warnOwner } from './jobs/warn-owner.ts'
import { TooManyAttempts } from './problems.ts'

const windowMs = 15 * 60_000
const dayMs = 86_400_000
/** How long a network stays known after the last sign-in from it. */
const addressDays = 90

/** Attempts within the window, per count. */
const most = { device: 10, session: 10, pair: 10, email: 50, address: 100 }
type Count = keyof typeof most

type Needed = Pick<Services, 'config' | 'database' | 'keyring' | 'now' | 'queue'>

/** Who tries, as far as it can be seen. */
export interface Origin {
  address: string
  /** What the browser sent as its device cookie. */
  device?: string | undefined
  /** The session of the caller, where the password is asked for again. */
  sessionId?: string | undefined
}

export interface Attempt {
  /** The password was right. Also makes the network known. */
  succeeded(): Promise<void>
}

/**
 * Counts an attempt before the password is checked, so that parallel attempts do not slip through. Counts are in the database under keyed
 * hashes: all nodes count together, and a restart forgets nothing.
 *
 * Which counts apply depends on what the origin proves. Otherwise whoever guesses from many addresses could lock the owner of the account
 * out of it:
 * - a session, or a browser that signed in to the account before: a count of its own alone;
 * - a network that the account signed in from before: the counts of the account from there, and of the network;
 * - anything else: these, and the count of the account from all unknown networks.
 *
 * @param email normalized where it is an address
 * @throws TooManyAttempts
 */
export async function beginAttempt(services: Needed, email: string, origin: Origin): Promise<Attempt> {
  const { database, keyring, now } = services
  const { system } = database
  const network = clientNetwork(origin.address)
  const pair = subject(keyring, 'pair', email, network)
  const counts = await countsOf(services, email, origin, network)
  const names = Object.keys(counts) as Count[]
  const until = new Date(now().getTime() + windowMs)
  const counted = await countAttempt(system, Object.values(counts), now(), until)
  const over = names.flatMap((name) => {
    const row = counted.find(({ subject_hash }) => subject_hash.equals(counts[name]!))
    return row && row.count > most[name] ? [{ name, ...row }] : []
  })
  // Exactly one attempt of a window is the first one over the limit.
  const first = over.find(({ name, count }) => name === 'email' && count === most.email + 1)
  if (first) await warn(services, email, origin.address)
  if (over.length > 0)
    throw new TooManyAttempts({ retryAfter: new Date(Math.max(...over.map((count) => count.until.getTime()))) })
  return {
    async succeeded() {
      const cleared = [counts.device, counts.session, counts.pair].filter((count) => count !== undefined)
      const lowered = [counts.email, counts.address].filter((count) => count !== undefined)
      await uncountAttempt(system, { cleared, lowered })
      await rememberSubject(system, pair, new Date(now().getTime() + addressDays * dayMs))
    },
  }
}

/** Makes the network of somebody known who signed in without a password being checked: with a link, or by single sign-on. */
export async function rememberNetwork(
  { database, keyring, now }: Pick<Services, 'database' | 'keyring' | 'now'>,
  email: string,
  address: string,
): Promise<void> {
  const pair = subject(keyring, 'pair', email, clientNetwork(address))
  await rememberSubject(database.system, pair, new Date(now().getTime() + addressDays * dayMs))
}

async function countsOf(
  services: Needed,
  email: string,
  { device, sessionId }: Origin,
  network: string,
): Promise<{ [C in Count]?: Buffer }> {
  const { database, keyring, now } = services
  if (sessionId !== undefined) return { session: subject(keyring, 'session', sessionId) }
  if (device !== undefined && isDeviceOf(services, device, email))
    return { device: subject(keyring, 'device', email, device) }
  const pair = subject(keyring, 'pair', email, network)
  const counts = { pair, address: subject(keyring, 'address', network) }
  if (await isKnownSubject(database.system, pair, now())) return counts
  return { ...counts, email: subject(keyring, 'email', email) }
}

/** Mails the owner of the account, at most once a day. Unknown emails take the same steps, so that nothing tells them apart. */
async function warn({ config, database, keyring, now, queue }: Needed, email: string, address: string): Promise<void> {
  if (config.smtpUrl === undefined) return
  const key = subject(keyring, 'warned', email)
  const at = now()
  await database.system.transaction().execute(async (tx) => {
    const [warned] = await countAttempt(tx, [key], at, new Date(at.getTime() + dayMs))
    if (warned?.count !== 1) return
    const data = { email, address, attempts: most.email, minutes: windowMs / 60_000, time: at.toISOString() }
    await queue.enqueue({ sql: tx }, warnOwner, data, key.toString('hex'))
  })
}
function subject(keyring: Needed['keyring'], ...parts: string[]): Buffer {
  return createHmac('sha256', keyring.derive('sign-in'))
    .update(JSON.stringify(['attempts', ...parts]))
    .digest()
}
