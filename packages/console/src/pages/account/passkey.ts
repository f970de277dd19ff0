import type { Input } from '@mortise/client'
import { client } from '../../session/session.ts'

/** Parts of WebAuthn level 3 that TypeScript's types do not have in each version. */
interface PasskeyParsing {
  parseCreationOptionsFromJSON?: (options: unknown) => PublicKeyCredentialCreationOptions
}

const parsing = () => globalThis.PublicKeyCredential as (typeof PublicKeyCredential & PasskeyParsing) | undefined

export function hasPasskeys(): boolean {
  return parsing()?.parseCreationOptionsFromJSON !== undefined
}

/** Creates a passkey in this browser. Returns recovery codes when it is the first factor. */
export async function addPasskey(): Promise<string[] | undefined> {
  const { options } = await client.beginPasskey()
  const publicKey = parsing()?.parseCreationOptionsFromJSON?.(options)
  if (!publicKey) throw new Error('This browser has no passkeys.')
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null
  if (!credential) throw new Error('The browser created no passkey.')
  const body = { credential: credential.toJSON() } as Input<'confirmPasskey'>['body']
  const { recoveryCodes } = await client.confirmPasskey({ body })
  return recoveryCodes
}
