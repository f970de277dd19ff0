import type { Database } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { claimFlow, insertFlow } from './once-store.ts'
import { hashSecret, newSecret } from './sessions.ts'

/** How long a person may take at the provider. */
const flowMinutes = 10

/** A single sign-on under way. The state travels with the browser; the rest stays here, encrypted. */
export interface Flow {
  state: string
  nonce: string
  verifier: string
  next: string | undefined
}

type Needed = { database: Database; keyring: Keyring; now: () => Date }

/** Begins one for this browser alone. */
export async function beginFlow(
  { database, keyring, now }: Needed,
  { browserSecret, next }: { browserSecret: string; next: string | undefined },
): Promise<Flow> {
  const flow = { state: newSecret(), nonce: newSecret(), verifier: newSecret(), next }
  const stateHash = hashSecret(flow.state)
  await insertFlow(database.system, {
    stateHash,
    browserHash: hashSecret(browserSecret),
    encrypted: createEnvelope(keyring).encrypt(JSON.stringify(flow), encryptedAt(stateHash)),
    expireTime: new Date(now().getTime() + flowMinutes * 60_000),
  })
  return flow
}

/**
 * Takes the one of this state away, so that no answer serves twice. Undefined for another browser, and when it took too
 * long.
 */
export async function endFlow(
  { database, keyring, now }: Needed,
  { browserSecret, state }: { browserSecret: string; state: string },
): Promise<Flow | undefined> {
  const stateHash = hashSecret(state)
  const claimed = await claimFlow(database.system, { stateHash, browserHash: hashSecret(browserSecret), now: now() })
  return claimed && JSON.parse(createEnvelope(keyring).open(claimed.encrypted, encryptedAt(stateHash)).toString())
}

function encryptedAt(stateHash: Buffer) {
  return { table: 'sign_in_flows', project: '', row: stateHash.toString('hex'), column: 'encrypted' }
}
