import { withoutSecrets } from '../without-secrets.ts'

const lengthMax = 8_000

/**
 * The body of an answer as it came, for whoever has to find out what a provider means: at most 8,000 characters,
 * without any spelling of the credential; undefined where there is none.
 */
export function rawAnswer(body: string, secrets: readonly string[]): string | undefined {
  if (body === '') return undefined
  // Twice as much is looked through: a secret that lies across the end is not recognised, and must not be near what is
  // kept.
  const safe = withoutSecrets(body.slice(0, lengthMax * 2), secrets)
  const kept = body.length > lengthMax * 2 ? safe.slice(0, Math.max(0, safe.length - lengthMax)) : safe
  return kept.slice(0, lengthMax).toWellFormed()
}
