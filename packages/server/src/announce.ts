import process from 'node:process'
import type { Config } from './config.ts'
import type { Secret } from './kernel/encryption/index.ts'

/** Prints what runs where and what to do next. The API key is one line, and is shown only when it is new. */
export function announce(started: {
  url: string
  config: Config
  storage: { embeddedIn: string | undefined; newEncryptionKeyFile: string | undefined }
  access: { key: Secret<string> | undefined; keyFile: string }
  /** Link where the first person creates an account; undefined once an account exists. */
  firstOwner: Secret<string> | undefined
}): void {
  const { url, config, storage, access, firstOwner } = started
  const lines = [`Mortise is ready at ${url}/v1`, `Console: ${url}/console`, `Documentation: ${url}/docs`]
  if (access.key) {
    lines.push(`API key of the project default: ${access.key.reveal()}`)
    lines.push(`  stored in ${access.keyFile}; for another one: npm start -- --new-key`)
  }
  if (firstOwner) lines.push(`First account, for a person: ${firstOwner.reveal()}`)
  if (storage.newEncryptionKeyFile) {
    lines.push(
      `Encryption key: ${storage.newEncryptionKeyFile} (back this up: without it, stored credentials are lost)`,
    )
  }
  if (storage.embeddedIn) lines.push(`Database: embedded, in ${storage.embeddedIn}; DATABASE_URL uses another`)
  if (config.allowPrivateNetwork)
    lines.push(`Private network: ${config.allowPrivateNetwork} may be reached (MORTISE_ALLOW_PRIVATE_NETWORK)`)
  lines.push(
    access.key
      ? `Next: curl -H "X-Api-Key: $(cat ${access.keyFile})" ${url}/v1/projects, or see it all at work: npm run demo`
      : `API key: in ${access.keyFile}; OpenAPI: ${url}/v1/openapi.json`,
  )
  process.stdout.write(`${lines.join('\n')}\n`)
}
