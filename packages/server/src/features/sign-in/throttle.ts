import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Services } from '../../services.ts'
import { countAttempt, uncountAttempt } from './attempt-store.ts'
import { TooManyAttempts } from './problems.ts'

const windowMs = 15 * 60_000

/** Failures within the window. Somebody who guesses from elsewhere must not lock the person out at once: hence three counts. */
const most = { pair: 10, email: 50, address: 100 }

type Needed = Pick<Services, 'database' | 'keyring' | 'now'>

export interface Attempt {
  /** It was no guess. */
  succeeded(): Promise<void>
}

/**
 * Counts an attempt before it is judged, so that many at the same moment do not slip through; it counts in the database, so that all
 * nodes count together and a restart forgets nothing. What is counted is stored under a keyed hash.
 *
 * @throws TooManyAttempts
 */
export async function beginAttempt(
  { database, keyring, now }: Needed,
  { email, address }: { email: string; address: string },
): Promise<Attempt> {
  const network = networkOf(address)
  const subjects = {
    pair: subject(keyring, 'pair', email, network),
    email: subject(keyring, 'email', email),
    address: subject(keyring, 'address', network),
  }
  const until = new Date(now().getTime() + windowMs)
  const counted = await countAttempt(database.system, Object.values(subjects), now(), until)
  const over = (['pair', 'email', 'address'] as const).flatMap((name) => {
    const row = counted.find(({ subject_hash }) => subject_hash.equals(subjects[name]))
    return row && row.count > most[name] ? [row.until] : []
  })
  if (over.length > 0)
    throw new TooManyAttempts({ retryAfter: new Date(Math.max(...over.map((time) => time.getTime()))) })
  return {
    succeeded: () =>
      uncountAttempt(database.system, { cleared: subjects.pair, lowered: [subjects.email, subjects.address] }),
  }
}

function subject(keyring: Needed['keyring'], ...parts: string[]): Buffer {
  return createHmac('sha256', keyring.derive('sign-in'))
    .update(JSON.stringify(['attempts', ...parts]))
    .digest()
}

/** One person has 2^64 addresses of IPv6. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail = ''] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = address.includes('::') ? [...left, ...Array(8 - left.length - right.length).fill('0'), ...right] : left
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
